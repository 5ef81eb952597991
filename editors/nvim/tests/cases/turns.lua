-- Turns and what is in them: sub-agents, taking back, sending again, copies, edits.
local h = require('harness')

--- A child in a chat with a model that gives the replies.
local function talk(replies, opts)
  local w = h.world()
  local model = w:model(replies)
  local child = w:nvim(opts)
  child:ready()
  child:lua("require('codebot.chat.question').guard_ms = 0")
  return child, model, w
end

--- Puts the cursor of the chat on a line with this text and types keys.
local function on(child, text, keys)
  child:see(text)
  child:lua(
    [[
    local view = require('codebot.chat.view').of(require('codebot.session').current())
    vim.api.nvim_set_current_win(vim.fn.win_findbuf(view.buf)[1])
    for row, line in ipairs(vim.api.nvim_buf_get_lines(view.buf, 0, -1, false)) do
      if line:find((...), 1, true) then return vim.api.nvim_win_set_cursor(0, { row, 0 }) end
    end
  ]],
    text
  )
  child:keys(keys)
end

local update = [[
  local sessions = require('codebot.session')
  local session = sessions.current()
  local function update(u)
    sessions.on_update({ sessionId = session.id, update = u })
  end
  local function call(id, parent, more)
    return vim.tbl_extend('force', { sessionUpdate = 'tool_call', toolCallId = id, title = id, kind = 'other',
      status = 'in_progress', _meta = { codebot = { tool = id, parent = parent } } }, more or {})
  end
]]

--- Whether the line with a text is in a closed fold.
local closed = [[
  local view = require('codebot.chat.view').of(require('codebot.session').current())
  view:draw()
  local win = vim.fn.win_findbuf(view.buf)[1]
  for row, line in ipairs(vim.api.nvim_buf_get_lines(view.buf, 0, -1, false)) do
    if line:find((...), 1, true) then
      return vim.api.nvim_win_call(win, function() return vim.fn.foldclosed(row) end)
    end
  end
]]

