--- What a person reads, in that person's language. The English text stands where it
--- is used and is the key of its translation, as with gettext.
local M = {}

--- The language of the texts, as LSP's initialize wants it: "en" or "zh-CN".
---@return string
function M.locale()
  local locale = require('codebot.config').get().locale or vim.v.lang or ''
  return locale:lower():find('^zh') and 'zh-CN' or 'en'
end

--- A text in the person's language, formatted.
---@param english string
---@return string
function M.get(english, ...)
  local text = english
  if M.locale() == 'zh-CN' then
    text = require('codebot.text_zh')[english] or english
  end
  if select('#', ...) == 0 then
    return text
  end
  return text:format(...)
end

--- A text with a number, which English says in two ways.
---@param one string
---@param many string with %d
---@param n integer
---@return string
function M.count(one, many, n)
  return M.get(n == 1 and one or many, n)
end

return setmetatable(M, {
  __call = function(_, ...)
    return M.get(...)
  end,
})
