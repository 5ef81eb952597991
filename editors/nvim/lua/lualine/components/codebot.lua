-- A component for lualine.nvim: sections = { lualine_x = { 'codebot' } }.
local component = require('lualine.component'):extend()

local groups = { ok = 'DiagnosticOk', warning = 'DiagnosticWarn', error = 'DiagnosticError' }

function component:init(options)
  options.on_click = options.on_click or function()
    vim.cmd.Codebot('mcp')
  end
  -- The colour is that of the health, unless the configuration has another.
  options.color = options.color
    or function()
      local status = vim.g.codebot_status
      return status and groups[status.health] or nil
    end
  component.super.init(self, options)
end

function component.update_status()
  return require('codebot').statusline()
end

return component
