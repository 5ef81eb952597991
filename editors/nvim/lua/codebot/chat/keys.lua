--- The keys of the chat buffer.
local sessions = require('codebot.session')
local t = require('codebot.text')

local M = {}

local function row()
  return vim.api.nvim_win_get_cursor(0)[1] - 1
end

--- The call with a question that a key is meant for: the one under the cursor. From
--- elsewhere a key only brings the cursor to the oldest, so that nobody allows what
--- he does not look at.
---@param view codebot.View
---@return codebot.Block|nil
local function asked(view)
  local here = view:at(row())
  if here and here.question then
    return here
  end
  local open = sessions.questions(view.session)[1]
  if not open then
    return nil
  end
  local first, last = view:rows(open)
  local bottom = vim.api.nvim_buf_line_count(view.buf)
  -- At the end of the text the cursor is behind the question that it followed.
  if last and row() >= last and row() >= bottom - 2 then
    return open
  elseif first then
    vim.api.nvim_win_set_cursor(0, { first + 1, 0 })
    require('codebot.chat.question').shown(open)
  end
  return nil
end

---@param view codebot.View
---@param direction 1|-1
local function jump(view, direction)
  local starts = view:starts()
  local at = row()
  local from, to = 1, #starts
  if direction < 0 then
    from, to = to, from
  end
  for i = from, to, direction do
    if (starts[i] - at) * direction > 0 then
      return vim.api.nvim_win_set_cursor(0, { starts[i] + 1, 0 })
    end
  end
end

--- The prompt of the turn that the cursor is in.
---@param view codebot.View
---@return codebot.Block|nil
local function turn(view)
  local at, found = row(), nil
  for _, drawn in ipairs(view.drawn) do
    if drawn.row > at then
      break
    elseif drawn.block.kind == 'user' then
      found = drawn.block
    end
  end
  return found
end

--- The fenced code around a row.
---@param buf integer
---@param at integer from 0
---@return string[]|nil
local function code_at(buf, at)
  local lines = vim.api.nvim_buf_get_lines(buf, 0, -1, false)
  local open, mark
  for i, line in ipairs(lines) do
    local found = line:match('^%s*(```+)')
    if found and not open then
      open, mark = i, found
    elseif found and #found >= #mark then
      if open - 1 <= at and at <= i - 1 then
        return vim.list_slice(lines, open + 1, i - 1)
      end
      open, mark = nil, nil
    end
  end
end

--- Places of everything that tools have edited, for the quickfix list.
---@param session codebot.Session
local function changes(session)
  local items, files = {}, require('codebot.files')
  for _, block in ipairs(sessions.all(session)) do
    local call = block.call
    if call and call.kind == 'edit' and call.status == 'completed' then
      local line = call.locations and call.locations[1] and call.locations[1].line
      for _, path in ipairs(files.paths(call)) do
        items[#items + 1] =
          { filename = path, lnum = line or 1, text = require('codebot.clean').line(call.title or '') }
      end
    end
  end
  return items
end

---@param view codebot.View
function M.map(view)
  local config = require('codebot.config')
  local chat = function()
    return require('codebot.chat')
  end
  local function option(id)
    return function()
      local block = asked(view)
      if block then
        require('codebot.chat.question').answer(view.session, block, id)
      elseif #sessions.questions(view.session) == 0 then
        vim.notify('codebot: ' .. t('nothing is asked'))
      end
    end
  end
  config.map(view.buf, {
    allow_once = { 'n', option('allow_once'), t('Allow once') },
    allow_session = { 'n', option('allow_session'), t('Allow in this session') },
    allow_always = { 'n', option('allow_always'), t('Allow always') },
    reject_once = { 'n', option('reject_once'), t('Reject') },
    reject_always = { 'n', option('reject_always'), t('Reject always') },
    diff = {
      'n',
      function()
        local here = view:at(row())
        local block = here and here.call and here or asked(view)
        if block then
          require('codebot.chat.question').diff(view.session, block)
        end
      end,
      t('Show the diff'),
    },
    open = {
      'n',
      function()
        local action = view:action(row())
        if action then
          return require('codebot.chat.card').act(view.session, action)
        end
        local block = view:at(row())
        local call = block and block.call
        local location = call and call.locations and call.locations[1]
        local path = location and location.path or call and require('codebot.files').paths(call)[1]
        if path then
          require('codebot.files').open(path, location and location.line)
        elseif vim.fn.foldlevel('.') > 0 then
          vim.cmd('normal! za')
        end
      end,
      t('Open the file or the fold'),
    },
    next = {
      'n',
      function()
        jump(view, 1)
      end,
      t('Next block'),
    },
    previous = {
      'n',
      function()
        jump(view, -1)
      end,
      t('Previous block'),
    },
    yank = {
      'n',
      function()
        local code = code_at(view.buf, row())
        if code then
          vim.fn.setreg(vim.v.register, code, 'l')
          vim.notify('codebot: ' .. t.count('1 line yanked', '%d lines yanked', #code))
        end
      end,
      t('Yank the code under the cursor'),
    },
    changes = {
      'n',
      function()
        local items = changes(view.session)
        if #items == 0 then
          vim.notify('codebot: ' .. t('no file was edited in this session'))
        else
          vim.fn.setqflist({}, ' ', { title = 'codebot', items = items })
          vim.cmd('botright copen')
        end
      end,
      t('Edited files to the quickfix list'),
    },
    undo = {
      'n',
      function()
        require('codebot.chat.actions').undo(turn(view))
      end,
      t('Take this turn back'),
    },
    retry = {
      'n',
      function()
        require('codebot.chat.actions').retry(turn(view))
      end,
      t('Send this prompt again'),
    },
    fork = {
      'n',
      function()
        require('codebot.chat.actions').fork(turn(view))
      end,
      t('Go on from this prompt in a copy'),
    },
    stop = {
      'n',
      function()
        chat().stop()
      end,
      t('Stop the turn'),
    },
    prompt = {
      'n',
      function()
        chat().open({ focus = true })
      end,
      t('Write a prompt'),
    },
    close = {
      'n',
      function()
        chat().close()
      end,
      t('Close the chat'),
    },
    help = {
      'n',
      function()
        require('codebot.help').keys(view.buf)
      end,
      t('Show the keys'),
    },
  })
end

return M
