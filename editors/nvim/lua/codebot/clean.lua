--- Text from models, tools and servers, made fit for a buffer. The server has cleaned
--- it already; this holds also for a server of another make.
local M = {}

--- Reports whether a person cannot see the character, or a terminal would obey it.
--- Joiners and emoji selectors stay: scripts need them.
---@param c integer
local function invisible(c)
  return c < 0x20 and c ~= 0x0a and c ~= 0x09
    or c >= 0x7f and c <= 0x9f
    or c == 0xad
    or c == 0x34f
    or c == 0x61c
    or c == 0x115f
    or c == 0x1160
    or c >= 0x180b and c <= 0x180f
    or c == 0x200b
    or c == 0x200e
    or c == 0x200f
    or c >= 0x202a and c <= 0x202e
    or c >= 0x2060 and c <= 0x206f
    or c == 0x3164
    or c == 0xfeff
    or c == 0xffa0
    or c >= 0xfff9 and c <= 0xfffb
    or c >= 0xe0000 and c <= 0xe0fff
end

local utf8 = '[%z\1-\127\194-\244][\128-\191]*'

--- The number of a character in UTF-8; nil for what is none.
---@param char string
---@return integer|nil
local function number(char)
  local b = char:byte()
  local want = b < 0x80 and 1 or b < 0xe0 and 2 or b < 0xf0 and 3 or 4
  if #char ~= want then
    return nil
  end
  local n = want == 1 and b or b % (2 ^ (7 - want))
  for i = 2, want do
    n = n * 64 + char:byte(i) % 64
  end
  return n
end

---@param s string
---@param replace fun(c: integer): string what stands for an invisible character
local function walk(s, replace)
  if not s:find('[^\t\n\32-\126]') then
    return s
  end
  s = s:gsub('\r\n', '\n'):gsub('\226\128[\168\169]', '\n') -- U+2028 and U+2029 break lines
  return (
    s:gsub(utf8, function(char)
      local c = number(char)
      if not c then
        return '?'
      end
      return invisible(c) and replace(c) or nil
    end)
  )
end

--- Drops what cannot be seen, and a terminal's colours whole; newlines and tabs stay.
---@param s string
function M.text(s)
  local plain = s:gsub('\27%[[0-?]*[ -/]*[@-~]', '')
  return walk(plain, function()
    return ''
  end)
end

--- Writes what cannot be seen as \u{...}: where a person decides on a text, nothing
--- in it may hide.
---@param s string
function M.visible(s)
  return walk(s, function(c)
    return ('\\u{%x}'):format(c)
  end)
end

--- One line: each run of white space becomes a space.
---@param s string
function M.line(s)
  return vim.trim((M.text(s):gsub('%s+', ' ')))
end

--- The lines of a text, cleaned.
---@param s string
---@return string[]
function M.lines(s)
  return vim.split(M.text(s), '\n', { plain = true })
end

return M
