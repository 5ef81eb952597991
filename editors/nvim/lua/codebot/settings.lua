--- Settings files: where they are, and what Neovim shows in them.
local M = {}

--- The path of a settings file.
---@param which "user"|"project"|string
---@return string
function M.path(which)
  if which == 'project' then
    return vim.fs.joinpath(require('codebot.root').find(), '.codebot', 'settings.json')
  end
  local env = require('codebot.config').get().env
  local home = env.CODEBOT_HOME or vim.env.CODEBOT_HOME
  if not home or home == '' then
    home = vim.fs.joinpath(vim.uv.os_homedir(), '.codebot')
  end
  return vim.fs.joinpath(vim.fs.normalize(home), 'settings.json')
end

--- Reports whether a file is a settings file.
---@param name string
---@return boolean
function M.is(name)
  return name:find('[/\\]%.codebot[/\\]settings%.json$') ~= nil or vim.fs.normalize(name) == M.path('user')
end

--- Opens a settings file, with the beginnings of one where there is none.
---@param which string
function M.open(which)
  local path = M.path(which)
  require('codebot.files').open(path)
  if vim.fn.filereadable(path) == 0 and vim.api.nvim_buf_line_count(0) == 1 and vim.fn.getline(1) == '' then
    vim.api.nvim_buf_set_lines(0, 0, -1, false, { '{', '  "mcp_servers": {', '  }', '}' })
    -- :w makes the folder; nothing is on the disk before.
    vim.api.nvim_create_autocmd('BufWritePre', {
      buffer = vim.api.nvim_get_current_buf(),
      once = true,
      callback = function()
        vim.fn.mkdir(vim.fs.dirname(path), 'p')
      end,
    })
  end
end

--- workspace/codeLens/refresh: asks again for the lenses of the files that have some.
function M.refresh_lenses()
  for _, client in ipairs(vim.lsp.get_clients({ name = require('codebot.client').name })) do
    for buf in pairs(client.attached_buffers) do
      if M.is(vim.api.nvim_buf_get_name(buf)) then
        ---@diagnostic disable-next-line: deprecated -- 0.11 and older have no other
        vim.lsp.codelens.refresh({ bufnr = buf })
      end
    end
  end
  return vim.NIL
end

--- Turns on what Neovim leaves to its user, in settings files alone: lenses are how a
--- server is started there, and hints say how it is.
---@param buf integer
function M.dress(buf)
  if not require('codebot.config').get().settings_hints then
    return
  end
  vim.lsp.inlay_hint.enable(true, { bufnr = buf })
  if vim.lsp.codelens.enable then
    vim.lsp.codelens.enable(true, { bufnr = buf })
    return
  end
  local function refresh()
    if vim.api.nvim_buf_is_valid(buf) then
      vim.lsp.codelens.refresh({ bufnr = buf }) ---@diagnostic disable-line: deprecated
    end
  end
  vim.api.nvim_create_autocmd({ 'BufEnter', 'CursorHold', 'InsertLeave', 'BufWritePost' }, {
    group = vim.api.nvim_create_augroup('codebot_lens_' .. buf, { clear = true }),
    buffer = buf,
    callback = refresh,
  })
  refresh()
end

return M
