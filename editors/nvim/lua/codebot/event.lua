--- User autocommands.
local M = {}

--- Their names without the prefix, what they get as data, and when they come.
---@type {[1]: string, [2]: string[], [3]: string}[]
M.events = {
  { 'Status', { 'status' }, 'the text or the health of the status line has changed' },
  { 'TurnStart', { 'session' }, 'a prompt was sent' },
  { 'TurnEnd', { 'session', 'stop_reason', 'error', 'ms' }, 'its turn has ended' },
  { 'ToolStart', { 'session', 'call', 'tool' }, 'a tool is about to be called' },
  { 'ToolEnd', { 'session', 'call', 'tool', 'status' }, 'the call has ended' },
  { 'Permission', { 'session', 'call', 'tool', 'title' }, 'a call waits for an answer' },
}

---@param name string without the prefix
---@param data? table what the autocommand gets as data
function M.fire(name, data)
  -- Without modeline = false Neovim would look for modelines in the current buffer
  -- afterwards, and that may hold text of a model.
  vim.api.nvim_exec_autocmds('User', { pattern = 'Codebot' .. name, data = data, modeline = false })
end

return M
