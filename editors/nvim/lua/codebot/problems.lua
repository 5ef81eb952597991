--- codebot/diagnostics: the problems that Neovim knows of, from whatever tells them.
local M = {}

local severities = { 'error', 'warning', 'information', 'hint' }

---@param params codebot.DiagnosticsParams
---@return codebot.DiagnosticsResult
function M.on_request(params)
  local wanted = params.uri and vim.fs.normalize(vim.uri_to_fname(params.uri))
  local by_buf, bufs = {}, {}
  for _, d in ipairs(vim.diagnostic.get()) do
    if not by_buf[d.bufnr] and vim.api.nvim_buf_is_valid(d.bufnr) then
      local name = vim.fs.normalize(vim.api.nvim_buf_get_name(d.bufnr))
      if name ~= '' and (not wanted or name == wanted or require('codebot.root').within(name, wanted)) then
        by_buf[d.bufnr] = {}
        bufs[#bufs + 1] = d.bufnr
      end
    end
    if by_buf[d.bufnr] then
      local line = vim.api.nvim_buf_get_lines(d.bufnr, d.lnum, d.lnum + 1, false)[1] or ''
      table.insert(by_buf[d.bufnr], {
        line = d.lnum + 1,
        column = M.utf16(line, d.col) + 1,
        severity = severities[d.severity] or 'error',
        message = d.message,
        source = d.source,
        code = d.code ~= nil and tostring(d.code) or nil,
      })
    end
  end
  table.sort(bufs)
  return {
    documents = vim.tbl_map(function(buf)
      return { uri = vim.uri_from_bufnr(buf), diagnostics = by_buf[buf] }
    end, bufs),
  }
end

--- A byte column of a line in UTF-16 units.
---@param line string
---@param col integer
function M.utf16(line, col)
  col = math.min(col, #line)
  if vim.fn.has('nvim-0.11') == 1 then
    return vim.str_utfindex(line, 'utf-16', col, false)
  end
  ---@diagnostic disable-next-line: param-type-mismatch -- as 0.10 has it
  return select(2, vim.str_utfindex(line, col))
end

return M
