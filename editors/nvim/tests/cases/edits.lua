-- Edits of the agent in buffers that have the file open.
local h = require('harness')

--- A child with a chat and a.txt in the window above it, whose agent makes these edits of
--- a.txt, one in a turn, each {old, new}; one without either reads it.
---@param text string of the file
---@param edits string[][]
---@param before? string Lua to run before the file is opened
local function editing(text, edits, before)
  local w = h.world()
  local replies = {}
  for _, edit in ipairs(edits) do
    vim.list_extend(replies, {
      {
        tool = edit[1] and 'edit' or 'read',
        args = { path = 'a.txt', old_string = edit[1], new_string = edit[2] },
      },
      { text = 'Done.' },
    })
  end
  local model = w:model(replies)
  local path = w:write('a.txt', text)
  local child = w:nvim()
  child:ready()
  child:cmd('Codebot mode accept_edits')
  child:wait('the mode', "return require('codebot.session').current().mode == 'accept_edits'")
  child:cmd('wincmd t')
  child:lua(before or '')
  child:cmd('edit ' .. path)
  child:lua('a = vim.api.nvim_get_current_buf()')
  --- Has the agent make its next edit, and returns what the model was told of it.
  local asked = 0
  local function ask()
    asked = asked + 1
    child:cmd('Codebot ask change it')
    child:wait(
      'the turn',
      'local s = require("codebot.session").current() return s.prompted and not s.running'
    )
    local messages = model.requests[2 * asked].messages
    return vim.json.encode(messages[#messages].content)
  end
  return child, ask, path, w
end

local function lines(child)
  return child:lua('return vim.api.nvim_buf_get_lines(a, 0, -1, false)')
end

local function undo(child)
  child:lua('vim.api.nvim_buf_call(a, function() vim.cmd("silent undo") end)')
end

return {
  {
    'an edit on top of what was typed is one step for u, keeps the cursor and is written',
    function()
      local text = {}
      for i = 1, 200 do
        text[i] = 'line ' .. i
      end
      local child, ask, path = editing(table.concat(text, '\n') .. '\n', {
        { 'line 20\n', 'zwanzig\nund mehr\n' },
      })
      child:keys('150GAtyped<Esc>zt')
      child:wait('the typing', "return vim.api.nvim_buf_get_lines(a, 149, 150, true)[1] == 'line 150typed'")
      local place = [[
        local win = vim.fn.bufwinid(a)
        return { vim.api.nvim_win_get_cursor(win), vim.fn.getwininfo(win)[1].topline }
      ]]
      local before = child:lua(place)
      h.same(before, { { 150, 13 - 1 }, 150 })
      local typed = lines(child)
      h.has(ask(), 'unsaved changes')
      h.same(child:lua(place), { { 151, 13 - 1 }, 151 })
      h.same(child:lua('return vim.bo[a].modified'), false)
      local after = lines(child)
      h.same({ after[20], after[21], after[151] }, { 'zwanzig', 'und mehr', 'line 150typed' })
      h.same(h.read(path), table.concat(after, '\n') .. '\n')
      undo(child)
      h.same(lines(child), typed)
      undo(child)
      h.same(lines(child), text)
    end,
  },
  {
    'somebody who types goes on typing while the agent edits above',
    function()
      local w = h.world()
      local model = w:model({
        {
          text = 'I edit.',
          tool = 'edit',
          args = { path = 'a.txt', old_string = 'one', new_string = 'eins\nzwei' },
          hold = true,
        },
        { text = 'Done.' },
      })
      local path = w:write('a.txt', 'one\ntwo\n')
      local child = w:nvim()
      child:ready()
      child:cmd('Codebot mode accept_edits')
      child:wait('the mode', "return require('codebot.session').current().mode == 'accept_edits'")
      child:cmd('wincmd t')
      child:cmd('edit ' .. path)
      child:lua('a = vim.api.nvim_get_current_buf()')
      child:cmd('Codebot ask change it')
      child:see('I edit.')
      child:cmd('stopinsert | wincmd t | 2')
      child:keys('Ahalf')
      child:wait(
        'the typing',
        "return vim.api.nvim_get_mode().mode == 'i' and vim.fn.getline(2) == 'twohalf'"
      )
      model.release()
      child:see('Done.')
      h.same(h.read(path), 'eins\nzwei\ntwohalf\n')
      child:keys(' and half<Esc>')
      child:wait('the rest', "return vim.fn.getline(3) == 'twohalf and half'")
      undo(child)
      undo(child)
      h.same(lines(child), { 'one', 'twohalf' })
    end,
  },
  {
    'what a formatter does on saving belongs to the edit, also when it is taken back',
    function()
      local child, ask, path = editing(
        'x=1\n',
        { { 'x=1', 'x=2\\ny=3' }, { 'x = 2', 'x = 4' } },
        [[
        vim.api.nvim_create_autocmd('BufWritePre', { pattern = '*.txt', callback = function(args)
          for i, line in ipairs(vim.api.nvim_buf_get_lines(args.buf, 0, -1, true)) do
            vim.api.nvim_buf_set_lines(args.buf, i - 1, i, true, { (line:gsub(' ?= ?', ' = ')) })
          end
        end })
      ]]
      )
      h.has(ask(), 'changed more of it')
      h.same(h.read(path), 'x = 2\\ny = 3\n')
      h.same(lines(child), { 'x = 2\\ny = 3' })
      h.lacks(ask(), 'changed more')
      h.same(h.read(path), 'x = 4\\ny = 3\n')
      undo(child)
      h.same(lines(child), { 'x = 2\\ny = 3' })
      undo(child)
      h.same(lines(child), { 'x=1' })
      child:lua(
        "vim.api.nvim_buf_call(a, function() vim.cmd('silent redo | silent redo | noautocmd silent write') end)"
      )
      -- Both turns: the file is as it was, and the buffer shows it.
      child:lua([[
        local ops, sessions = require('codebot.session.ops'), require('codebot.session')
        local session = sessions.current()
        for _, block in ipairs(session.blocks) do
          if block.kind == 'user' and block.id then
            return ops.rollback(session, block, { files = true, messages = false }, function(err, result)
              done = err or result
            end)
          end
        end
      ]])
      h.same(child:wait('the answer', 'return done').conflicts, {})
      h.same(h.read(path), 'x=1\n')
      child:wait('the buffer', "return vim.api.nvim_buf_get_lines(a, 0, -1, true)[1] == 'x=1'")
      -- What the formatter made of that is a step for u as well.
      undo(child)
      undo(child)
      h.same(lines(child), { 'x = 4\\ny = 3' })
    end,
  },
  {
    'line breaks, wide characters and a last line without a break stay as they are',
    function()
      local whole = 'vim.o.fixendofline = false'
      for _, case in ipairs({
        { 'a\r\none\r\n', { 'one', 'two\nthree' }, 'a\r\ntwo\r\nthree\r\n' },
        { '😀é one 𝔸\nb\n', { 'one', '😁' }, '😀é 😁 𝔸\nb\n' },
        { 'a\none', { 'one', 'two' }, 'a\ntwo', whole },
        { 'a\none', { 'one', 'two\n' }, 'a\ntwo\n', whole },
        { 'a\none\n', { 'one\n', 'two' }, 'a\ntwo', whole },
        { 'a\none', { 'one', 'two' }, 'a\ntwo\n' },
        { 'a\r\nb\none\n', { 'one', 'two' }, 'a\r\nb\ntwo\n' },
        { 'a\none\n', { 'one\n', 'one\n\n' }, 'a\none\n\n' },
        { 'one\n', { 'one\n', '' }, '', whole },
        { '\239\187\191one\n', { 'one', 'two' }, '\239\187\191two\n' },
      }) do
        local child, ask, path = editing(case[1], { case[2], {}, { 'xxx', 'x' } }, case[4])
        h.lacks(ask(), 'changed more')
        h.same(h.read(path), case[3])
        -- What the server takes the buffer for has not drifted from what it is.
        child:lua("vim.api.nvim_buf_set_lines(a, -1, -1, true, { 'xxx' })")
        ask()
        ask()
        h.same(#lines(child), #vim.split(case[3], '\n') + (case[3]:find('\n$') and 0 or 1))
        h.same(lines(child)[#lines(child)], 'x')
        undo(child)
        undo(child)
        undo(child)
        local function plain(text)
          return (text:gsub('\239\187\191', ''):gsub('\r', ''):gsub('\n$', ''))
        end
        h.same(plain(table.concat(lines(child), '\n')), plain(case[1]))
      end
    end,
  },
  {
    'a buffer that cannot be changed or written stays as it is, and the model is told why',
    function()
      for _, case in ipairs({
        { 'vim.bo[a].modifiable = false', 'not modifiable' },
        { 'vim.bo[a].readonly = true', 'read-only' },
        {
          "vim.api.nvim_create_autocmd('BufWritePre', { buffer = a, callback = function() error('no saving today') end })",
          'no saving today',
        },
      }) do
        local child, ask, path = editing('one\ntwo\n', { { 'two', 'zwei' } })
        child:lua("vim.api.nvim_buf_set_lines(a, 0, 1, false, { 'mine' })")
        child:lua(case[1])
        local said = ask()
        h.has(said, 'did not make the edit')
        h.has(said, case[2])
        h.same(lines(child), { 'mine', 'two' })
        h.same(child:lua('return vim.bo[a].modified'), true)
        h.same(h.read(path), 'one\ntwo\n')
      end
    end,
  },
  {
    'a file that both the disk and the buffer have changed is left to the person',
    function()
      local child, ask, path = editing('one\ntwo\n', { { 'two', 'zwei' } })
      child:lua("vim.api.nvim_buf_set_lines(a, 0, 1, false, { 'mine' })")
      h.write(path, 'theirs\ntwo\nand more\n')
      h.has(ask(), 'another on the disk')
      h.same(lines(child), { 'mine', 'two' })
      h.same(h.read(path), 'theirs\ntwo\nand more\n')
    end,
  },
}
