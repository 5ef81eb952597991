--- Other plug-ins that make this one nicer. Each part is used by the other plug-in or by
--- a line of its configuration; nothing here loads them.
local M = {}

---@class codebot.Integration
---@field name string
---@field module string by which its presence is known
---@field use string what it does here; in English, the key of its translation

--- The plug-ins that are known, for :checkhealth.
---@type codebot.Integration[]
M.known = {
  { name = 'snacks.nvim', module = 'snacks', use = 'its picker and input are used through vim.ui' },
  { name = 'telescope.nvim', module = 'telescope', use = ':Telescope codebot lists sessions' },
  { name = 'fzf-lua', module = 'fzf-lua', use = 'register_ui_select() makes it the picker' },
  { name = 'nvim-cmp', module = 'cmp', use = 'its source codebot completes / and @ in the prompt' },
  {
    name = 'blink.cmp',
    module = 'blink.cmp',
    use = 'the provider codebot.blink completes / and @ in the prompt',
  },
  {
    name = 'render-markdown.nvim',
    module = 'render-markdown',
    use = 'with codebot among its file_types it draws the chat',
  },
  { name = 'lualine.nvim', module = 'lualine', use = 'the component codebot' },
  { name = 'heirline.nvim', module = 'heirline', use = 'the component codebot.heirline' },
  { name = 'plenary.nvim', module = 'plenary', use = 'not needed' },
}

--- Reports whether a module is on the runtime path, without loading it.
---@param module string
---@return boolean
function M.has(module)
  local path = module:gsub('%.', '/')
  for _, pattern in ipairs({ 'lua/%s.lua', 'lua/%s/init.lua' }) do
    if #vim.api.nvim_get_runtime_file(pattern:format(path), false) > 0 then
      return true
    end
  end
  return false
end

--- What completes the prompt, for a completion plug-in: words with what they are.
---@param line string the line up to the cursor
---@param row integer of the cursor, from 1
---@return {word: string, menu: string|nil}[] items
---@return integer|nil start byte column at which the word begins, from 0
function M.complete(line, row)
  local mention = require('codebot.chat.mention')
  local start = mention.start(line, row)
  if not start then
    return {}
  end
  return mention.words(line:sub(start + 1)), start
end

--- Registers the source of nvim-cmp. It completes in the prompt alone.
function M.cmp()
  local cmp = require('cmp')
  local source = {}
  function source.is_available()
    return vim.bo.filetype == 'codebot-prompt'
  end
  function source.get_trigger_characters()
    return { '@', '/' }
  end
  function source.get_keyword_pattern()
    return [[\%(@\S*\|^/\S*\)]]
  end
  function source.complete(_, params, callback)
    local context = params.context
    local items = M.complete(context.cursor_before_line, context.cursor.row)
    callback({ items = M.lsp_items(items), isIncomplete = true })
  end
  cmp.register_source('codebot', source)
  cmp.setup.filetype('codebot-prompt', { sources = { { name = 'codebot' } } })
end

--- The words as LSP's completion items.
---@param items {word: string, menu: string|nil}[]
function M.lsp_items(items)
  return vim.tbl_map(function(item)
    return { label = item.word, insertText = item.word, filterText = item.word, detail = item.menu, kind = 1 }
  end, items)
end

return M
