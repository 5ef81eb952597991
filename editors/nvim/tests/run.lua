-- Runs the tests of the plug-in: nvim -l tests/run.lua [PATTERN]
--
-- CODEBOT_LS names the server's program (default: bin/codebot-ls of this
-- repository). The Neovim that runs this is the one that is tested. Prints a line
-- for each case and at the end "N passed, N failed".
local here = vim.fs.dirname(vim.fs.normalize(vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p')))
local plugin = vim.fs.dirname(here)
package.path = here .. '/?.lua;' .. package.path
vim.opt.runtimepath:prepend(plugin)

local harness = require('harness')
harness.plugin = plugin
harness.server = vim.env.CODEBOT_LS or vim.fs.dirname(vim.fs.dirname(plugin)) .. '/bin/codebot-ls'
if vim.fn.executable(harness.server) == 0 then
  io.stderr:write(('there is no %s: run make build first\n'):format(harness.server))
  os.exit(2)
end

local function say(text, ...)
  io.stdout:write(text:format(...), '\n')
  io.stdout:flush()
end

local pattern = _G.arg[1]
local passed, failed = 0, 0
local files = {}
for name in vim.fs.dir(here .. '/cases') do
  files[#files + 1] = name
end
table.sort(files)
for _, file in ipairs(files) do
  local cases = dofile(here .. '/cases/' .. file)
  local lacks = cases.needs and vim.fn.executable(cases.needs) == 0 and cases.needs
  for _, case in ipairs(cases) do
    local name = file:gsub('%.lua$', '') .. ': ' .. case[1]
    local wanted = not pattern or name:find(pattern, 1, true)
    if wanted and lacks then
      say('skip %s: %s is not on PATH', name, lacks)
    elseif wanted then
      local begun = vim.uv.hrtime()
      local ok, err = xpcall(case[2], function(e)
        return type(e) == 'string' and debug.traceback(e, 2) or vim.inspect(e)
      end)
      local errors = ok and harness.errors()
      if errors then
        ok, err = false, errors
      end
      local report = harness.clean_up(not ok)
      local ms = math.floor((vim.uv.hrtime() - begun) / 1e6)
      if ok then
        passed = passed + 1
        say('ok %s (%d ms)', name, ms)
      else
        failed = failed + 1
        say('not ok %s (%d ms)\n%s\n%s', name, ms, err, report)
      end
    end
  end
end
say('%d passed, %d failed', passed, failed)
os.exit((failed > 0 or passed == 0) and 1 or 0)
