std = 'luajit'
globals = { 'vim' }
max_line_length = false
-- The messages' types: generated, and named for the editor's language server only.
exclude_files = { 'lua/codebot/protocol_gen.lua' }
