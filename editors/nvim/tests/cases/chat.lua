local h = require('harness')

local function shop(options)
  local w = h.world():user({ docs = h.demo('docs'), deploy = h.demo('deploy') })
  return w, w:nvim({ options = options })
end

--- Types a prompt as a person does.
local function ask(child, text)
  child:keys('i' .. text .. '<Esc>')
  child:wait('the text', 'return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false)) == (...)', text)
  child:keys('<CR>')
end

return {
  {
    'a prompt typed in English calls a tool and shows the answer',
    function()
      local _, child = shop()
      child:ready('docs', 'deploy')
      ask(child, 'Search the docs for the worktree cleanup policy.')
      local chat = child:see('[docs] Found 3 results')
      child:settled()
      h.has(chat, '> Search the docs for the worktree cleanup policy.')
      h.has(chat, '✓ docs › search')
      h.same(child:lines(), { '' })
      local events = child:lua('return events')
      for _, name in ipairs({
        'CodebotTurnStart',
        'CodebotToolStart',
        'CodebotToolEnd',
        'CodebotTurnEnd',
        'CodebotStatus',
      }) do
        assert(vim.tbl_contains(events, name), name .. ' was not fired')
      end
    end,
  },
  {
    'a prompt typed in Chinese, in a Chinese interface',
    function()
      local _, child = shop({ locale = 'zh-CN' })
      child:ready('docs', 'deploy')
      ask(child, '查一下文档里的 worktree 清理策略。')
      child:see('[docs] Found 3 results')
      child:settled()
      h.has(child:screen(), '向 codebot 提问')
      child:cmd('Codebot ask 部署当前项目，并告诉我结果。')
      child:see('可以运行吗')
      h.has(child:chat(), '仅此一次')
    end,
  },
  {
    'a call that needs permission waits; a yes runs it, a no does not',
    function()
      local _, child = shop()
      child:ready('docs', 'deploy')
      child:cmd('Codebot ask Deploy the current project')
      local chat = child:see('May it run?')
      h.has(chat, '? deploy › trigger')
      h.has(chat, '"service": "shop"')
      h.has(chat, 'a once')
      child:cmd('Codebot chat')
      child:wait('the cursor on the question', "return vim.bo.filetype == 'codebot'")
      child:lua("require('codebot.chat.question').guard_ms = 0")
      child:keys('a')
      chat = child:see('[deploy] Triggered: shop')
      h.has(chat, 'allowed once')
      child:settled()
      child:cmd('Codebot ask Deploy the current project')
      child:wait(
        'the second question',
        "return #require('codebot.session').questions(require('codebot.session').current()) == 1"
      )
      child:cmd('Codebot chat')
      child:keys('r')
      child:settled()
      chat = child:chat()
      h.has(chat, '✗ deploy › trigger')
      h.same(
        child:lua([[
        local session = require('codebot.session').current()
        return vim.tbl_count(vim.tbl_filter(function(c) return c.call.status == 'completed' end, session.calls))
      ]]),
        1
      )
      h.has(chat, 'rejected')
    end,
  },
  {
    'a yes typed before the question could be read is no answer',
    function()
      local _, child = shop()
      child:ready('docs', 'deploy')
      child:lua("require('codebot.chat.question').guard_ms = 60000")
      child:cmd('Codebot ask Deploy the current project')
      child:see('May it run?')
      child:cmd('Codebot chat')
      child:keys('a')
      child:told('the question has just come')
      h.same(
        child:lua("return #require('codebot.session').questions(require('codebot.session').current())"),
        1
      )
      -- A no is never too early.
      child:keys('r')
      child:settled()
      h.has(child:chat(), 'rejected')
    end,
  },
  {
    'a question away from the cursor is first shown, not answered',
    function()
      local _, child = shop()
      child:ready('docs', 'deploy')
      child:lua("require('codebot.chat.question').guard_ms = 0")
      child:cmd('Codebot ask Deploy the current project')
      child:see('May it run?')
      child:cmd('Codebot chat')
      child:keys('gg')
      child:wait('the cursor at the top', 'return vim.fn.line(".") == 1')
      child:keys('a')
      child:wait(
        'the cursor on the question',
        'return vim.fn.getline("."):find("deploy › trigger", 1, true)'
      )
      h.same(
        child:lua("return #require('codebot.session').questions(require('codebot.session').current())"),
        1
      )
    end,
  },
  {
    'stop ends the turn at once, also while a question is open',
    function()
      local _, child = shop()
      child:ready('docs', 'deploy')
      child:cmd('Codebot ask Deploy the current project')
      child:see('May it run?')
      local begun = vim.uv.now()
      child:cmd('Codebot stop')
      child:settled()
      local took = vim.uv.now() - begun
      assert(took < 1000, ('it took %d ms'):format(took))
      local chat = child:see('Stopped.')
      h.has(chat, '✗ deploy › trigger')
      h.lacks(chat, 'May it run?')
      child:cmd('Codebot ask Search the docs for the worktree cleanup policy.')
      child:see('[docs] Found 3 results')
    end,
  },
  {
    'a question while the chat is closed is told once and kept',
    function()
      local _, child = shop()
      child:ready('docs', 'deploy')
      child:cmd('Codebot ask Deploy the current project')
      child:cmd('Codebot toggle')
      child:told('deploy › trigger waits for your permission')
      h.same(
        child:lua(
          "return #vim.tbl_filter(function(n) return n.text:find('permission', 1, true) end, notified)"
        ),
        1
      )
      -- Even with its buffer wiped the question comes back.
      child:lua(
        "vim.api.nvim_buf_delete(require('codebot.chat.view').of(require('codebot.session').current()).buf, { force = true })"
      )
      child:cmd('Codebot chat')
      child:see('May it run?')
      assert(vim.tbl_contains(child:lua('return events'), 'CodebotPermission'))
    end,
  },
  {
    'a range goes along with the prompt',
    function()
      local w = h.world():user({})
      local path = w:write('main.lua', 'one\ntwo\nthree\n')
      local child = w:nvim({ args = { path } })
      child:cmd('2,3Codebot ask Read main.lua')
      local chat = child:see('✓ ')
      h.has(chat, 'main.lua:2-3')
      child:settled()
    end,
  },
  {
    'tools see the text on the screen, saved or not',
    function()
      local w = h.world():user({})
      local path = w:write('notes.txt', 'on disk\n')
      local child = w:nvim({ args = { path } })
      child:ready()
      child:cmd('wincmd t')
      child:lua(
        "vim.api.nvim_buf_set_lines(vim.fn.bufnr('notes.txt'), 0, -1, false, { 'not yet saved 中文' })"
      )
      child:cmd('Codebot ask read notes.txt')
      child:see('not yet saved 中文')
      child:settled()
    end,
  },
  {
    'the cursor and the view stay where they are while text comes, and follow at the end',
    function()
      local _, child = shop()
      child:ready('docs', 'deploy')
      for _ = 1, 3 do
        child:cmd('Codebot ask Search the docs for the worktree cleanup policy.')
        child:see('[docs]')
        child:settled()
      end
      child:cmd('Codebot ask Deploy the current project')
      child:see('May it run?')
      local win = [[
        local view = require('codebot.chat.view').of(require('codebot.session').current())
        local win = vim.fn.win_findbuf(view.buf)[1]
      ]]
      local at_end = 'return vim.api.nvim_win_get_cursor(win)[1] == vim.api.nvim_buf_line_count(view.buf)'
      h.same(child:lua(win .. at_end), true)
      local look = [[
        vim.cmd.redraw()
        return vim.api.nvim_win_call(win, vim.fn.winsaveview)
      ]]
      child:lua(win .. 'vim.api.nvim_win_set_cursor(win, { 3, 0 })')
      local before = child:lua(win .. look)
      child:lua([[
        local sessions = require('codebot.session')
        local session = sessions.current()
        sessions.answer(session, sessions.questions(session)[1], 'allow_once')
      ]])
      child:see('[deploy] Triggered: shop')
      child:settled()
      child:chat()
      local after = child:lua(win .. look)
      h.same({ after.lnum, after.topline }, { 3, before.topline })
      -- Back at the end, the window follows again.
      child:lua(win .. 'vim.api.nvim_win_set_cursor(win, { vim.api.nvim_buf_line_count(view.buf), 0 })')
      child:cmd('Codebot ask Search the docs for the worktree cleanup policy.')
      child:settled()
      child:chat()
      h.same(child:lua(win .. at_end), true)
    end,
  },
  {
    'finished calls are folded and running ones are not',
    function()
      local _, child = shop()
      child:ready('docs', 'deploy')
      child:cmd('Codebot ask Search the docs for the worktree cleanup policy.')
      child:see('[docs] Found 3 results')
      child:settled()
      child:chat()
      local closed = [[
        local view = require('codebot.chat.view').of(require('codebot.session').current())
        local win = vim.fn.win_findbuf(view.buf)[1]
        for row, line in ipairs(vim.api.nvim_buf_get_lines(view.buf, 0, -1, false)) do
          if line:find((...), 1, true) then
            return vim.api.nvim_win_call(win, function() return vim.fn.foldclosed(row) end) ~= -1
          end
        end
      ]]
      h.same(child:lua(closed, '✓ docs › search'), true)
      h.has(child:screen(), '✓ docs › search')
      h.lacks(child:screen(), '```json')
      child:cmd('Codebot ask Deploy the current project')
      child:see('May it run?')
      h.same(child:lua(closed, '? deploy › trigger'), false)
      h.has(child:screen(), '"service": "shop"')
    end,
  },
  {
    'a long answer is drawn in time, and its colours are there at the end',
    function()
      local child = h.world():user({}):nvim()
      child:ready()
      local took = child:lua([[
        local sessions = require('codebot.session')
        local session = sessions.current()
        local view = require('codebot.chat.view').of(session)
        session.running = true
        local begun = vim.uv.hrtime()
        for i = 1, 3000 do
          local text = ('word %d more words and 中文 '):format(i) .. (i % 10 == 0 and '\n\n' or '')
          sessions.on_update({ sessionId = session.id,
            update = { sessionUpdate = 'agent_message_chunk', content = { type = 'text', text = text } } })
          if i % 10 == 0 then
            view:draw()
            vim.cmd.redraw()
          end
        end
        session.running = false
        local ms = (vim.uv.hrtime() - begun) / 1e6
        view:draw()
        return ms
      ]])
      -- 300 draws; one may take a good part of the 30 ms between two.
      assert(took < 300 * 20, ('it took %d ms'):format(took))
      local chat = child:chat()
      h.has(chat, 'word 1 more')
      h.has(chat, 'word 3000 more')
      h.same(
        child:lua([[
          local view = require('codebot.chat.view').of(require('codebot.session').current())
          return vim.treesitter.highlighter.active[view.buf] ~= nil
        ]]),
        true
      )
    end,
  },
  {
    'an earlier prompt comes back by a key, and u undoes',
    function()
      local _, child = shop()
      child:ready('docs', 'deploy')
      ask(child, 'first prompt')
      child:settled()
      child:keys('idraft<Esc>')
      child:keys('<C-Up>')
      child:wait('the earlier prompt', "return vim.api.nvim_get_current_line() == 'first prompt'")
      child:keys('<C-Down>')
      child:wait('the draft', "return vim.api.nvim_get_current_line() == 'draft'")
      child:keys('u')
      child:wait('the undo', "return vim.api.nvim_get_current_line() ~= 'draft'")
    end,
  },
  {
    'files are completed after @ and go along as links',
    function()
      local w = h.world():user({})
      w:write('src/main.go', 'package main\n')
      local child = w:nvim()
      child:ready()
      child:keys('i@src/m<C-x><C-o>')
      child:wait('the completion', "return vim.api.nvim_get_current_line() == '@src/main.go'")
      child:keys('<Esc>')
      local blocks = child:lua([[
        return require('codebot.chat.mention').blocks('look at @src/main.go and a@b.c', vim.fn.getcwd())
      ]])
      h.same(
        blocks,
        { { type = 'resource_link', uri = 'file://' .. w.folder .. '/src/main.go', name = 'main.go' } }
      )
    end,
  },
  {
    'what comes while a completion waits is drawn behind it, in its order',
    function()
      local child = h.world():user({}):nvim()
      child:ready()
      child:lua([[
        local session = require('codebot.session').current()
        local handlers = vim.lsp.get_clients({ name = 'codebot_ls' })[1].handlers
        local update = handlers[require('codebot.protocol_gen').methods.session_update]
        -- A completion function that waits, as ours does for the server.
        function _G.slow(findstart)
          if findstart == 1 then return 0 end
          for i = 1, 3 do
            update(nil, { sessionId = session.id, update = { sessionUpdate = 'agent_message_chunk',
              content = { type = 'text', text = 'word ' .. i .. ' ' } } })
            vim.wait(60, function() return false end)
          end
          return { 'completed' }
        end
        vim.bo.omnifunc = 'v:lua.slow'
      ]])
      child:keys('ix<C-x><C-o>')
      child:wait('the completion', "return vim.api.nvim_get_current_line() == 'completed'")
      child:keys('<Esc>')
      child:see('word 1 word 2 word 3')
    end,
  },
  {
    'commands and what is no file are completed from the server',
    function()
      local w = h.world()
      local model = w:model({ { text = 'I see them.' } })
      w:write('.codebot/commands/deploy.md', 'Deploy it.')
      local child = w:nvim()
      child:ready()
      child:keys('i/depl<C-x><C-o>')
      child:wait('the command', "return vim.api.nvim_get_current_line() == '/deploy'")
      child:keys('<Esc>ccsee @diag<C-x><C-o>')
      child:wait('the mention', "return vim.api.nvim_get_current_line() == 'see @diagnostics'")
      child:keys('<Esc><CR>')
      child:see('I see them.')
      child:settled()
      h.has(vim.json.encode(model.requests[1].messages), 'The editor knows of no problems.')
      child:keys('i/mcp<Esc><CR>')
      child:see('Total: 0 connected')
      h.same(#model.requests, 1)
      local before = child:lua("return require('codebot.session').current().id")
      child:keys('i/clear<Esc><CR>')
      child:wait('another chat', "return require('codebot.session').current().id ~= '" .. before .. "'")
      h.same(child:chat():find('I see them', 1, true), nil)
    end,
  },
  {
    'every layout opens and closes',
    function()
      for _, layout in ipairs({ 'left', 'top', 'bottom', 'float', 'tab' }) do
        local w = h.world():user({})
        local child = w:nvim({ options = { window = { layout = layout } } })
        child:ready()
        h.same(child:lua("return require('codebot.chat').visible()"), true)
        child:cmd('Codebot toggle')
        h.same(child:lua("return require('codebot.chat').visible()"), false)
        h.same(child:lua('return #vim.api.nvim_list_wins()'), 1)
        h.same(child:lua('return #vim.api.nvim_list_tabpages()'), 1)
      end
    end,
  },
}
