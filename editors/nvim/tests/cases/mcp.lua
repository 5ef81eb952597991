local h = require('harness')

--- Waits until the current buffer has a text.
local function showing(child, text)
  return child:wait(
    'the text ' .. text,
    [[
    local all = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
    return all:find((...), 1, true) and all
  ]],
    text
  )
end

local function on_line(child, text)
  child:lua(
    [[
    for row, line in ipairs(vim.api.nvim_buf_get_lines(0, 0, -1, false)) do
      if line:find((...), 1, true) then return vim.api.nvim_win_set_cursor(0, { row, 0 }) end
    end
    error('no line with ' .. (...))
  ]],
    text
  )
end

return {
  {
    'the window shows the servers live and its keys stop and start them',
    function()
      local w = h.world():user({ docs = h.demo('docs'), broken = { command = 'no-such-program-here' } })
      local child = w:nvim()
      child:cmd('Codebot mcp')
      child:state('docs', 'connected')
      child:state('broken', 'failed')
      local text = showing(child, 'docs')
      h.has(text, '1 connected, 1 failed, 2 tools')
      h.has(text, 'no-such-program-here')
      on_line(child, 'docs')
      child:keys('x')
      child:state('docs', 'stopped')
      showing(child, 'stopped')
      -- The cursor is still on its server.
      h.has(child:lua('return vim.api.nvim_get_current_line()'), 'docs')
      child:keys('s')
      child:state('docs', 'connected')
      showing(child, '1 connected, 1 failed')
      child:wait('the status', "return require('codebot').statusline() == 'codebot 1/2 !'")
      h.same(child:lua('return vim.g.codebot_status.tools'), 2)
      child:cmd('Codebot mcp docs stop')
      child:state('docs', 'stopped')
    end,
  },
  {
    'tools are listed and called by hand',
    function()
      local child = h.world():user({ docs = h.demo('docs') }):nvim()
      child:cmd('Codebot mcp')
      child:state('docs', 'connected')
      child:cmd('Codebot mcp docs tools')
      local text = showing(child, 'search')
      h.has(text, 'mcp__docs__search')
      on_line(child, 'search')
      child:keys('<CR>')
      showing(child, '"query": ""')
      child:lua([[vim.api.nvim_buf_set_lines(0, 0, -1, false, { '{"query": "worktree"}' })]])
      child:cmd('write')
      showing(child, "[docs] Found 3 results for 'worktree'")
      child:cmd('Codebot mcp docs log')
      child:wait('the log', "return vim.bo.filetype == 'codebot-log'")
    end,
  },
  {
    'a project server runs only after its exact command was shown and approved',
    function()
      local entry = h.demo('docs')
      entry.trust_annotations = nil
      local w = h.world():project({ mine = entry })
      local child = w:nvim()
      child:cmd('Codebot mcp')
      child:state('mine', 'untrusted')
      showing(child, 'not approved')
      child:told('the project wants to run mine; :Codebot trust shows what')
      child:cmd('Codebot trust')
      child:wait('the question', "return vim.bo.filetype == 'codebot-float'")
      local text = showing(child, 'It would run')
      h.has(text, '    ' .. h.server .. '\n    mcp\n    demo\n    docs\n')
      -- Not now: nothing runs.
      child:keys('q')
      child:wait('the window behind', "return vim.bo.filetype == 'codebot-mcp'")
      child:state('mine', 'untrusted')
      on_line(child, 'mine')
      child:keys('a')
      child:wait('the question', "return vim.bo.filetype == 'codebot-float'")
      -- The entry changes while the question is open: y approves nothing, and the new
      -- entry is shown.
      entry.env = { DEBUG = '1' }
      w:project({ mine = entry })
      child:wait(
        'the changed entry',
        [[
        local row = require('codebot.mcp').named('mine')[1]
        return row.consent and vim.tbl_contains(row.consent.envNames, 'DEBUG')
      ]]
      )
      child:keys('y')
      child:wait(
        'the new question',
        [[
        return vim.bo.filetype == 'codebot-float'
          and table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false)):find('DEBUG', 1, true)
      ]]
      )
      child:state('mine', 'untrusted')
      child:keys('y')
      child:state('mine', 'connected')
      child:cmd('Codebot mcp mine revoke')
      child:state('mine', 'untrusted')
    end,
  },
  {
    'a bad settings file is marked in its buffer and mended by saving it',
    function()
      local w = h.world():user({ docs = h.demo('docs') })
      local child = w:nvim()
      child:ready('docs')
      child:cmd('Codebot settings')
      child:wait('the file', "return vim.fn.expand('%:t') == 'settings.json'")
      local good = child:lines()
      child:lua(
        [[vim.api.nvim_buf_set_lines(0, 0, -1, false, { '{', '  "mcp_servers": {', '    "docs": 7', '' })]]
      )
      child:cmd('silent write')
      child:wait('the diagnostic', 'return #vim.diagnostic.get(0) > 0')
      child:wait('the status', "return vim.g.codebot_status.health == 'error'")
      -- The last good content holds.
      child:state('docs', 'connected')
      child:lua('vim.api.nvim_buf_set_lines(0, 0, -1, false, (...))', good)
      child:cmd('silent write')
      child:wait('the mended file', 'return #vim.diagnostic.get(0) == 0')
      child:wait('the status', "return vim.g.codebot_status.health == 'ok'")
    end,
  },
  {
    'a key opens the entry in the settings at its line',
    function()
      local w = h.world()
      h.write(
        w.settings_home .. '/settings.json',
        '{\n  // mine\n  "mcp_servers": {\n    "a": {"command": "true"},\n    "b": {"command": "true"}\n  }\n}\n'
      )
      local child = w:nvim()
      child:cmd('Codebot mcp')
      showing(child, 'b ')
      on_line(child, ' b ')
      child:keys('o')
      child:wait('the line', "return vim.fn.expand('%:t') == 'settings.json' and vim.fn.line('.') == 5")
    end,
  },
  {
    'a gap in the revisions asks for the whole picture',
    function()
      local child = h.world():user({ docs = h.demo('docs') }):nvim()
      child:ready('docs')
      child:wait('the revision', 'return vim.g.codebot_status ~= nil')
      child:lua([[
        require('codebot.mcp').on_change({ revision = 1000, totals = { connected = 9, failed = 9, tools = 9 },
          servers = {}, removed = { { name = 'docs' } } })
      ]])
      child:wait('the picture', "return require('codebot.mcp').totals().connected == 1")
      child:state('docs', 'connected')
      -- And what comes after it is taken as usual.
      child:cmd('Codebot mcp docs stop')
      child:state('docs', 'stopped')
    end,
  },
  {
    'hostile output is shown as text and does nothing',
    function()
      local w = h.world():user({ hostile = h.lua_server('hostile') })
      local child = w:nvim()
      child:ready('hostile')
      child:lua(
        "require('codebot.chat.question').guard_ms = 0; vim.go.modeline, vim.go.modelineexpr = true, true"
      )
      child:cmd('Codebot ask Use hostile poison to return poison.')
      child:see('hostile › poison')
      child:wait(
        'the question',
        "return #require('codebot.session').questions(require('codebot.session').current()) == 1"
      )
      child:lua([[
        local sessions = require('codebot.session')
        sessions.answer(sessions.current(), sessions.questions(sessions.current())[1], 'allow_once')
      ]])
      child:settled()
      local chat = child:see('command:codebot.request')
      h.lacks(chat, '\27')
      h.lacks(chat, '\226\128\174')
      child:screen()
      child:cmd('Codebot mcp hostile tools')
      showing(child, 'poison  ')
      on_line(child, 'poison  ')
      child:keys('<CR>')
      showing(child, '{}')
      child:cmd('write')
      local result = showing(child, 'vim: set')
      h.lacks(result, '\27')
      child:cmd('Codebot sessions')
      child:screen()
      h.same(child:lua('return vim.g.owned == nil'), true)
      for _, option in ipairs({ 'foldexpr' }) do
        h.lacks(child:lua('return vim.wo[(...)]', option), 'owned')
      end
      h.same(
        child:lua([[
        for _, buf in ipairs(vim.api.nvim_list_bufs()) do
          if vim.bo[buf].filetype:find('^codebot') and vim.bo[buf].modeline then return vim.api.nvim_buf_get_name(buf) end
        end
        return ''
      ]]),
        ''
      )
    end,
  },
  {
    'ten hostile outputs are shown as text, and nothing of them is asked for or done',
    function()
      local names =
        { 'ansi', 'bidi', 'fence', 'invisible', 'keys', 'link', 'modeline', 'osc', 'picture', 'script' }
      local replies = {}
      for _, name in ipairs(names) do
        table.insert(replies, { tool = 'mcp__hostile__' .. name, args = vim.empty_dict() })
      end
      table.insert(
        replies,
        { text = 'All called. ![again](SINK/answer.png) [x](command:quit) \27]52;c;b3duZWQ=\7' }
      )
      local sink = h.sink()
      replies[#replies].text = replies[#replies].text:gsub('SINK', sink.url)
      local server = h.lua_server('hostile')
      server.env.SINK = sink.url
      local w = h.world()
      w:model(replies, { hostile = server })
      local child = w:nvim()
      child:ready('hostile')
      child:lua([[
        vim.go.modeline, vim.go.modelineexpr, vim.go.title, vim.go.clipboard = true, true, true, 'unnamedplus'
        opened = {}
        vim.ui.open = function(url) table.insert(opened, url) end
      ]])
      child:cmd('Codebot mode auto')
      child:wait('the mode', "return require('codebot.session').current().mode == 'auto'")
      child:cmd('Codebot ask call them all')
      child:see('All called.')
      child:settled()
      local chat = child:chat()
      for _, name in ipairs(names) do
        h.has(chat, '✓ hostile › ' .. name)
      end
      -- It is all there to be read, less what cannot be seen.
      for _, words in ipairs({
        '<script src=',
        'command:codebot.request',
        'picture.png',
        'javascript:alert',
        'abcd',
      }) do
        h.has(chat, words)
      end
      for _, bad in ipairs({ '\27', '\7', '\155', '\226\128\174', '\226\129\166', '\226\128\139', '\243\160' }) do
        h.lacks(chat, bad)
      end
      -- Open every fold, walk over every line as a person who looks at all of it does.
      child:cmd('Codebot chat')
      child:lua([[
        local view = require('codebot.chat.view').of(require('codebot.session').current())
        local win = vim.fn.win_findbuf(view.buf)[1]
        vim.api.nvim_set_current_win(win)
        vim.cmd('silent! normal! zR')
        for row = 1, vim.api.nvim_buf_line_count(view.buf) do
          vim.api.nvim_win_set_cursor(win, { row, 0 })
          vim.cmd.redraw()
        end
      ]])
      local screen = child:screen()
      h.lacks(screen, '\27')
      h.same(child:lua('return vim.g.owned == nil'), true)
      h.same(child:lua('return opened'), {})
      h.lacks(child:lua("return vim.inspect(vim.fn.getreginfo('+')) .. vim.go.titlestring"), 'owned')
      for _, option in ipairs({ 'foldexpr', 'foldmethod' }) do
        h.lacks(child:lua('return vim.wo[(...)]', option), 'expr')
      end
      -- The fences hold: nothing of an output is a part of the chat.
      for name in chat:gmatch('hostile › (%w+)') do
        assert(vim.tbl_contains(names, name), name .. ' is none of ours')
      end
      h.same(sink.requests, {})
    end,
  },
}
