--- Which folder is the project.
local M = {}

--- The nearest folder at or above path that has a marker.
---@param path string
---@return string|nil
local function marked(path)
  local markers = require('codebot.config').get().root_markers
  -- The user's own ~/.codebot makes home no project.
  local home = vim.fs.normalize(vim.uv.os_homedir() or '~')
  local dir = vim.fs.normalize(path)
  repeat
    if dir ~= home then
      for _, marker in ipairs(markers) do
        if vim.uv.fs_stat(vim.fs.joinpath(dir, marker)) then
          return dir
        end
      end
    end
    local last = dir
    dir = vim.fs.dirname(dir)
  until dir == last
end

--- The project of the working directory, else of the buffer's file, else the
--- working directory itself.
---@param buf? integer
---@return string absolute path
function M.find(buf)
  local cwd = vim.fs.normalize(vim.fn.getcwd())
  local root = marked(cwd)
  if root then
    return root
  end
  local name = vim.api.nvim_buf_get_name(buf or 0)
  if name ~= '' and vim.bo[buf or 0].buftype == '' and not name:find('^%a[%w+.-]+://') then
    root = marked(name)
  end
  return root or cwd
end

--- Reports whether path is in the folder or is it.
---@param path string
---@param folder string
function M.within(path, folder)
  path, folder = vim.fs.normalize(path), vim.fs.normalize(folder)
  return path == folder or vim.startswith(path, folder == '/' and '/' or folder .. '/')
end

return M
