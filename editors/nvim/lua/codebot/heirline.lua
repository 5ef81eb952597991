-- A component for heirline.nvim: statusline = { ..., require('codebot.heirline') }.
-- It is drawn anew when something has changed and loads nothing but this file.
local groups = { ok = 'DiagnosticOk', warning = 'DiagnosticWarn', error = 'DiagnosticError' }

return {
  condition = function()
    return vim.g.codebot_status ~= nil
  end,
  provider = function()
    return require('codebot').statusline()
  end,
  hl = function()
    local status = vim.g.codebot_status
    return status and groups[status.health] or nil
  end,
  update = {
    'User',
    pattern = 'CodebotStatus',
    callback = vim.schedule_wrap(function()
      vim.cmd.redrawstatus()
    end),
  },
  on_click = {
    name = 'codebot_heirline',
    callback = function()
      vim.cmd.Codebot('mcp')
    end,
  },
}
