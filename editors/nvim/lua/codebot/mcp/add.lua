--- New MCP servers: typed in and tried before they are kept, or taken over from other
--- programs.
local methods = require('codebot.protocol_gen').methods
local client = require('codebot.client')
local clean = require('codebot.clean')
local t = require('codebot.text')

local M = {}

--- The words of a command line, with quotes and backslashes as in a shell; nothing else
--- of a shell.
---@param line string
---@return string[]|nil words nil when a quote is left open
function M.words(line)
  local words, word, quote, i = {}, nil, nil, 1
  while i <= #line do
    local c = line:sub(i, i)
    if c == '\\' and quote ~= "'" and i < #line then
      i = i + 1
      word = (word or '') .. line:sub(i, i)
    elseif quote then
      if c == quote then
        quote = nil
      else
        word = word .. c
      end
    elseif c == '"' or c == "'" then
      quote, word = c, word or ''
    elseif c:find('%s') then
      if word then
        words[#words + 1] = word
      end
      word = nil
    else
      word = (word or '') .. c
    end
    i = i + 1
  end
  if word then
    words[#words + 1] = word
  end
  return not quote and words or nil
end

--- The entry of a settings file for a command or an address.
---@param text string
---@return table|nil
function M.entry(text)
  text = vim.trim(text)
  if text:find('^https?://%S+$') then
    return { url = text }
  end
  local words = M.words(text)
  if not words or #words == 0 then
    return nil
  end
  local command = table.remove(words, 1)
  return { command = command, args = #words > 0 and words or nil }
end

---@param name string
---@param entry table
---@param folder? string
local function keep(name, entry, folder)
  client.request(
    methods.mcp_add,
    { name = name, entry = entry, folder = folder },
    require('codebot.mcp').took
  )
end

--- Says how the try went and asks whether to keep the entry.
---@param name string
---@param entry table
---@param result codebot.MCPTestResult
local function confirm(name, entry, result)
  local row = result.server
  local said
  if row.error then
    said = clean.line(row.error.message)
  else
    local tools = vim.tbl_map(function(tool)
      return clean.line(tool.tool)
    end, result.tools)
    said = t.count('1 tool', '%d tools', #tools)
      .. (#tools > 0 and ': ' .. require('codebot.chat.render').shorten(table.concat(tools, ', '), 80) or '')
  end
  local items = {
    { name = row.error and t('Add it to your settings all the same') or t('Add it to your settings') },
    {
      name = t('Add it to the settings of the project'),
      folder = vim.uri_from_fname(require('codebot.root').find()),
    },
  }
  vim.ui.select(items, {
    prompt = ('%s: %s'):format(clean.line(name), said),
    kind = 'codebot_add',
    format_item = function(item)
      return item.name
    end,
  }, function(item)
    if item then
      keep(name, entry, item.folder)
    end
  end)
end

--- Asks for a server, tries it and keeps it.
function M.run()
  vim.ui.input({ prompt = t('Name of the server: ') }, function(name)
    name = name and vim.trim(name)
    if not name or name == '' then
      return
    end
    vim.ui.input({ prompt = t('Its command or address: ') }, function(text)
      if not text or vim.trim(text) == '' then
        return
      end
      local entry = M.entry(text)
      if not entry then
        vim.notify('codebot: ' .. t('a quote is left open'), vim.log.levels.ERROR)
        return
      end
      vim.notify('codebot: ' .. t('trying %s...', clean.line(name)))
      client.request(methods.mcp_test, { name = name, entry = entry }, function(err, result)
        if err then
          return client.complain(err)
        end
        confirm(name, entry, result)
      end)
    end)
  end)
end

--- Looks for servers in the settings of other programs and takes over those chosen.
function M.import()
  client.request(methods.mcp_import, nil, function(err, found)
    if err then
      return client.complain(err)
    end
    for _, problem in ipairs(found.problems) do
      vim.notify('codebot: ' .. clean.line(problem), vim.log.levels.WARN)
    end
    if #found.servers == 0 then
      vim.notify('codebot: ' .. t('no other program on this machine has MCP servers'))
      return
    end
    local chosen = {}
    for _, server in ipairs(found.servers) do
      chosen[server] = not server.exists or nil
    end
    require('codebot.choose')(
      found.servers,
      {
        prompt = t('Take over'),
        kind = 'codebot_import',
        done = 'Take over what is chosen',
        format = function(server)
          local line = clean.line(
            ('%s · %s · %s'):format(
              server.name,
              server.client,
              server.entry.url
                or table.concat(vim.list_extend({ server.entry.command or '' }, server.entry.args or {}), ' ')
            )
          )
          if server.exists then
            line = line .. '  ' .. t('(you have one of that name)')
          end
          return #server.notes > 0 and line .. '  ' .. clean.line(table.concat(server.notes, ' ')) or line
        end,
      },
      chosen,
      function(servers)
        if not servers or #servers == 0 then
          return
        end
        local choices = vim.tbl_map(function(server)
          return { name = server.name, source = server.source }
        end, servers)
        client.request(methods.mcp_import, { import = choices }, function(import_err, result)
          if import_err then
            return client.complain(import_err)
          end
          local n = #vim.tbl_filter(function(server)
            return server.imported == true
          end, result.servers)
          vim.notify('codebot: ' .. t.count('1 server was taken over', '%d servers were taken over', n))
        end)
      end
    )
  end)
end

--- Takes an entry out of its settings file, after a question.
---@param row codebot.MCPServer
function M.remove(row)
  vim.ui.select({ false, true }, {
    prompt = t(
      'Take %s out of %s?',
      clean.line(row.name),
      clean.line(vim.fn.fnamemodify(vim.uri_to_fname(row.source), ':~'))
    ),
    kind = 'codebot_remove',
    format_item = function(yes)
      return yes and t('Take it out') or t('Keep')
    end,
  }, function(yes)
    if yes then
      client.request(methods.mcp_remove, require('codebot.mcp').ref(row), function(err)
        if err then
          client.complain(err)
        end
      end)
    end
  end)
end

return M
