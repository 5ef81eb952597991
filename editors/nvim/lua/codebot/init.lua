--- What configurations and other plug-ins may use. Nothing here loads more than it
--- needs: statusline() may run with every redraw.
local M = {}

--- Changes vim.g.codebot. There is no need to call it; it is here for plug-in
--- managers that pass options to a function.
---@param opts? codebot.Options
function M.setup(opts)
  vim.g.codebot = vim.tbl_deep_extend('force', vim.g.codebot or {}, opts or {})
  if package.loaded['codebot.config'] then
    require('codebot.config').reset()
  end
end

local marks = { warning = ' !', error = ' x' }

--- One short text for a status line, such as "codebot 3/4": usable of enabled MCP
--- servers; empty until the server has told. It is safe in a 'statusline'.
---@return string
function M.statusline()
  local status = vim.g.codebot_status
  if not status then
    return ''
  end
  local text = status.text .. (status.busy and ' ..' or marks[status.health] or '')
  return (text:gsub('%%', '%%%%'))
end

--- Opens the chat and puts the cursor into its prompt.
function M.chat()
  require('codebot.chat').open({ focus = true })
end

--- Opens or closes the chat; what runs goes on.
function M.toggle()
  require('codebot.chat').toggle()
end

--- Asks in the current session.
---@param text string
---@param opts? {line1?: integer, line2?: integer} lines of the current buffer to go with it
function M.ask(text, opts)
  require('codebot.chat').ask(text, opts)
end

--- Ends the running turn.
function M.stop()
  require('codebot.chat').stop()
end

return M
