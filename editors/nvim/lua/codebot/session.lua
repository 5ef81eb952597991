--- The sessions of this Neovim as the server tells them: a list of blocks each, which
--- the chat draws. Nothing here knows a window.
local protocol = require('codebot.protocol_gen')
local client = require('codebot.client')
local blocks = require('codebot.session.blocks')

local M = {}
local methods = protocol.methods
local tell = blocks.tell

local sessions = {} ---@type table<string, codebot.Session>
local current ---@type codebot.Session|nil

M.listen, M.all, M.note, M.content_text = blocks.listen, blocks.all, blocks.note, blocks.content_text

---@param id string
---@return codebot.Session
local function make(id)
  local session = {
    id = id,
    cwd = '',
    model = '',
    mode = '',
    modes = {},
    title = '',
    blocks = {},
    calls = {},
    running = false,
    prompted = false,
    commands = {},
  }
  sessions[id] = session
  return session
end

--- The session of the chat, if there is one.
---@return codebot.Session|nil
function M.current()
  return current
end

---@param session codebot.Session
local function make_current(session)
  current = session
end

---@param session codebot.Session
local function take_modes(session, result)
  session.model = result.model
  session.mode = result.mode
  session.modes = result.modes.availableModes
  tell(session, 'meta')
end

--- Starts a session beside the current one.
---@param opts {mode?: string, cwd?: string} cwd: absolute; default the project
---@param callback fun(session: codebot.Session|nil, err: lsp.ResponseError|nil)
function M.side(opts, callback)
  local root = opts.cwd or require('codebot.root').find()
  client.add_folder(root)
  client.request(methods.session_new, { cwd = root, mode = opts.mode }, function(err, result)
    if err then
      return callback(nil, err)
    end
    local session = make(result.sessionId)
    session.cwd = result.cwd
    take_modes(session, result)
    callback(session)
  end)
end

--- Starts a session and makes it the current one.
---@param callback fun(session: codebot.Session|nil, err: lsp.ResponseError|nil)
---@param cwd? string absolute; default the project
function M.new(callback, cwd)
  M.side({ cwd = cwd }, function(session, err)
    if session then
      make_current(session)
    end
    callback(session, err)
  end)
end

local getting ---@type fun(session: codebot.Session|nil, err: lsp.ResponseError|nil)[]|nil

--- Calls back with the current session, which is started where there is none.
---@param callback fun(session: codebot.Session|nil, err: lsp.ResponseError|nil)
function M.get(callback)
  if current and not current.lost then
    return callback(current)
  elseif getting then
    table.insert(getting, callback)
    return
  end
  getting = { callback }
  local function settle(session, err)
    local waiting = getting or {}
    getting = nil
    for _, f in ipairs(waiting) do
      f(session, err)
    end
  end
  if current and current.lost then
    return M.recover(current, settle)
  end
  M.new(settle)
end

--- Forgets a session that was deleted.
---@param id string
function M.forget(id)
  local session = sessions[id]
  sessions[id] = nil
  if session and session == current then
    current = nil
  end
end

