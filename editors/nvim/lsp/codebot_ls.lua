-- For vim.lsp.config and vim.lsp.enable('codebot_ls') of Neovim 0.11 and newer.
return require('codebot.client').config()
