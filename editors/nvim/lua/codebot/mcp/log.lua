--- The log of an MCP server, live.
local methods = require('codebot.protocol_gen').methods
local mcp = require('codebot.mcp')
local scratch = require('codebot.mcp.scratch')
local clean = require('codebot.clean')
local t = require('codebot.text')

local M = {}

local open = {} ---@type table<string, integer> buffers by the key of the server

--- How many lines a log buffer keeps.
local max_lines = 5000

---@param entries codebot.MCPLogEntry[]
local function render(entries)
  local lines = {}
  for _, entry in ipairs(entries) do
    local at = entry.time:match('T(%d%d:%d%d:%d%d)') or entry.time
    for i, line in ipairs(clean.lines(entry.text)) do
      local head = i == 1 and ('%s %-7s %-6s '):format(at, entry.level, entry.source) or (' '):rep(25)
      lines[#lines + 1] = head .. line
    end
  end
  return lines
end

---@param buf integer
---@param lines string[]
local function append(buf, lines)
  local before = vim.api.nvim_buf_line_count(buf)
  local following = {}
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    if vim.api.nvim_win_get_cursor(win)[1] >= before then
      following[#following + 1] = win
    end
  end
  local empty = before == 1 and vim.api.nvim_buf_get_lines(buf, 0, 1, false)[1] == ''
  scratch.set(buf, empty and 0 or -1, -1, lines)
  local count = vim.api.nvim_buf_line_count(buf)
  if count > max_lines then
    scratch.set(buf, 0, count - max_lines, {})
    count = max_lines
  end
  for _, win in ipairs(following) do
    vim.api.nvim_win_set_cursor(win, { count, 0 })
  end
end

--- Opens the log of a server.
---@param row codebot.MCPServer
function M.open(row)
  local key = mcp.key(row)
  local name = 'codebot://mcp/log/'
    .. clean.line(row.name):gsub('[^%w%._-]', '_')
    .. '/'
    .. vim.fn.sha256(key):sub(1, 8)
  local buf, fresh = scratch.buffer(name, 'codebot-log')
  scratch.show(buf)
  vim.wo[0][0].winbar = (t('Log of %s', clean.line(row.name)):gsub('%%', '%%%%'))
  if fresh then
    require('codebot.config').map(buf, {
      close = {
        'n',
        function()
          scratch.hide(buf)
        end,
        t('Close the window'),
      },
    })
  end
  open[key] = nil
  require('codebot.client').request(methods.mcp_logs, mcp.ref(row), function(err, result)
    if err then
      return require('codebot.client').complain(err)
    end
    if vim.api.nvim_buf_is_valid(buf) then
      scratch.set(buf, 0, -1, {})
      append(buf, render(result.entries))
      -- What comes from here on follows the answer on the wire.
      open[key] = buf
    end
  end)
end

mcp.listen(function(event, params)
  local buf = event == 'log' and params and open[mcp.key(params)]
  if params and buf and vim.api.nvim_buf_is_valid(buf) then
    append(buf, render(params.entries))
  end
end)

return M
