-- An MCP server that answers nothing and does not end: not with its stdin, not by
-- SIGTERM.
vim.uv.new_signal():start('sigterm', function() end)
vim.wait(600000, function()
  return false
end, 1000)
