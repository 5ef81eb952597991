--- A float with the keys of a buffer.
local M = {}

---@param buf integer
function M.keys(buf)
  local rows, width = {}, 0
  for _, map in ipairs(vim.api.nvim_buf_get_keymap(buf, 'n')) do
    if map.desc then
      rows[#rows + 1] = { map.lhs, map.desc }
      width = math.max(width, vim.fn.strdisplaywidth(map.lhs))
    end
  end
  table.sort(rows, function(a, b)
    return a[2] < b[2]
  end)
  local lines = {}
  for _, row in ipairs(rows) do
    lines[#lines + 1] = ' '
      .. row[1]
      .. (' '):rep(width - vim.fn.strdisplaywidth(row[1]) + 2)
      .. row[2]
      .. ' '
  end
  require('codebot.float').open(lines, { title = require('codebot.text')('Keys') })
end

return M
