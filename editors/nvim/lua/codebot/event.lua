--- User autocommands: CodebotStatus, CodebotTurnStart, CodebotTurnEnd,
--- CodebotToolStart, CodebotToolEnd, CodebotPermission.
local M = {}

---@param name string without the prefix
---@param data? table what the autocommand gets as data
function M.fire(name, data)
  -- Without modeline = false Neovim would look for modelines in the current buffer
  -- afterwards, and that may hold text of a model.
  vim.api.nvim_exec_autocmds('User', { pattern = 'Codebot' .. name, data = data, modeline = false })
end

return M
