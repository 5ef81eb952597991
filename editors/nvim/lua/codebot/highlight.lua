--- Highlight groups, linked to those every colour scheme has.
local M = {}

M.links = {
  CodebotUser = 'Identifier',
  CodebotThought = 'Comment',
  CodebotTool = 'Function',
  CodebotNote = 'Comment',
  CodebotPending = 'Comment',
  CodebotRunning = 'DiagnosticInfo',
  CodebotDone = 'DiagnosticOk',
  CodebotFailed = 'DiagnosticError',
  CodebotQuestion = 'DiagnosticWarn',
  CodebotPlaceholder = 'Comment',
}

--- Defines the groups where a colour scheme or a person has not.
function M.define()
  vim.api.nvim_create_autocmd('ColorScheme', {
    group = vim.api.nvim_create_augroup('codebot_highlight', { clear = true }),
    callback = M.define,
  })
  for name, link in pairs(M.links) do
    vim.api.nvim_set_hl(0, name, { link = link, default = true })
  end
end

return M
