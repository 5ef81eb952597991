--- A floating window with a text of its own.
local M = {}

--- Opens a float in the middle of the screen; q and <Esc> close it.
---@param lines string[]
---@param opts {title: string, on_close?: fun(), marks?: {[1]: integer, [2]: integer, [3]: integer, [4]: string}[]}
---@return integer buf, integer win, fun() close
function M.open(lines, opts)
  local width = vim.fn.strdisplaywidth(opts.title) + 2
  for _, line in ipairs(lines) do
    width = math.max(width, vim.fn.strdisplaywidth(line))
  end
  width = math.max(1, math.min(width, vim.o.columns - 4))
  local height = math.max(1, math.min(#lines, vim.o.lines - vim.o.cmdheight - 4))
  local buf = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  vim.bo[buf].modeline = false
  vim.bo[buf].modifiable = false
  vim.bo[buf].bufhidden = 'wipe'
  vim.bo[buf].filetype = 'codebot-float'
  local ns = vim.api.nvim_create_namespace('codebot_float')
  for _, mark in ipairs(opts.marks or {}) do
    local line = lines[mark[1] + 1] or ''
    vim.api.nvim_buf_set_extmark(buf, ns, mark[1], mark[2], {
      end_col = mark[3] == -1 and #line or mark[3],
      hl_group = mark[4],
    })
  end
  local win = vim.api.nvim_open_win(buf, true, {
    relative = 'editor',
    width = width,
    height = height,
    row = math.max(0, math.floor((vim.o.lines - height) / 2) - 1),
    col = math.max(0, math.floor((vim.o.columns - width) / 2)),
    style = 'minimal',
    border = require('codebot.config').get().window.border,
    title = ' ' .. opts.title .. ' ',
  })
  vim.wo[win].wrap = true
  local function close()
    if vim.api.nvim_win_is_valid(win) then
      vim.api.nvim_win_close(win, true)
    end
  end
  for _, key in ipairs({ 'q', '<Esc>' }) do
    vim.keymap.set('n', key, close, { buffer = buf, nowait = true })
  end
  if opts.on_close then
    vim.api.nvim_create_autocmd('BufWipeout', { buffer = buf, once = true, callback = opts.on_close })
  end
  return buf, win, close
end

return M
