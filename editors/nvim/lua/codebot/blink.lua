-- A provider for blink.cmp, which completes / and @ in the prompt:
--   sources = { per_filetype = { ['codebot-prompt'] = { 'codebot' } },
--     providers = { codebot = { name = 'codebot', module = 'codebot.blink' } } }
local integrations = require('codebot.integrations')

---@class codebot.Blink
local M = {}
M.__index = M

function M.new()
  return setmetatable({}, M)
end

function M.enabled()
  return vim.bo.filetype == 'codebot-prompt'
end

function M.get_trigger_characters()
  return { '@', '/' }
end

---@param context {line: string, cursor: integer[]}
---@param callback fun(response: table)
function M.get_completions(_, context, callback)
  local row, column = context.cursor[1], context.cursor[2]
  local words, start = integrations.complete(context.line:sub(1, column), row)
  local items = integrations.lsp_items(words)
  for _, item in ipairs(items) do
    item.textEdit = {
      newText = item.insertText,
      range = {
        start = { line = row - 1, character = start },
        ['end'] = { line = row - 1, character = column },
      },
    }
  end
  callback({ items = items, is_incomplete_forward = true, is_incomplete_backward = true })
end

return M
