--- Files that tools have changed.
local M = {}

--- Reads changed files again where they are shown.
---@param call codebot.ToolCallUpdate
function M.changed(call)
  local paths = {}
  for _, path in ipairs(M.paths(call)) do
    paths[path] = true
  end
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    local name = vim.fs.normalize(vim.api.nvim_buf_get_name(buf))
    local hit = call.kind == 'execute' or paths[name]
    local file = vim.api.nvim_buf_is_loaded(buf) and vim.bo[buf].buftype == ''
    if hit and file and not vim.bo[buf].modified then
      vim.cmd.checktime({ args = { tostring(buf) }, mods = { silent = true, emsg_silent = true } })
    end
  end
end

--- The absolute paths that a call names, without repetition.
---@param call codebot.ToolCallUpdate
---@return string[]
function M.paths(call)
  local seen, paths = {}, {}
  local function add(path)
    if path and not seen[path] then
      seen[path] = true
      paths[#paths + 1] = vim.fs.normalize(path)
    end
  end
  for _, location in ipairs(call.locations or {}) do
    add(location.path)
  end
  for _, content in ipairs(call.content or {}) do
    add(content.path)
  end
  return paths
end

--- Opens a file in a window that is not one of ours.
---@param path string
---@param line? integer from 1
function M.open(path, line)
  local function ours(win)
    return vim.bo[vim.api.nvim_win_get_buf(win)].filetype:find('^codebot') ~= nil
      or vim.api.nvim_win_get_config(win).relative ~= ''
  end
  if ours(0) then
    local target
    for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
      if not ours(win) then
        target = win
        break
      end
    end
    if target then
      vim.api.nvim_set_current_win(target)
    else
      vim.cmd('leftabove vertical new')
    end
  end
  -- fnameescape and no modifiers: a path of a model is a name and nothing else.
  vim.cmd.edit(vim.fn.fnameescape(path))
  if line then
    local last = vim.api.nvim_buf_line_count(0)
    vim.api.nvim_win_set_cursor(0, { math.max(1, math.min(line, last)), 0 })
  end
end

return M
