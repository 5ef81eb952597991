--- Prompts of MCP servers: chosen, filled in, sent in the chat.
local methods = require('codebot.protocol_gen').methods
local client = require('codebot.client')
local clean = require('codebot.clean')
local t = require('codebot.text')

local M = {}

--- Completion of the argument that is being typed, for vim.ui.input.
---@type fun(lead: string): string[]
local completing = function()
  return {}
end

--- What the command line calls; see customlist in :help :command-completion.
---@param lead string
---@return string[]
function M.complete(lead)
  return completing(lead)
end

--- How long completion waits for the server, in ms.
local patience_ms = 2000

---@param prompt codebot.MCPPrompt
---@param argument codebot.PromptArgument
---@param given table<string, string>
local function completion(prompt, argument, given)
  return function(lead)
    local values
    client.request(methods.mcp_complete, {
      server = prompt.server,
      folder = prompt.folder or '',
      prompt = prompt.name,
      argument = argument.name,
      value = lead,
      given = given,
    }, function(_, result)
      values = result and result.values or {}
    end)
    vim.wait(patience_ms, function()
      return values ~= nil
    end, 5)
    return vim.tbl_map(clean.line, values or {})
  end
end

--- Asks for the arguments one by one.
---@param prompt codebot.MCPPrompt
---@param callback fun(given: table<string, string>)
function M.fill(prompt, callback)
  local given, i = vim.empty_dict(), 0
  local function step()
    i = i + 1
    local argument = prompt.arguments[i]
    if not argument then
      return callback(given)
    end
    completing = completion(prompt, argument, given)
    local label = clean.line(argument.title or argument.name)
    if argument.description then
      label = label .. ' (' .. clean.line(argument.description) .. ')'
    end
    if not argument.required then
      label = label .. ' ' .. t('[may be left out]')
    end
    vim.ui.input({
      prompt = label .. ': ',
      completion = "customlist,v:lua.require'codebot.mcp.prompts'.complete",
    }, function(value)
      if not value then
        return
      elseif value == '' and argument.required then
        vim.notify('codebot: ' .. t('%s is needed', clean.line(argument.name)), vim.log.levels.WARN)
        i = i - 1
      elseif value ~= '' then
        given[argument.name] = value
      end
      step()
    end)
  end
  step()
end

--- A word of a command line as the server takes it apart again.
---@param s string
local function quoted(s)
  if s:find('^[%w_./:@%%+-]+$') then
    return s
  end
  return '"' .. s:gsub('(["\\$`])', '\\%1') .. '"'
end

--- The slash command that runs a prompt with these arguments.
---@param prompt codebot.MCPPrompt
---@param given table<string, string>
function M.command(prompt, given)
  local words = { '/' .. prompt.command }
  for _, argument in ipairs(prompt.arguments) do
    if given[argument.name] then
      words[#words + 1] = argument.name .. '=' .. quoted(given[argument.name])
    end
  end
  return table.concat(words, ' ')
end

--- Lets a person choose a prompt, of one server or of all, and sends it.
---@param row? codebot.MCPServer
function M.pick(row)
  local filter = row and { server = row.name, folder = row.folder or '' } or nil
  client.request(methods.mcp_prompts, filter, function(err, result)
    if err then
      return client.complain(err)
    elseif #result.prompts == 0 then
      vim.notify('codebot: ' .. t('there are no prompts'))
      return
    end
    vim.ui.select(result.prompts, {
      prompt = t('Prompt'),
      kind = 'codebot_prompt',
      format_item = function(prompt)
        return clean.line(
          table.concat({ prompt.server, prompt.title or prompt.name, prompt.description }, ' · ')
        )
      end,
    }, function(prompt)
      if prompt then
        M.fill(prompt, function(given)
          require('codebot.chat').ask(M.command(prompt, given))
        end)
      end
    end)
  end)
end

return M
