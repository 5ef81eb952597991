--- JSON for people.
local M = {}

---@param v any
local function scalar(v)
  if type(v) == 'number' and v % 1 == 0 and math.abs(v) < 2 ^ 53 then
    return ('%d'):format(v)
  end
  return (vim.json.encode(v):gsub('\\/', '/'))
end

--- The lines of a value with two spaces of indentation and sorted keys: the order of
--- the wire is lost in a Lua table, and a fixed one is easier to compare.
---@param value any
---@return string[]
function M.lines(value)
  local out = { '' }
  local function put(s)
    out[#out] = out[#out] .. s
  end
  local function walk(v, indent)
    if type(v) ~= 'table' then
      return put(scalar(v))
    end
    if next(v) == nil then
      return put(getmetatable(v) == getmetatable(vim.empty_dict()) and '{}' or '[]')
    end
    local inner = indent .. '  '
    local list = vim.islist(v)
    put(list and '[' or '{')
    local first = true
    local function item(key, child)
      put(first and '' or ',')
      first = false
      out[#out + 1] = inner .. (key and scalar(tostring(key)) .. ': ' or '')
      walk(child, inner)
    end
    if list then
      for _, child in ipairs(v) do
        item(nil, child)
      end
    else
      for key, child in vim.spairs(v) do
        item(key, child)
      end
    end
    out[#out + 1] = indent .. (list and ']' or '}')
  end
  walk(value, '')
  return out
end

--- The value on one line.
---@param value any
function M.line(value)
  return (
    table.concat(vim.tbl_map(vim.trim, M.lines(value)), ' '):gsub('([%[{]) ', '%1'):gsub(' ([%]}])', '%1')
  )
end

return M
