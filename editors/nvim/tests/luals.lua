-- Checks the types of the plug-in's Lua: nvim -l tests/luals.lua PROGRAM, where PROGRAM is
-- lua-language-server. Neovim's own annotations come from the Neovim that runs this.
local here = vim.fs.dirname(vim.fs.normalize(vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p')))
local plugin = vim.fs.dirname(here)
local program = _G.arg[1] or 'lua-language-server'

local dir = vim.fn.tempname()
vim.fn.mkdir(dir, 'p')
local config = dir .. '/luarc.json'
local file = assert(io.open(config, 'w'))
file:write(vim.json.encode({
  runtime = { version = 'LuaJIT', path = { 'lua/?.lua', 'lua/?/init.lua' }, pathStrict = true },
  workspace = { library = { vim.env.VIMRUNTIME .. '/lua' }, checkThirdParty = false },
  diagnostics = { unusedLocalExclude = { '_*' } },
}))
file:close()

local done = vim
  .system({
    program,
    '--check=' .. plugin .. '/lua',
    '--configpath=' .. config,
    '--checklevel=Warning',
    '--check_format=json',
    '--check_out_path=' .. dir .. '/check.json',
    '--logpath=' .. dir .. '/log',
    '--metapath=' .. dir .. '/meta',
  }, { text = true })
  :wait(300000)

local function read(path)
  local handle = io.open(path)
  local text = handle and handle:read('*a') or ''
  if handle then
    handle:close()
  end
  return text
end

local ok, found = pcall(vim.json.decode, read(dir .. '/check.json'))
local n = 0
for uri, problems in vim.spairs(ok and found or {}) do
  for _, problem in ipairs(problems) do
    n = n + 1
    io.stdout:write(
      ('%s:%d: %s [%s]\n'):format(
        vim.uri_to_fname(uri):sub(#plugin + 2),
        problem.range.start.line + 1,
        (problem.message:gsub('\n', ' ')),
        problem.code
      )
    )
  end
end
-- Without a report it must have said that there is nothing.
local clean = done.stdout:find('no problems found', 1, true) or (ok and n == 0)
if n > 0 or not clean then
  io.stdout:write(n == 0 and done.stdout .. done.stderr or '', ('%d problems\n'):format(n))
end
os.exit(clean and n == 0 and 0 or 1)
