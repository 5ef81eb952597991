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
  vim.keymap.set('n', ('<Plug>(codebot-%s)'):format(name), ('<Cmd>Codebot %s<CR>'):format(name))
end
for _, name in ipairs({ 'explain', 'fix' }) do
  vim.keymap.set({ 'n', 'x' }, ('<Plug>(codebot-%s)'):format(name), (':Codebot %s<CR>'):format(name))
end
-- A typed prompt follows; in visual mode the command line has the range by itself.
vim.keymap.set({ 'n', 'x' }, '<Plug>(codebot-ask)', ':Codebot ask ')
vim.keymap.set({ 'n', 'x' }, '<Plug>(codebot-rewrite)', ':Codebot rewrite ')
vim.keymap.set('n', '<Plug>(codebot-steer)', ':Codebot steer ')
