--- What a person does with a conversation: compact it, look into it, take turns back,
--- copy it, name it, remove it, write it down.
local sessions = require('codebot.session')
local ops = require('codebot.session.ops')
local client = require('codebot.client')
local t = require('codebot.text')

local M = {}

local function complain(err)
  if err then
    client.complain(err)
  end
end

local function tell(...)
  vim.notify('codebot: ' .. t(...))
end

--- The session that an action is about; says so where there is none.
---@return codebot.Session|nil
local function open_session()
  local session = sessions.current()
  if not session or session.lost then
    tell('there is no session yet')
    return nil
  end
  return session
end

--- Makes the conversation smaller for the model.
function M.compact()
  local session = open_session()
  if not session then
    return
  end
  sessions.note(session, t('Compacting the conversation...'))
  ops.compact(session, function(err, result)
    if err then
      sessions.note(session, client.error_text(err), true)
    elseif result.before == result.after then
      sessions.note(session, t('There is nothing to leave out yet.'))
    else
      sessions.note(session, t('Compacted: %d tokens became %d.', result.before, result.after))
    end
  end)
end

--- The lines of the context window: what a request is made of, with its size.
---@param result codebot.SessionContextResult
---@return string[]
function M.context_lines(result)
  local rows = {
    { t('tools'), t.count('1 tool', '%d tools', result.tools.count), result.tools.tokens, result.tools.hash },
  }
  for _, block in ipairs(result.blocks) do
    rows[#rows + 1] = { block.key, '', block.tokens, block.hash }
  end
  rows[#rows + 1] = { t('messages'), t('%d messages', result.messages.count), result.messages.tokens, '' }
  local total, widths = 0, { 0, 0 }
  for _, row in ipairs(rows) do
    total = total + row[3]
    for i = 1, 2 do
      widths[i] = math.max(widths[i], vim.fn.strdisplaywidth(row[i] --[[@as string]]))
    end
  end
  local function pad(s, width)
    return s .. (' '):rep(width - vim.fn.strdisplaywidth(s))
  end
  local lines = {}
  for _, row in ipairs(rows) do
    local line = ('%s  %s  %8d  %s'):format(
      pad(row[1], widths[1]),
      pad(row[2], widths[2]),
      row[3],
      row[4]:sub(1, 12)
    )
    lines[#lines + 1] = (line:gsub('%s+$', ''))
  end
  lines[#lines + 1] = ''
  if result.contextTokens then
    lines[#lines + 1] =
      t('%d of %d tokens, %d%%', total, result.contextTokens, 100 * total / result.contextTokens)
  else
    lines[#lines + 1] = t('%d tokens', total)
  end
  if result.cacheBreak then
    lines[#lines + 1] = t('The cache of the last request is lost from here on: %s', result.cacheBreak)
  end
  return lines
end

--- Shows what the next request is made of.
function M.context()
  local session = open_session()
  if not session then
    return
  end
  ops.context(session, function(err, result)
    if err then
      return client.complain(err)
    end
    require('codebot.float').open(M.context_lines(result), { title = t('Context') })
  end)
end

---@param session codebot.Session
---@param block codebot.Block
---@param wish codebot.RollbackWish
---@param done fun(result: codebot.SessionRollbackResult)
local function roll_back(session, block, wish, done)
  ops.rollback(session, block, wish, function(err, result)
    if err then
      return client.complain(err)
    elseif #result.conflicts == 0 then
      return done(result)
    end
    local clean = require('codebot.clean')
    local names = vim.tbl_map(function(conflict)
      return vim.fn.fnamemodify(clean.line(conflict.path), ':~:.')
    end, result.conflicts)
    vim.ui.select({ true, false }, {
      prompt = t('Changed since by somebody else: %s', table.concat(names, ', ')),
      kind = 'codebot_conflict',
      format_item = function(yes)
        return yes and t('Overwrite them') or t('Leave everything as it is')
      end,
    }, function(yes)
      if yes then
        wish.overwrite = vim.tbl_map(function(conflict)
          return conflict.path
        end, result.conflicts)
        roll_back(session, block, wish, done)
      end
    end)
  end)
end

---@param result codebot.SessionRollbackResult
local function report(session, result)
  local clean = require('codebot.clean')
  local lines = {}
  for _, file in ipairs(result.files) do
    lines[#lines + 1] = (file.change == 'removed' and t('removed %s', clean.line(file.path)))
      or t('restored %s', clean.line(file.path))
  end
  for _, command in ipairs(result.notUndone) do
    lines[#lines + 1] = t('not undone: %s', clean.line(command))
  end
  if #lines == 0 then
    lines[1] = t('Taken back; no file had been edited.')
  end
  sessions.note(session, table.concat(lines, '\n'))
end

--- Takes a turn back, and all after it: after a question, its files, its messages or
--- both. The text of a prompt that goes is in the prompt buffer again.
---@param block? codebot.Block the user's message; default the last one
function M.undo(block)
  local session = open_session()
  if not session then
    return
  end
  block = block or ops.last_prompt(session)
  if session.running then
    return tell('a turn is running; stop it or wait for its end')
  elseif not block or not block.id then
    return tell('there is no turn to take back')
  end
  vim.ui.select({
    { files = true, messages = true, name = t('Files and messages') },
    { files = true, messages = false, name = t('Only the files') },
    { files = false, messages = true, name = t('Only the messages') },
  }, {
    prompt = t(
      'Take back from "%s"',
      require('codebot.chat.render').shorten(block.text:gsub('\n.*', ''), 40)
    ),
    kind = 'codebot_undo',
    format_item = function(item)
      return item.name
    end,
  }, function(choice)
    if choice then
      local wish = { files = choice.files, messages = choice.messages }
      roll_back(session, block, wish, function(result)
        report(session, result)
        if result.prompt then
          require('codebot.chat.prompt').fill(result.prompt)
        end
      end)
    end
  end)
end

--- The prompts of a session, in order.
---@param session codebot.Session
local function prompts(session)
  return vim.tbl_filter(function(block)
    return block.kind == 'user'
  end, session.blocks)
end

--- Sends a prompt again, in place of all that came of it. Files stay as they are.
---@param block? codebot.Block the prompt; default the last one
function M.retry(block)
  local session = open_session()
  if not session then
    return
  end
  local all = prompts(session)
  block = block or all[#all]
  if session.running then
    return tell('a turn is running; stop it or wait for its end')
  elseif not block then
    return tell('there is no prompt to send again')
  elseif not block.id then
    -- Its turn failed, so it has no name to be taken back by; it is said once more.
    return require('codebot.chat').again(session, block)
  end
  roll_back(session, block, { files = false, messages = true }, function()
    require('codebot.chat').again(session, block)
  end)
end

--- Opens a copy of the session: whole, or up to before a prompt, whose text is then in the
--- prompt buffer to be written otherwise.
---@param block? codebot.Block of kind user
function M.fork(block)
  local session = open_session()
  if not session then
    return
  elseif session.running then
    return tell('a turn is running; stop it or wait for its end')
  end
  local place ---@type integer|nil
  for i, b in ipairs(prompts(session)) do
    place = b == block and i or place
  end
  ops.fork(session.id, nil, function(made, err)
    if not made then
      return complain(err)
    end
    local chat = require('codebot.chat')
    local function show()
      chat.show(made)
      sessions.note(made, t('This is a copy; the other goes on by itself.'))
    end
    local from = place and prompts(made)[place]
    if not from or not from.id then
      return show()
    end
    roll_back(made, from, { files = false, messages = true }, function(result)
      show()
      if result.prompt then
        require('codebot.chat.prompt').fill(result.prompt)
      end
    end)
  end)
end

--- Asks for what is wrong with lines of the current buffer to be mended.
---@param line1 integer
---@param line2 integer
---@param how string what the person adds, or nothing
function M.fix(line1, line2, how)
  local clean = require('codebot.clean')
  local lines = {}
  for _, d in ipairs(vim.diagnostic.get(0)) do
    if d.lnum + 1 <= line2 and (d.end_lnum or d.lnum) + 1 >= line1 then
      lines[#lines + 1] = ('- %d:%d %s'):format(d.lnum + 1, d.col + 1, clean.line(d.message))
    end
  end
  if #lines == 0 and how == '' then
    return tell('no problem is known of these lines')
  end
  table.sort(lines)
  table.insert(lines, 1, #lines > 0 and t('Fix these problems:') or t('Fix these lines.'))
  if how ~= '' then
    lines[#lines + 1] = how
  end
  require('codebot.chat').ask(table.concat(lines, '\n'), { line1 = line1, line2 = line2 })
end

--- Gives a session another title.
---@param id string
---@param title string
function M.rename(id, title)
  ops.rename(id, title, complain)
end

--- Removes a session for good, after a question.
---@param info {sessionId: string, title?: string}
---@param done? fun()
function M.delete(info, done)
  vim.ui.select({ false, true }, {
    prompt = t('Delete "%s" for good?', require('codebot.clean').line(info.title or t('without a title'))),
    kind = 'codebot_delete',
    format_item = function(yes)
      return yes and t('Delete') or t('Keep')
    end,
  }, function(yes)
    if yes then
      local shown = sessions.current()
      ops.delete(info.sessionId, function(err)
        complain(err)
        if not err and shown and shown.id == info.sessionId then
          require('codebot.chat').close()
        end
        if not err and done then
          done()
        end
      end)
    end
  end)
end

--- Opens a conversation as a document, in a buffer to save where one likes.
---@param id string
---@param format codebot.ExportFormat
function M.export(id, format)
  ops.export(id, format, function(err, result)
    if err then
      return client.complain(err)
    end
    vim.cmd.tabnew()
    local buf = vim.api.nvim_get_current_buf()
    vim.bo[buf].modeline = false
    vim.api.nvim_buf_set_lines(buf, 0, -1, false, vim.split(result.text, '\n', { plain = true }))
    vim.bo[buf].filetype = format == 'json' and 'json' or 'markdown'
  end)
end

return M