return {
  {
    "a sub-agent's calls stand within the call that started it, also of two at once",
    function()
      local child = talk({})
      child:lua(update .. [[
        session.running = true
        update(call('task-a'))
        update(call('task-b'))
        update(call('read-1', 'task-a', { rawInput = { path = 'one' } }))
        update(call('grep-1', 'task-b', { rawInput = { pattern = 'x' } }))
        update(call('read-2', 'task-a'))
      ]])
      local chat = child:see('read-2')
      h.has(chat, '◐ task-a\n  ◐ read-1  {"path": "one"}')
      local order = {}
      for name in chat:gmatch('◐ ([%w-]+)') do
        order[#order + 1] = name
      end
      h.same(order, { 'task-a', 'read-1', 'read-2', 'task-b', 'grep-1' })
      -- Each tells for how long it runs.
      h.same(
        child:lua([[
        local view = require('codebot.chat.view').of(require('codebot.session').current())
        return #vim.api.nvim_buf_get_extmarks(view.buf, vim.api.nvim_get_namespaces().codebot_running, 0, -1, {})
      ]]),
        5
      )
      -- One that ends folds alone; when all of the task has ended it folds as a whole.
      child:lua(update .. [[
        update({ sessionUpdate = 'tool_call_update', toolCallId = 'read-1', status = 'completed',
          content = { { type = 'content', content = { type = 'text', text = 'in the file' } } } })
      ]])
      local fold = child:lua(closed, '✓ read-1')
      assert(fold > 0 and child:lua(closed, 'in the file') == fold, 'read-1 is not folded')
      h.same(child:lua(closed, '◐ task-a'), -1)
      -- A fold that a person opens stays open while the task goes on.
      child:lua(closed:gsub('foldclosed%(row%)', "execute(row .. 'foldopen')"), '✓ read-1')
      child:lua(update .. [[
        update({ sessionUpdate = 'tool_call_update', toolCallId = 'read-2', status = 'failed',
          content = { { type = 'content', content = { type = 'text', text = 'no such file' } } } })
      ]])
      h.same(child:lua(closed, 'in the file'), -1)
      assert(child:lua(closed, 'no such file') > 0, 'read-2 is not folded')
      child:lua(update .. [[
        update({ sessionUpdate = 'tool_call_update', toolCallId = 'task-a', status = 'completed',
          content = { { type = 'content', content = { type = 'text', text = 'the report' } } } })
      ]])
      local whole = child:lua(closed, '✓ task-a')
      h.same(child:lua(closed, 'the report'), whole)
      h.same(child:lua(closed, 'no such file'), whole)
      h.same(child:lua(closed, '◐ grep-1'), -1)
    end,
  },
  {
    "a question of a sub-agent's call is answered at its line",
    function()
      local child = talk({})
      child:lua(update .. [[
        session.running = true
        update(call('task-a'))
        coroutine.wrap(function()
          answer = sessions.on_question({ sessionId = session.id, options = {}, toolCall = {
            toolCallId = 'bash-1', title = 'bash rm', kind = 'execute', status = 'pending',
            _meta = { codebot = { tool = 'bash', parent = 'task-a' } } } })
        end)()
        update(call('task-b'))
      ]])
      child:wait('the question', "return vim.tbl_contains(events, 'CodebotPermission')")
      on(child, '? bash rm', 'a')
      child:wait('the answer', "return answer and answer.outcome.optionId == 'allow_once'")
      h.has(child:chat(), 'allowed once')
    end,
  },
  {
    'a real sub-agent asks at its line, reports, and is there again in the next Neovim',
    function()
      local child, model, w = talk({
        { tool = 'task', args = { description = 'Note the rule', prompt = 'Write it down.' } },
        { tool = 'write', args = { path = 'rule.txt', content = 'seven days\n' } },
        { text = 'Noted: seven days.' },
        { text = 'The sub-agent has noted it.' },
      })
      child:cmd('Codebot ask note the rule')
      child:wait('the question', "return vim.tbl_contains(events, 'CodebotPermission')")
      h.has(child:chat(), '◐ Sub-agent: Note the rule')
      h.has(child:chat(), '\n  ? Write rule.txt')
      on(child, 'rule.txt', 'a')
      child:see('The sub-agent has noted it.')
      child:settled()
      h.has(child:chat(), '✓ Sub-agent: Note the rule')
      h.has(child:chat(), 'Noted: seven days.')
      h.same(h.read(w.folder .. '/rule.txt'), 'seven days\n')
      h.has(vim.json.encode(model.requests[2].messages), 'You are a sub-agent')
      child:quit('<Esc>:qa!<CR>')
      child:gone()
      local again = w:nvim()
      again:lua("wanted = 'note the rule'")
      again:cmd('Codebot sessions')
      local chat = again:see('The sub-agent has noted it.')
      h.has(chat, '✓ Sub-agent: Note the rule')
      assert(chat:find('\n  ✓ [^\n]*rule.txt'), chat)
    end,
  },
  {
    'a running call tells how far it is',
    function()
      local child = talk({})
      child:lua(update .. [[
        session.running = true
        update(call('slow', nil, { _meta = { codebot = { tool = 'slow',
          progress = { progress = 3, total = 4, message = 'copying \27[31mfiles' } } } }))
      ]])
      child:see('slow')
      h.has(child:screen(), 'running, 0 s · 75% · copying files')
      child:lua(update .. [[
        update({ sessionUpdate = 'usage_update', used = 500, size = 1000, cost = { amount = 0.0042, currency = 'USD' } })
      ]])
      h.has(child:screen(), '· 50% · $0.0042 ·')
      h.same(
        child:lua([[
        local money = require('codebot.chat').money
        return { money({ amount = 0.5, currency = 'USD' }), money({ amount = 12.345, currency = 'EUR' }) }
      ]]),
        { '$0.50', '12.35 EUR' }
      )
    end,
  },
  {
    'a turn in the middle is taken back with a key, and its prompt is there to be edited',
    function()
      local child, model = talk({ { text = 'One.' }, { text = 'Two.' }, { text = 'Three.' } })
      for _, n in ipairs({ { 'first', 'One.' }, { 'second', 'Two.' } }) do
        child:cmd('Codebot ask ' .. n[1])
        child:see(n[2])
        child:settled()
      end
      child:lua("wanted = 'Only the messages'")
      on(child, 'One.', 'gu')
      child:see('Taken back; no file had been edited.')
      h.lacks(child:chat(), 'Two.')
      child:wait(
        'the prompt',
        [[
        local buf = require('codebot.chat.prompt').buffer()
        return vim.api.nvim_buf_get_lines(buf, 0, -1, false)[1] == 'first'
      ]]
      )
      child:cmd('Codebot ask third')
      child:see('Three.')
      h.lacks(vim.json.encode(model.requests[3].messages), 'second')
    end,
  },
  {
    'a prompt is sent again with a key, in place of what came of it',
    function()
      local child, model = talk({ { text = 'A bad answer.' }, { text = 'A better one.' } })
      child:cmd('Codebot ask what is it')
      child:see('A bad answer.')
      child:settled()
      on(child, 'A bad answer.', 'gR')
      child:see('A better one.')
      child:settled()
      local chat = child:chat()
      h.lacks(chat, 'A bad answer.')
      h.same(select(2, chat:gsub('> what is it', '')), 1)
      h.lacks(vim.json.encode(model.requests[2].messages), 'A bad answer.')
    end,
  },
  {
    'a copy goes on from before a prompt, and the conversation it came of stays whole',
    function()
      local child = talk({ { text = 'One.' }, { text = 'Two.' } })
      child:cmd('Codebot ask first')
      child:see('One.')
      child:settled()
      child:cmd('Codebot ask second')
      child:see('Two.')
      child:settled()
      local id = child:lua("return require('codebot.session').current().id")
      on(child, 'Two.', 'gb')
      child:see('This is a copy')
      local chat = child:chat()
      h.has(chat, 'One.')
      h.lacks(chat, 'Two.')
      child:wait(
        'the prompt',
        [[
        local buf = require('codebot.chat.prompt').buffer()
        return vim.api.nvim_buf_get_lines(buf, 0, -1, false)[1] == 'second'
      ]]
      )
      child:lua("require('codebot.chat').load(...)", id)
      h.has(child:see('Two.'), '> second')
    end,
  },
  {
    'stop in the middle of an answer keeps what came, at once',
    function()
      local child = talk({ { text = 'The beginning of a long', hold = true }, { text = 'Another answer.' } })
      child:cmd('Codebot ask tell me')
      child:see('The beginning of a long')
      local begun = vim.uv.now()
      child:keys('<C-c>')
      child:settled()
      local took = vim.uv.now() - begun
      assert(took < 1000, ('it took %d ms'):format(took))
      h.has(child:see('Stopped.'), 'The beginning of a long')
      child:cmd('Codebot ask again')
      child:see('Another answer.')
    end,
  },
  {
    'an edit is followed by the buffer, u takes it back, and the list of changes leads there',
    function()
      local child, _, w = talk({
        {
          text = 'I edit.',
          tool = 'edit',
          args = { path = 'a.txt', old_string = 'two', new_string = 'zwei' },
        },
        { text = 'Done.' },
      })
      local path = w:write('a.txt', 'one\ntwo\nthree\n')
      child:cmd('wincmd t')
      child:cmd('edit ' .. path)
      child:cmd('Codebot ask change it')
      child:see('May it run?')
      child:cmd('Codebot chat')
      child:keys('a')
      child:see('Done.')
      child:settled()
      local lines = "return vim.api.nvim_buf_get_lines(vim.fn.bufnr('a.txt'), 0, -1, false)"
      child:wait(
        'the edit',
        "return vim.api.nvim_buf_get_lines(vim.fn.bufnr('a.txt'), 1, 2, false)[1] == 'zwei'"
      )
      child:lua("vim.api.nvim_buf_call(vim.fn.bufnr('a.txt'), vim.cmd.undo)")
      h.same(child:lua(lines), { 'one', 'two', 'three' })
      child:lua("vim.api.nvim_buf_call(vim.fn.bufnr('a.txt'), vim.cmd.redo)")
      on(child, '✓ Edit', 'gQ')
      child:wait('the list', "return vim.bo.buftype == 'quickfix'")
      h.has(child:lua('return vim.fn.bufname(vim.fn.getqflist()[1].bufnr)'), 'a.txt')
      h.same(child:lua('return vim.fn.getqflist()[1].lnum'), 2)
      child:cmd('cclose')
      -- <CR> on the call opens the file at its line, beside the chat.
      on(child, '✓ Edit', '<CR>')
      child:wait('the file', "return vim.fn.expand('%:t') == 'a.txt' and vim.fn.line('.') == 2")
    end,
  },
  {
    'a model that refuses the key says so, and <CR> on the way out enters another',
    function()
      local child, model = talk({ { status = 401, text = 'bad key' }, { text = 'Now it goes.' } })
      child:cmd('Codebot ask 你好')
      child:see('▸ Enter an API key')
      child:settled()
      child:lua("wanted = 'test'; vim.fn.inputsecret = function(prompt) secret = prompt; return '' end")
      on(child, '▸ Enter an API key', '<CR>')
      child:wait('the question', "return secret == 'Key of test: '")
      -- The prompt is sent again as it was, with nothing of an earlier turn.
      child:cmd('Codebot retry')
      child:see('Now it goes.')
      h.same(#model.requests, 2)
    end,
  },
  {
    'a prompt that is sent again takes its lines along',
    function()
      local child, model, w = talk({ { text = 'One.' }, { text = 'Two.' } })
      local path = w:write('a.txt', 'alpha\nbeta\n')
      child:cmd('wincmd t')
      child:cmd('edit ' .. path)
      child:cmd('2Codebot explain')
      child:see('One.')
      child:settled()
      h.has(child:chat(), '> Explain these lines.\n> a.txt:2-2')
      child:cmd('Codebot retry')
      child:see('Two.')
      h.has(vim.json.encode(model.requests[2].messages), 'beta')
    end,
  },
  {
    'the problems of a line are mended by a command that names them',
    function()
      local child, model, w = talk({ { text = 'Mended.' } })
      local path = w:write('a.lua', 'local a\nlocal b = nul\n')
      child:cmd('wincmd t')
      child:cmd('edit ' .. path)
      child:lua([[
        vim.diagnostic.set(vim.api.nvim_create_namespace('test'), 0, {
          { lnum = 0, col = 0, message = 'unused a', severity = 2 },
          { lnum = 1, col = 10, message = 'undefined nul', severity = 1 },
        })
      ]])
      child:cmd('2Codebot fix')
      child:see('Mended.')
      local chat = child:chat()
      h.has(chat, '> - 2:11 undefined nul')
      h.lacks(chat, 'unused a')
      h.has(vim.json.encode(model.requests[1].messages), 'local b = nul')
      child:cmd('wincmd t')
      child:lua('vim.diagnostic.reset()')
      child:cmd('1Codebot fix')
      child:told('no problem is known of these lines')
    end,
  },
  {
    'a turn that took long is told where nobody looks, once',
    function()
      local child, model = talk(
        { { text = 'Slow.', hold = true }, { text = 'Quick.' } },
        { options = { notify = { turn_ms = 0 } } }
      )
      child:cmd('Codebot ask think')
      child:see('Slow.')
      child:cmd('Codebot toggle')
      model.release()
      child:told('the answer is there; :Codebot chat shows it')
      child:cmd('Codebot chat')
      child:wait('the chat', "return require('codebot.chat').visible()")
      child:cmd('Codebot ask again')
      child:see('Quick.')
      child:settled()
      h.same(
        child:lua(
          "return #vim.tbl_filter(function(n) return n.text:find('the answer is there') end, notified)"
        ),
        1
      )
    end,
  },
  {
    'code is yanked with a key, and a picture that is named goes along as itself',
    function()
      local child, model, w =
        talk({ { text = 'Look:\n\n```lua\nlocal x = 1\nreturn x\n```\n\nThat is it.' } })
      local png = '\137PNG\r\n\26\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\8\6\0\0\0\31\21\196\137'
      w:write('cat.png', png)
      child:cmd('Codebot ask what is @cat.png')
      child:see('That is it.')
      child:settled()
      on(child, 'local x = 1', 'gy')
      child:told('2 lines yanked')
      h.same(child:lua("return vim.fn.getreg('\"')"), 'local x = 1\nreturn x\n')
      h.has(vim.json.encode(model.requests[1].messages), 'data:image')
    end,
  },
  {
    'a session in a folder, and the last one of the project again',
    function()
      local child, _, w = talk({ { text = 'One.' } })
      child:cmd('Codebot ask first')
      child:see('One.')
      child:settled()
      local id = child:lua("return require('codebot.session').current().id")
      w:write('sub/x.txt', 'x')
      child:cmd('Codebot new sub')
      child:wait(
        'the session',
        "return require('codebot.session').current().cwd == (...)",
        w.folder .. '/sub'
      )
      child:cmd('Codebot new nowhere')
      child:told('nowhere is no folder')
      h.same(child:lua("return vim.fn.getcompletion('Codebot new su', 'cmdline')"), { 'sub/' })
      child:cmd('Codebot session last')
      child:wait('the first one', "return require('codebot.session').current().id == (...)", id)
    end,
  },
  {
    'an edit of a buffer that is not saved is made in the buffer, and one u takes it back',
    function()
      local child, _, w = talk({
        {
          text = 'I edit.',
          tool = 'edit',
          args = { path = 'a.txt', old_string = 'two', new_string = 'zwei' },
        },
        { text = 'Done.' },
      })
      local path = w:write('a.txt', 'one\ntwo\nthree\n')
      child:cmd('Codebot mode accept_edits')
      child:wait('the mode', "return require('codebot.session').current().mode == 'accept_edits'")
      child:cmd('wincmd t')
      child:cmd('edit ' .. path)
      child:lua("vim.api.nvim_buf_set_lines(0, 0, 1, false, { 'first, not saved' })")
      child:cmd('Codebot ask change it')
      child:see('Done.')
      child:settled()
      local lines = "return vim.api.nvim_buf_get_lines(vim.fn.bufnr('a.txt'), 0, -1, false)"
      h.same(child:lua(lines), { 'first, not saved', 'zwei', 'three' })
      h.same(h.read(path), 'first, not saved\nzwei\nthree\n')
      child:lua("vim.api.nvim_buf_call(vim.fn.bufnr('a.txt'), vim.cmd.undo)")
      h.same(child:lua(lines), { 'first, not saved', 'two', 'three' })
      -- Saved again without a question: nobody else has changed the file.
      child:lua("vim.api.nvim_buf_call(vim.fn.bufnr('a.txt'), function() vim.cmd('silent write') end)")
      h.same(h.read(path), 'first, not saved\ntwo\nthree\n')
    end,
  },
  {
    'a file that somebody changed since is given back only after a question',
    function()
      local child, _, w = talk({
        {
          text = 'I edit.',
          tool = 'edit',
          args = { path = 'a.txt', old_string = 'one', new_string = 'eins' },
        },
        { text = 'Done.' },
      })
      local path = w:write('a.txt', 'one\n')
      child:cmd('Codebot mode auto')
      child:wait('the mode', "return require('codebot.session').current().mode == 'auto'")
      child:cmd('Codebot ask change it')
      child:see('Done.')
      child:settled()
      h.write(path, 'mine\n')
      child:lua([[
        picks = { 'Only the files', 'Leave everything' }
        vim.ui.select = function(items, o, done)
          table.insert(choices, o.prompt)
          local want = table.remove(picks, 1)
          for _, item in ipairs(items) do
            if o.format_item(item):find(want, 1, true) then return done(item) end
          end
        end
      ]])
      child:cmd('Codebot undo')
      child:wait('the question', 'return #picks == 0')
      h.has(child:lua('return choices[2]'), 'a.txt')
      h.same(h.read(path), 'mine\n')
      child:lua("picks = { 'Only the files', 'Overwrite' }")
      child:cmd('Codebot undo')
      child:see('restored ' .. path)
      h.same(h.read(path), 'one\n')
      h.has(child:chat(), 'Done.')
    end,
  },
  {
    'a diff is refused in its tab, and nothing is written',
    function()
      local child, _, w = talk({
        {
          text = 'I edit.',
          tool = 'edit',
          args = { path = 'a.txt', old_string = 'one', new_string = 'eins' },
        },
        { text = 'As you like.' },
      })
      local path = w:write('a.txt', 'one\n')
      child:cmd('Codebot ask change it')
      child:see('May it run?')
      child:cmd('Codebot chat')
      child:keys('d')
      child:wait('the diff', 'return #vim.api.nvim_list_tabpages() == 2 and vim.wo.diff')
      child:keys('r')
      child:see('As you like.')
      h.same(child:lua('return #vim.api.nvim_list_tabpages()'), 1)
      h.has(child:chat(), 'rejected')
      h.same(h.read(path), 'one\n')
    end,
  },
  {
    'a rewrite without a model says what it needs and changes nothing',
    function()
      local w = h.world():user({})
      local path = w:write('a.txt', 'one\n')
      local child = w:nvim({ args = { path } })
      child:cmd('1Codebot rewrite shorter')
      child:told('a rewrite needs a model')
      h.same(child:lines(), { 'one' })
      h.same(child:lua('return #vim.api.nvim_list_tabpages()'), 1)
    end,
  },
  {
    'in a chat of two thousand messages with an answer of 200 kB, words are drawn in time',
    function()
      local child = talk({})
      local took = child:lua(update .. [[
        local view = require('codebot.chat.view').of(session)
        local function say(kind, s)
          update({ sessionUpdate = kind .. '_message_chunk', content = { type = 'text', text = s } })
        end
        for i = 1, 667 do
          say('user', 'question ' .. i)
          update(call('c' .. i, nil, { status = 'completed', rawInput = { path = 'x' },
            content = { { type = 'content', content = { type = 'text', text = ('line\n'):rep(20) } } } }))
          say('agent', 'answer ' .. i .. '\n\n```lua\nlocal x = 1\n```\n')
        end
        session.running = true
        say('agent', ('some words of an answer 中文\n'):rep(6500))
        view:draw()
        vim.cmd.redraw()
        local all = {}
        for i = 1, 50 do
          say('agent', 'word ' .. i .. ' ')
          local begun = vim.uv.hrtime()
          view:draw()
          vim.cmd.redraw()
          all[i] = (vim.uv.hrtime() - begun) / 1e6
        end
        table.sort(all) -- the middle one: the machine may be busy with other things
        return all[25]
      ]])
      io.stdout:write(('# a word takes %.1f ms\n'):format(took))
      -- As often as every 30 ms, and there must be time for the person in between.
      assert(took < 25, ('a word takes %.1f ms'):format(took))
      h.has(child:screen(), 'word 50')
    end,
  },
}