--- Takes a block and all after it out of what is shown.
---@param session codebot.Session
---@param block codebot.Block
function M.cut(session, block)
  local kept, calls = {}, {}
  for _, b in ipairs(session.blocks) do
    if b == block then
      break
    end
    kept[#kept + 1] = b
  end
  session.blocks = kept
  for _, b in ipairs(blocks.all(session)) do
    if b.call then
      calls[b.call.toolCallId] = b
    end
  end
  session.calls = calls
  tell(session, 'reset')
end

--- Puts a card above the conversation, or takes it away.
---@param session codebot.Session
---@param card codebot.Card|nil
function M.set_card(session, card)
  if session.card and session.card.card == card then
    return tell(session, 'block', session.card)
  end
  session.card = card and { kind = 'card', text = '', card = card, done = true } or nil
  tell(session, 'reset')
end

local function reset(session)
  session.blocks, session.calls = {}, {}
  tell(session, 'reset')
end

--- How often and after how many ms a load is tried again while the process of before
--- still holds the journal.
local busy_tries, busy_pause_ms = 20, 100

--- Opens a kept session: it is replayed into its blocks.
---@param id string
---@param callback fun(session: codebot.Session|nil, err: lsp.ResponseError|nil)
---@param tries? integer how often it was tried before
function M.load(id, callback, tries)
  local session = sessions[id]
  if session and not session.lost then
    make_current(session)
    return callback(session)
  end
  local fresh = not session
  session = session or make(id)
  local said, calls = session.blocks, session.calls
  reset(session)
  client.request(methods.session_load, { sessionId = id }, function(err, result)
    if err and fresh then
      sessions[id] = nil
    elseif err then
      -- What was said before stays on the screen.
      session.blocks, session.calls = said, calls
      tell(session, 'reset')
    end
    local kind = err and type(err.data) == 'table' and err.data.kind
    if kind == 'sessionBusy' and (tries or 0) < busy_tries then
      vim.defer_fn(function()
        M.load(id, callback, (tries or 0) + 1)
      end, busy_pause_ms)
      return
    elseif err then
      return callback(nil, err)
    end
    session.lost, session.prompted = nil, true
    for _, block in ipairs(blocks.all(session)) do
      block.done = true
    end
    take_modes(session, result)
    make_current(session)
    tell(session, 'reset')
    callback(session)
  end)
end

--- Opens a session again after its server died. One that had no prompt was not kept;
--- a new one takes its place.
---@param session codebot.Session
---@param callback fun(session: codebot.Session|nil, err: lsp.ResponseError|nil)
function M.recover(session, callback)
  local t = require('codebot.text')
  if session.prompted then
    return M.load(session.id, function(loaded, err)
      if loaded then
        blocks.note(loaded, t('The server was started again.'))
      end
      callback(loaded, err)
    end)
  end
  sessions[session.id] = nil
  M.new(function(made, err)
    if made then
      tell(session, 'replaced')
    end
    callback(made, err)
  end)
end

--- The kept sessions, the newest first.
---@param callback fun(err: lsp.ResponseError|nil, infos: codebot.SessionInfo[])
function M.list(callback)
  local all = {}
  local function page(cursor)
    client.request(methods.session_list, { cursor = cursor }, function(err, result)
      if err then
        return callback(err, all)
      end
      vim.list_extend(all, result.sessions)
      if result.nextCursor and #all < 500 then
        return page(result.nextCursor)
      end
      callback(nil, all)
    end)
  end
  page()
end

--- Calls back when no turn runs any more.
---@param session codebot.Session
---@param callback fun()
function M.after_turn(session, callback)
  if not session.running then
    return callback()
  end
  session.after = session.after or {}
  table.insert(session.after, callback)
end

--- Runs a turn. The callback comes when it has ended.
---@param session codebot.Session
---@param prompt codebot.ContentBlock[]
---@param shown string what the chat shows of it
---@param callback? fun(err: lsp.ResponseError|nil, result: codebot.SessionPromptResult)
function M.prompt(session, prompt, shown, callback)
  local asked = blocks.append(session, { kind = 'user', text = shown, prompt = prompt, done = true })
  session.running, session.prompted = true, true
  local begun = vim.uv.now()
  tell(session, 'meta')
  require('codebot.event').fire('TurnStart', { session = session.id })
  client.request(methods.session_prompt, { sessionId = session.id, prompt = prompt }, function(err, result)
    local t = require('codebot.text')
    asked.id = result and result.messageId
    if not session.lost then
      blocks.end_turn(session)
      if err then
        blocks.note(session, client.error_text(err), true, vim.tbl_get(err, 'data', 'action'))
      elseif result.stopReason == 'cancelled' then
        blocks.note(session, t('Stopped.'))
      elseif result.stopReason ~= 'end_turn' then
        blocks.note(session, t('The turn ended early: %s.', result.stopReason), true)
      end
    end
    require('codebot.event').fire('TurnEnd', {
      session = session.id,
      stop_reason = result and result.stopReason,
      error = err and err.message,
      ms = vim.uv.now() - begun,
    })
    if callback then
      callback(err, result)
    end
    local after = session.after or {}
    session.after = nil
    for _, f in ipairs(after) do
      f()
    end
  end)
end

--- Ends the running turn; the server answers its prompt at once.
---@param session codebot.Session
function M.cancel(session)
  client.notify(methods.session_cancel, { sessionId = session.id })
end

---@param session codebot.Session
---@param id string
---@param callback fun(err: lsp.ResponseError|nil)
function M.set_mode(session, id, callback)
  client.request(methods.session_set_mode, { sessionId = session.id, modeId = id }, callback)
end

---@param session codebot.Session
---@param id string
---@param callback fun(err: lsp.ResponseError|nil)
function M.set_model(session, id, callback)
  client.request(methods.session_set_model, { sessionId = session.id, modelId = id }, callback)
end

--- codebot/session/update.
---@param params codebot.SessionUpdateParams
function M.on_update(params)
  local session = sessions[params.sessionId]
  if session then
    blocks.update(session, params.update)
  end
end

--- codebot/session/didChange: a title that was given to a session that is open here.
---@param params codebot.SessionDidChangeParams
function M.on_list_change(params)
  for _, info in ipairs(params.sessions) do
    local session = sessions[info.sessionId]
    if session and info.title and info.title ~= session.title then
      session.title = info.title
      tell(session, 'meta')
    end
  end
end

--- codebot/session/requestPermission. Neovim runs handlers of requests in a coroutine
--- of their own, so this one waits for the person and holds up nothing.
---@param params codebot.RequestPermissionParams
---@return codebot.RequestPermissionResult
function M.on_question(params)
  local session = sessions[params.sessionId]
  if not session then
    return { outcome = { outcome = 'cancelled' } }
  end
  local co = assert(coroutine.running())
  local answered = false
  local block = blocks.change_call(session, params.toolCall)
  block.question = {
    params = params,
    reply = function(result)
      if not answered then
        answered = true
        local ok, err = coroutine.resume(co, result)
        if not ok then
          error(err)
        end
      end
    end,
  }
  blocks.tell_call(session, block)
  -- Whoever listens may answer at once; the coroutine has to wait by then.
  local function ask()
    if block.question then
      tell(session, 'question', block)
      require('codebot.event').fire('Permission', {
        session = session.id,
        call = params.toolCall.toolCallId,
        tool = vim.tbl_get(params.toolCall, '_meta', 'codebot', 'tool'),
        title = params.toolCall.title,
      })
    end
  end
  vim.schedule(function()
    require('codebot.unlocked')(ask)
  end)
  return coroutine.yield()
end

--- Answers a question.
---@param session codebot.Session
---@param block codebot.Block
---@param option string an option id
function M.answer(session, block, option)
  local question = block.question
  if question then
    block.question, block.answer = nil, option
    question.reply({ outcome = { outcome = 'selected', optionId = option } })
    blocks.tell_call(session, block)
  end
end

--- codebot/session/permissionResolved: a question that is still open here was taken
--- back.
---@param params codebot.PermissionResolvedParams
function M.on_resolved(params)
  local session = sessions[params.sessionId]
  local block = session and session.calls[params.toolCallId]
  local question = block and block.question
  if session and block and question then
    block.question = nil
    question.reply({ outcome = { outcome = 'cancelled' } })
    blocks.tell_call(session, block)
  end
end

--- The open questions of a session, the oldest first.
---@param session codebot.Session
---@return codebot.Block[]
function M.questions(session)
  return vim.tbl_filter(function(block)
    return block.question ~= nil
  end, blocks.all(session))
end

--- A session that waits for an answer; the current one before others.
---@return codebot.Session|nil
function M.asking()
  if current and #M.questions(current) > 0 then
    return current
  end
  for _, session in pairs(sessions) do
    if #M.questions(session) > 0 then
      return session
    end
  end
end

--- Makes an open session the current one.
---@param session codebot.Session
function M.use(session)
  make_current(session)
end

--- The client tells that the server ended. What ran is over; what was said stays.
---@param why string
---@param wanted boolean
function M.server_ended(why, wanted)
  for _, session in pairs(sessions) do
    local was_running = session.running
    session.lost = true
    for _, block in ipairs(blocks.all(session)) do
      block.question = nil
      if block.kind == 'tool' and not block.done then
        block.call.status = 'failed'
      end
    end
    blocks.end_turn(session)
    if was_running and not wanted then
      blocks.note(session, require('codebot.text')('The turn ended: %s.', why), true)
    end
  end
end

--- The client tells that a server is there. The current session is opened again, the
--- others when they are shown.
function M.server_started()
  if current and current.lost and not getting then
    M.get(function(_, err)
      if err then
        client.complain(err)
      end
    end)
  end
end

return M
