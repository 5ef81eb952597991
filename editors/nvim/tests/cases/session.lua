local h = require('harness')

--- A child in a chat with a model that gives the replies.
local function talk(replies)
  local w = h.world()
  local model = w:model(replies)
  local child = w:nvim()
  child:ready()
  return child, model, w
end

local function user_texts(request)
  local texts = {}
  for _, message in ipairs(request.messages) do
    if message.role == 'user' then
      texts[#texts + 1] = type(message.content) == 'string' and message.content or message.content[1].text
    end
  end
  return texts
end

--- Chooses the item with these words in the next vim.ui.select.
local function want(child, words)
  child:lua('wanted = ...', words)
end

return {
  {
    'what is sent while a turn runs is added to it',
    function()
      local child, model = talk({
        { text = 'I look.', tool = 'ls', args = { path = '.' }, hold = true },
        { text = 'Both are done.' },
      })
      child:cmd('Codebot ask first thing')
      child:see('I look.')
      child:cmd('Codebot steer and a second thing')
      child:told('the turn takes it in')
      model.release()
      child:see('Both are done.')
      child:settled()
      h.has(child:chat(), '> and a second thing')
      h.same(#model.requests, 2)
      h.has(table.concat(user_texts(model.requests[2]), '\n'), 'and a second thing')
    end,
  },
  {
    'steering without a turn says so and loses nothing',
    function()
      local child, model = talk({ { text = 'Hello.' } })
      child:cmd('Codebot steer this')
      child:told('no turn is running')
      h.same(#model.requests, 0)
    end,
  },
  {
    'the context window names the parts of the next request',
    function()
      local child = talk({ { text = 'Hello.' } })
      child:cmd('Codebot ask hi')
      child:see('Hello.')
      child:settled()
      child:cmd('Codebot context')
      child:wait('the float', "return vim.bo.filetype == 'codebot-float'")
      local lines = table.concat(child:lines(), '\n')
      for _, part in ipairs({ 'identity', 'instructions', 'tools', 'messages', 'tokens' }) do
        h.has(lines, part)
      end
    end,
  },
  {
    'compacting a short conversation says that there is nothing to leave out',
    function()
      local child = talk({ { text = 'Hello.' } })
      child:cmd('Codebot ask hi')
      child:settled()
      child:cmd('Codebot compact')
      child:see('There is nothing to leave out yet.')
    end,
  },
  {
    'a session is renamed, copied, written down and deleted',
    function()
      local child, model = talk({ { text = 'The answer is 42.' }, { text = 'Still 42.' } })
      child:cmd('Codebot ask what is the answer')
      child:settled()
      local first = child:lua("return require('codebot.session').current().id")
      child:cmd('Codebot session rename The big question')
      child:wait(
        'the new title above the chat',
        "return vim.wo[vim.fn.win_findbuf(require('codebot.chat.view').of(require('codebot.session').current()).buf)[1]].winbar:find('The big question', 1, true)"
      )
      child:cmd('Codebot session export')
      child:wait('the document', "return vim.bo.filetype == 'markdown'")
      h.has(table.concat(child:lines(), '\n'), 'The answer is 42.')
      child:cmd('tabclose')
      child:cmd('Codebot session fork')
      child:see('This is a copy')
      h.has(child:chat(), 'The answer is 42.')
      child:cmd('Codebot ask and now?')
      child:see('Still 42.')
      child:settled()
      h.same(user_texts(model.requests[2]), { 'what is the answer', 'and now?' })
      local second = child:lua("return require('codebot.session').current().id")
      assert(first ~= second, 'the copy is the same session')
      want(child, 'Delete')
      child:cmd('Codebot session delete')
      child:wait(
        'the copy to go',
        [[
        local ids
        require('codebot.session').list(function(_, infos)
          ids = vim.tbl_map(function(i) return i.sessionId .. ' ' .. (i.title or '') end, infos)
        end)
        vim.wait(500, function() return ids ~= nil end, 5)
        return ids and #ids == 1 and ids[1] == (...)
      ]],
        first .. ' The big question'
      )
    end,
  },
  {
    'a turn is taken back with its file, and its prompt is there again',
    function()
      local child, _, w = talk({
        { text = 'I make it.', tool = 'write', args = { path = 'made.txt', content = 'made\n' } },
        { text = 'It is made.' },
      })
      child:lua("require('codebot.chat.question').guard_ms = 0")
      child:cmd('Codebot ask make a file')
      child:see('May it run?')
      child:cmd('Codebot chat')
      child:keys('a')
      child:see('It is made.')
      child:settled()
      local made = w.folder .. '/made.txt'
      assert(vim.uv.fs_stat(made), 'the file was not made')
      want(child, 'Files and messages')
      child:cmd('Codebot undo')
      child:see('removed ' .. made)
      h.same(vim.uv.fs_stat(made), nil)
      h.same(child:chat():find('It is made.', 1, true), nil)
      child:cmd('Codebot chat')
      child:keys('<C-w>j')
      child:wait('the prompt', "return vim.api.nvim_get_current_line() == 'make a file'")
    end,
  },
  {
    'a key that is entered is kept by the server, and in nothing of the editor',
    function()
      local child, _, w = talk({ { text = 'Hello.' } })
      child:lua("vim.fn.inputsecret = function() return 'sk-entered' end")
      child:cmd('Codebot key test')
      child:told('a file that only you can read')
      child:told('test answers')
      local keys = w.settings_home .. '/keys.json'
      h.has(table.concat(vim.fn.readfile(keys), '\n'), 'sk-entered')
      h.same(vim.uv.fs_stat(keys).mode % 512, 384) -- 0600
      h.same(
        table.concat(vim.fn.readfile(w.settings_home .. '/settings.json'), ''):find('sk-entered', 1, true),
        nil
      )
      child:cmd('Codebot key test remove')
      child:told('the key of test is forgotten')
    end,
  },
  {
    'a deletion that is not confirmed deletes nothing',
    function()
      local child = talk({ { text = 'Hello.' } })
      child:cmd('Codebot ask hi')
      child:settled()
      want(child, 'Keep')
      child:cmd('Codebot session delete')
      child:wait('the question', 'return #choices > 0')
      h.has(child:chat(), 'Hello.')
      assert(child:lua("return require('codebot.session').current() ~= nil"), 'it is gone')
    end,
  },
  {
    'a selection is rewritten in place, and u takes it back',
    function()
      local w = h.world()
      local model = w:model({ { text = 'Here:\n```lua\nlocal answer = 42\n```\n' } })
      local path = w:write('a.lua', 'local x = 1\nlocal y = 41 + 1\nreturn y\n')
      local child = w:nvim({ args = { path } })
      child:cmd('2Codebot rewrite name it answer')
      child:wait('the diff', 'return #vim.api.nvim_list_tabpages() == 2 and vim.wo.diff')
      h.same(child:lines(), { 'local answer = 42' })
      -- What is written above meanwhile moves the lines along.
      child:lua([[
        local buf = vim.fn.bufnr('a.lua')
        vim.api.nvim_buf_set_lines(buf, 0, 0, false, { '-- a comment' })
      ]])
      child:keys('a')
      child:wait('the tab to close', 'return #vim.api.nvim_list_tabpages() == 1')
      h.same(child:lines(), { '-- a comment', 'local x = 1', 'local answer = 42', 'return y' })
      child:cmd('undo')
      h.same(child:lines(), { '-- a comment', 'local x = 1', 'local y = 41 + 1', 'return y' })
      h.has(vim.json.encode(model.requests[1]), 'local y = 41 + 1')
      h.same(child:lua("return require('codebot.session').current()"), vim.NIL)
    end,
  },
  {
    'a rewrite that is not wanted changes nothing',
    function()
      local w = h.world()
      w:model({ { text = '```\nother\n```' }, { text = '```lua\ncut off' } })
      local path = w:write('a.txt', 'one\ntwo\n')
      local child = w:nvim({ args = { path } })
      child:cmd('1Codebot rewrite differently')
      child:wait('the diff', 'return #vim.api.nvim_list_tabpages() == 2 and vim.wo.diff')
      child:keys('r')
      child:wait('the tab to close', 'return #vim.api.nvim_list_tabpages() == 1')
      h.same(child:lines(), { 'one', 'two' })
      child:cmd('1Codebot rewrite again')
      child:told('the model gave no lines')
      h.same(child:lines(), { 'one', 'two' })
    end,
  },
}
