--- :checkhealth codebot. It runs the program and says what to do.
local t = require('codebot.text')
local clean = require('codebot.clean')

local M = {}

--- How long the check waits for the server and for a server of its, in ms.
local patience = 5000

local function config()
  vim.health.start('codebot: ' .. t('options'))
  local _, problems = require('codebot.config').resolve(vim.g.codebot)
  for _, problem in ipairs(problems) do
    vim.health.error(problem, t('mend it in your configuration; :help codebot-options lists what there is'))
  end
  if #problems == 0 then
    vim.health.ok(t('vim.g.codebot is fine'))
  end
end

local function editor()
  vim.health.start('codebot: Neovim')
  if vim.fn.has('nvim-0.10') == 1 then
    vim.health.ok('Neovim ' .. tostring(vim.version()))
  else
    local where = 'https://github.com/neovim/neovim/releases'
    vim.health.error(t('Neovim is older than 0.10'), t('install a newer one: %s', where))
  end
  if pcall(vim.treesitter.language.inspect, 'markdown') then
    vim.health.ok(t('the Markdown parser is there'))
  else
    vim.health.warn(
      t('there is no Markdown parser: the chat has no colours'),
      t('install one, for instance by :TSInstall markdown')
    )
  end
end

---@return boolean
local function program()
  vim.health.start('codebot: ' .. t('the server'))
  local cmd, file = require('codebot.client').command()
  if not cmd then
    vim.health.error(t('there is no program %s', file), {
      t('run make build in the repository and put bin/codebot-ls on PATH'),
      t('or name it: %s', 'vim.g.codebot = { cmd = { "/path/to/codebot-ls", "serve", "--stdio" } }'),
    })
    return false
  end
  local ok, done = pcall(function()
    return vim.system({ cmd[1], 'version' }, { text = true, timeout = patience }):wait()
  end)
  if not ok or done.code ~= 0 then
    local why = ok and vim.trim(done.stderr or '') or tostring(done)
    vim.health.error(t('%s version failed: %s', cmd[1], clean.line(why)), t('build it again by make build'))
    return false
  end
  vim.health.ok(('%s: %s'):format(vim.fn.exepath(cmd[1]), clean.line(done.stdout)))
  return true
end

--- Whether server and plug-in speak the same protocol.
local function protocol()
  local ours = require('codebot.protocol_gen')
  local client = vim.lsp.get_clients({ name = require('codebot.client').name })[1]
  local theirs = client and vim.tbl_get(client.server_capabilities, 'experimental', 'codebot') or {}
  if theirs.protocolVersion == ours.protocol_version then
    return vim.health.ok(t('both speak protocol version %d', ours.protocol_version))
  end
  vim.health.error(
    t(
      'the server speaks protocol version %s, the plug-in %d',
      tostring(theirs.protocolVersion),
      ours.protocol_version
    ),
    t('bring both to the same release')
  )
end

local function settings()
  vim.health.start('codebot: ' .. t('settings files'))
  for _, which in ipairs({ 'user', 'project' }) do
    local path = require('codebot.settings').path(which)
    if vim.fn.filereadable(path) == 0 then
      vim.health.info(t('%s is not there; :Codebot settings %s starts it', path, which))
    else
      local buf = vim.fn.bufnr(path)
      local found = buf ~= -1 and vim.diagnostic.get(buf) or {}
      for _, d in ipairs(found) do
        local where = ('%s:%d:%d'):format(path, d.lnum + 1, d.col + 1)
        vim.health.warn(where .. ' ' .. clean.line(d.message), t(':Codebot settings %s opens it', which))
      end
      if #found == 0 then
        vim.health.ok(path)
      end
    end
  end
end

--- What to do about a server in a state; nil where nothing is to do.
---@param row codebot.MCPServer
---@return string[]|nil
local function advice(row)
  local name = clean.line(row.name)
  if row.state == 'untrusted' then
    return { t(':Codebot mcp %s approve shows what it would run and lets you approve it', name) }
  elseif vim.tbl_contains({ 'failed', 'degraded', 'reconnecting', 'needs_auth' }, row.state) then
    local lines = {}
    if row.error and row.error.hint then
      lines[1] = clean.line(row.error.hint)
    end
    lines[#lines + 1] = t(':Codebot mcp %s log shows its log', name)
    lines[#lines + 1] = t(':Codebot mcp %s restart tries again', name)
    return lines
  end
end

---@param up boolean
local function servers(up)
  vim.health.start('codebot: ' .. t('MCP servers'))
  local mcp = require('codebot.mcp')
  if not up then
    return vim.health.info(t('not asked, for the server does not run'))
  end
  vim.wait(patience, function()
    for _, row in ipairs(mcp.rows()) do
      if row.state == 'starting' then
        return false
      end
    end
    return true
  end, 50)
  local rows = mcp.rows()
  for _, row in ipairs(rows) do
    local text = ('%s: %s, %s'):format(
      clean.line(row.name),
      row.state,
      t.count('1 tool', '%d tools', row.toolCount)
    )
    if row.error then
      text = text .. ': ' .. clean.line(row.error.message)
    end
    local what = advice(row)
    if row.state == 'failed' then
      vim.health.error(text, what)
    elseif what then
      vim.health.warn(text, what)
    elseif row.state == 'connected' then
      vim.health.ok(text)
    else
      vim.health.info(text)
    end
  end
  if #rows == 0 then
    vim.health.info(t('none is configured; :Codebot settings opens the file for it'))
  end
end

local function others()
  vim.health.start('codebot: ' .. t('other plug-ins'))
  local integrations = require('codebot.integrations')
  for _, other in ipairs(integrations.known) do
    if integrations.has(other.module) then
      vim.health.ok(other.name .. ': ' .. t(other.use))
    end
  end
  vim.health.info(t('none is needed; :help codebot-others has what goes with which'))
end

function M.check()
  config()
  editor()
  local up = false
  if program() then
    local answered, why = false, nil
    require('codebot.mcp').refresh(function(err)
      answered, why = true, err
    end)
    vim.wait(patience, function()
      return answered
    end, 20)
    up = answered and not why
    if up then
      vim.health.ok(t('it answers'))
      protocol()
    else
      local text = why and require('codebot.client').error_text(why) or t('it does not answer')
      vim.health.error(text, t(':Codebot log has what it said; :Codebot restart tries again'))
    end
  end
  settings()
  servers(up)
  others()
end

return M
