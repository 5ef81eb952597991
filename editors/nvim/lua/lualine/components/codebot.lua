-- A component for lualine.nvim: sections = { lualine_x = { 'codebot' } }.
return require('lualine.component'):extend({
  update_status = function()
    local status = vim.g.codebot_status
    return status and require('codebot').statusline() or ''
  end,
})
