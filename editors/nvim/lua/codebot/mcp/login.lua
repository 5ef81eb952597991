--- A login with the browser, also from a machine that the browser is not on: then the
--- address at which it ended is pasted.
local clean = require('codebot.clean')
local t = require('codebot.text')

local M = {}

local windows = {} ---@type table<string, fun()> closes the window of a login, by server

---@param server {server?: string, name?: string, folder?: string}
local function key(server)
  return (server.server or server.name) .. '\n' .. (server.folder or '')
end

--- codebot/mcp/authorize.
---@param params codebot.MCPAuthorizeParams
---@return codebot.MCPAuthorizeResult
function M.on_authorize(params)
  return require('codebot.wait')(function(done)
    require('codebot.highlight').define()
    local lines = {
      t('%s sends you to this page:', clean.visible(params.issuer)),
      '    ' .. clean.visible(params.url),
      '',
      t('When your browser cannot come back to %s,', clean.visible(params.redirectUri)),
      t('paste the address at which it stopped.'),
      '',
      t('o open the page · y yank its address · p paste · q cancel'),
    }
    local result = { cancelled = true }
    local buf, _, close = require('codebot.float').open(lines, {
      title = t('Log in to %s', clean.line(params.server)),
      marks = {
        { 1, 0, -1, 'CodebotQuestion' },
        { #lines - 1, 0, -1, 'CodebotQuestion' },
      },
      on_close = function()
        windows[key(params)] = nil
        done(result)
      end,
    })
    windows[key(params)] = close
    local function map(lhs, action)
      vim.keymap.set('n', lhs, action, { buffer = buf, nowait = true })
    end
    map('o', function()
      vim.ui.open(params.url)
    end)
    map('y', function()
      vim.fn.setreg(vim.v.register, params.url)
      vim.notify('codebot: ' .. t('the address is yanked'))
    end)
    map('p', function()
      vim.ui.input({ prompt = t('Address or code: ') }, function(text)
        if text and vim.trim(text) ~= '' then
          result = { callback = vim.trim(text) }
          close()
        end
      end)
    end)
  end)
end

--- Logs in to a server, or out of it.
---@param what "login"|"logout"
---@param row codebot.MCPServer
function M.run(what, row)
  require('codebot.mcp').act(what, row, function()
    -- The browser came back by itself.
    local close = windows[key(row)]
    if close then
      close()
    end
  end)
end

return M
