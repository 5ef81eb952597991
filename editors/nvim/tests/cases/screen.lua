-- What a person sees, as text. CODEBOT_UPDATE=1 writes the files in tests/golden anew;
-- look at the difference before you keep it.
local h = require('harness')

--- Compares the screen with a golden file.
local function golden(child, name)
  local path = h.plugin .. '/tests/golden/' .. name .. '.txt'
  local screen = child:screen() .. '\n'
  if vim.env.CODEBOT_UPDATE == '1' then
    h.write(path, screen)
  end
  local want = h.read(path) or ''
  if screen ~= want then
    error(('the screen is not %s:\n%s\nwant\n%s'):format(name, screen, want), 0)
  end
end

--- A chat with one of everything, told as the server would.
local fill = [[
  local sessions = require('codebot.session')
  local session = sessions.current()
  session.model = 'offline'
  local function update(u)
    sessions.on_update({ sessionId = session.id, update = u })
  end
  local function text(s) return { type = 'text', text = s } end
  session.running, session.prompted = true, true
  update({ sessionUpdate = 'session_info_update', title = '100% %{owned} 中文标题' })
  update({ sessionUpdate = 'user_message_chunk', content = text('Why is the build red?\n构建为什么失败了？') })
  update({ sessionUpdate = 'agent_thought_chunk', content = text('First look at the log.\nThen at the code.') })
  update({ sessionUpdate = 'plan', entries = {
    { content = 'Read the log', priority = 'high', status = 'completed' },
    { content = '修复测试', priority = 'high', status = 'in_progress' } } })
  update({ sessionUpdate = 'tool_call', toolCallId = 'c1', title = 'read build.log', kind = 'read', status = 'in_progress',
    rawInput = { path = 'build.log' } })
  update({ sessionUpdate = 'tool_call_update', toolCallId = 'c1', status = 'completed',
    content = { { type = 'content', content = text('line 1\nline 2') } } })
  update({ sessionUpdate = 'tool_call', toolCallId = 'c2', title = 'search', kind = 'other', status = 'failed',
    rawInput = { query = '构建 失败' }, _meta = { codebot = { tool = 'mcp__docs__search', server = 'docs', original = 'search' } } })
  update({ sessionUpdate = 'agent_message_chunk', content = text('The test `TestX` is **wrong**:\n\n```go\nfunc x()') })
  coroutine.wrap(function()
    sessions.on_question({ sessionId = session.id, options = {}, toolCall = {
      toolCallId = 'c3', title = 'edit x.go', kind = 'edit', status = 'pending', rawInput = { path = 'x.go' },
      content = { { type = 'diff', path = '/shop/x.go', oldText = 'a\nb\n', newText = 'a\nc\n' } },
      _meta = { codebot = { tool = 'edit' } } } })
  end)()
]]

local function prepare(child)
  child:lua([[
    vim.o.laststatus, vim.o.ruler, vim.o.showcmd, vim.o.showmode = 3, false, false, false
    vim.o.fillchars = 'vert:|,horiz:-,horizup:+,horizdown:+,vertleft:+,vertright:+,verthoriz:+,eob: ,fold: '
    vim.o.statusline = "%{%v:lua.require'codebot'.statusline()%}"
  ]])
end

local cases = {}
for _, locale in ipairs({ 'en', 'zh-CN' }) do
  table.insert(cases, {
    'the chat in ' .. locale,
    function()
      local w = h.world():user({})
      local child = w:nvim({ options = { locale = locale, window = { size = 62 } }, size = { 100, 46 } })
      prepare(child)
      child:ready()
      child:wait('the status', 'return vim.g.codebot_status ~= nil')
      child:lua(fill)
      child:wait('the question', "return vim.tbl_contains(events, 'CodebotPermission')")
      child:chat()
      -- The name of the mode is the server's own text.
      child:lua([[
        local session = require('codebot.session').current()
        session.modes = { { id = session.mode, name = 'MODE' } }
        require('codebot.session').on_update({ sessionId = session.id,
          update = { sessionUpdate = 'usage_update', used = 250, size = 1000 } })
        vim.g.codebot_status = { text = 'codebot 0/0', health = 'ok', busy = true }
      ]])
      golden(child, 'chat.' .. locale)
    end,
  })
  table.insert(cases, {
    'the MCP window in ' .. locale,
    function()
      local w = h.world():user({})
      local child = w:nvim({ options = { locale = locale }, size = { 110, 30 } })
      prepare(child)
      child:ready()
      child:wait('the status', 'return vim.g.codebot_status ~= nil')
      child:cmd('Codebot toggle')
      child:cmd('Codebot mcp')
      child:wait('the window', "return vim.bo.filetype == 'codebot-mcp'")
      child:lua([[
        local status = { revision = nil }
        require('codebot.client').request(require('codebot.protocol_gen').methods.mcp_status, nil, function(_, r) status = r end)
        vim.wait(5000, function() return status.revision ~= nil end, 5)
        local home = 'file:///home/me/.codebot/settings.json'
        local function row(name, state, more)
          return vim.tbl_extend('force', { name = name, state = state, scope = 'user', source = home, transport = 'stdio',
            toolCount = 0, promptCount = 0, resourceCount = 0, since = '2026-01-01T00:00:00Z' }, more or {})
        end
        require('codebot.mcp').on_change({
          revision = status.revision + 1, removed = {}, totals = { connected = 2, failed = 1, tools = 14 },
          servers = {
            row('docs', 'connected', { toolCount = 2 }),
            row('文档搜索', 'connected', { toolCount = 12, transport = 'http' }),
            row('broken', 'failed', { error = { code = 'exited', message = 'it exited with code 1', exitCode = 1,
              hint = 'Set TOKEN.', stderrTail = 'no TOKEN\n' } }),
            row('theirs', 'untrusted', { folder = 'file:///proj/shop', scope = 'project',
              source = 'file:///proj/shop/.codebot/settings.json', shadows = home,
              consent = { hash = 'h', argv = { 'npx', '-y', 'x' }, cwd = '/proj/shop', envNames = {}, variables = {} } }),
          },
        })
        vim.g.codebot_status = { text = 'codebot 2/4', health = 'warning', busy = false }
      ]])
      golden(child, 'mcp.' .. locale)
      child:cmd('Codebot mcp theirs approve')
    end,
  })
end
return cases
