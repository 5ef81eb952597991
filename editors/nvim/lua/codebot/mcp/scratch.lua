--- Buffers of ours that only show something.
local M = {}

local buffers = {} ---@type table<string, integer> by name

--- The buffer of that name, made when it is first asked for.
---@param name string codebot://...
---@param filetype string
---@return integer buf, boolean fresh
function M.buffer(name, filetype)
  local buf = buffers[name]
  if buf and vim.api.nvim_buf_is_valid(buf) then
    return buf, false
  end
  buf = vim.api.nvim_create_buf(false, true)
  buffers[name] = buf
  pcall(vim.api.nvim_buf_set_name, buf, name)
  vim.bo[buf].modeline = false
  vim.bo[buf].modifiable = false
  vim.bo[buf].undolevels = -1
  vim.bo[buf].bufhidden = 'hide'
  vim.bo[buf].filetype = filetype
  return buf, true
end

--- Replaces lines of a buffer that a person cannot change.
---@param buf integer
---@param first integer
---@param last integer end-exclusive, -1 for all
---@param lines string[]
function M.set(buf, first, last, lines)
  vim.bo[buf].modifiable = true
  vim.api.nvim_buf_set_lines(buf, first, last, false, lines)
  vim.bo[buf].modifiable = false
  vim.bo[buf].modified = false
end

--- Shows a buffer in a split below, or goes to the window that shows it.
---@param buf integer
---@return integer win
function M.show(buf)
  for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    if vim.api.nvim_win_get_buf(win) == buf then
      vim.api.nvim_set_current_win(win)
      return win
    end
  end
  vim.cmd('botright sbuffer ' .. buf)
  local win = vim.api.nvim_get_current_win()
  vim.wo[win][0].number = false
  vim.wo[win][0].relativenumber = false
  vim.wo[win][0].signcolumn = 'no'
  vim.wo[win][0].spell = false
  vim.wo[win][0].linebreak = true
  vim.wo[win][0].breakindent = true
  return win
end

--- Closes the windows of a buffer, except the last one of Neovim.
---@param buf integer
function M.hide(buf)
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    if not pcall(vim.api.nvim_win_close, win, true) then
      vim.api.nvim_win_set_buf(win, vim.api.nvim_create_buf(true, false))
    end
  end
end

--- Puts marks of {row, first byte, last byte or -1, highlight} over a buffer.
---@param buf integer
---@param marks {[1]: integer, [2]: integer, [3]: integer, [4]: string}[]
function M.mark(buf, marks)
  local ns = vim.api.nvim_create_namespace('codebot_scratch')
  vim.api.nvim_buf_clear_namespace(buf, ns, 0, -1)
  for _, mark in ipairs(marks) do
    local line = vim.api.nvim_buf_get_lines(buf, mark[1], mark[1] + 1, false)[1] or ''
    vim.api.nvim_buf_set_extmark(buf, ns, mark[1], mark[2], {
      end_col = mark[3] == -1 and #line or math.min(mark[3], #line),
      hl_group = mark[4],
    })
  end
end

return M
