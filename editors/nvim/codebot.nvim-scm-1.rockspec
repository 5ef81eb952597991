-- For LuaRocks and rocks.nvim. The modules are what is below lua/.
rockspec_format = '3.0'
package = 'codebot.nvim'
version = 'scm-1'
source = {
  url = 'git+https://github.com/codebot-ls/codebot-ls.git',
  dir = 'codebot-ls/editors/nvim',
}
description = {
  summary = 'A coding agent with MCP servers, in Neovim',
  homepage = 'https://github.com/codebot-ls/codebot-ls',
  license = 'MIT',
  labels = { 'neovim' },
}
dependencies = { 'lua >= 5.1' }
build = {
  type = 'builtin',
  copy_directories = { 'doc', 'lsp', 'plugin', 'schemas' },
}
