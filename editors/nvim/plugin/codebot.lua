-- The command and the <Plug> maps; everything else is loaded when it is used.
if vim.g.loaded_codebot then
  return
end
vim.g.loaded_codebot = true

vim.api.nvim_create_user_command('Codebot', function(args)
  require('codebot.command').run(args)
end, {
  nargs = '*',
  range = true,
  desc = 'Chat with codebot and look after its MCP servers',
  complete = function(lead, line, pos)
    return require('codebot.command').complete(lead, line, pos)
  end,
})

-- Not vim.keymap.set: at the start of Neovim that is another file to be read.
local map, plain = vim.api.nvim_set_keymap, { noremap = true }

for _, name in ipairs({
  'add',
  'chat',
  'compact',
  'context',
  'health',
  'import',
  'key',
  'log',
  'mcp',
  'mode',
  'model',
  'new',
  'prompts',
  'resources',
  'restart',
  'retry',
  'sessions',
  'settings',
  'stop',
  'toggle',
  'trust',
  'undo',
}) do
  map('n', '<Plug>(codebot-' .. name .. ')', '<Cmd>Codebot ' .. name .. '<CR>', plain)
end
-- In visual mode the command line has the range by itself.
for _, name in ipairs({ 'explain', 'fix' }) do
  map('n', '<Plug>(codebot-' .. name .. ')', ':Codebot ' .. name .. '<CR>', plain)
  map('x', '<Plug>(codebot-' .. name .. ')', ':Codebot ' .. name .. '<CR>', plain)
end
-- A typed prompt follows.
map('n', '<Plug>(codebot-ask)', ':Codebot ask ', plain)
map('x', '<Plug>(codebot-ask)', ':Codebot ask ', plain)
map('n', '<Plug>(codebot-rewrite)', ':Codebot rewrite ', plain)
map('x', '<Plug>(codebot-rewrite)', ':Codebot rewrite ', plain)
map('n', '<Plug>(codebot-steer)', ':Codebot steer ', plain)
