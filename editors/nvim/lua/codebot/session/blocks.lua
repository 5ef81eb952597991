--- What a session is made of: a list of blocks, changed by what the server tells.
local M = {}

---@class codebot.Block
---@field kind "user"|"agent"|"thought"|"tool"|"plan"|"note"|"card"
---@field text string what is said; for kinds user, agent, thought, note
---@field id? string messageId of what is said, for fork and undo
---@field prompt? codebot.ContentBlock[] of kind user: what was sent, when it was sent from here
---@field done? boolean nothing is added any more
---@field bad? boolean a note of something that went wrong
---@field remedy? codebot.ModelAction what a person can do about it
---@field call? codebot.ToolCallUpdate of kind tool
---@field question? codebot.Question of kind tool, while a person is asked
---@field answer? string the option id that a person chose
---@field started? number when the call began to run, in ms of vim.uv.now()
---@field entries? codebot.PlanEntry[] of kind plan
---@field card? codebot.Card of kind card
---@field children? codebot.Block[] of kind tool: the calls of its sub-agent
---@field parent? codebot.Block the call whose sub-agent made this one

---@class codebot.Question
---@field params codebot.RequestPermissionParams
---@field reply fun(result: codebot.RequestPermissionResult)

---@class codebot.Session
---@field id string
---@field cwd string
---@field model string
---@field mode string
---@field modes codebot.SessionMode[]
---@field title string
---@field blocks codebot.Block[]
---@field calls table<string, codebot.Block> by toolCallId
---@field running boolean a turn runs
---@field prompted boolean it has had a prompt, so the server keeps it
---@field lost? boolean the server that had it open is gone
---@field commands codebot.AvailableCommand[]
---@field usage? {used: integer, size: integer, cost?: codebot.Cost}
---@field after? fun()[] what is to be done when the turn has ended
---@field card? codebot.Block what stands above the conversation while there is no model

---@alias codebot.SessionEvent "block"|"reset"|"meta"|"question"|"replaced"
---@type fun(session: codebot.Session, event: codebot.SessionEvent, block: codebot.Block|nil)[]
local listeners = {}

--- Calls back with everything that happens in any session.
---@param listener fun(session: codebot.Session, event: codebot.SessionEvent, block: codebot.Block|nil)
function M.listen(listener)
  listeners[#listeners + 1] = listener
end

--- Tells everybody who listens.
---@param session codebot.Session
---@param event codebot.SessionEvent
---@param block? codebot.Block
function M.tell(session, event, block)
  for _, listener in ipairs(listeners) do
    listener(session, event, block)
  end
end

--- Tells of a change to a call, which is drawn as part of the outermost one.
---@param session codebot.Session
---@param block codebot.Block
function M.tell_call(session, block)
  local outer = block.parent
  while outer do
    block, outer = outer, outer.parent
  end
  M.tell(session, 'block', block)
end

--- All blocks, those of sub-agents behind the call that they belong to.
---@param session codebot.Session
---@return codebot.Block[]
function M.all(session)
  local all = {}
  local function add(blocks)
    for _, block in ipairs(blocks) do
      all[#all + 1] = block
      add(block.children or {})
    end
  end
  add(session.blocks)
  return all
end

---@param session codebot.Session
---@param block codebot.Block
function M.append(session, block)
  local last = session.blocks[#session.blocks]
  if last and not last.done and last.kind ~= 'tool' then
    last.done = true
    M.tell(session, 'block', last)
  end
  session.blocks[#session.blocks + 1] = block
  M.tell(session, 'block', block)
  return block
end

--- Adds a line of ours to the conversation; it is no part of what the server keeps.
---@param session codebot.Session
---@param text string
---@param bad? boolean
---@param remedy? codebot.ModelAction
function M.note(session, text, bad, remedy)
  M.append(session, { kind = 'note', text = text, bad = bad, remedy = remedy, done = true })
end

--- A turn is over: nothing is added to what it said.
---@param session codebot.Session
function M.end_turn(session)
  session.running = false
  for _, block in ipairs(M.all(session)) do
    if not block.done then
      block.done = true
      M.tell_call(session, block)
    end
  end
  M.tell(session, 'meta')
end

--- The text of a content block, as a person reads it.
---@param content codebot.ContentBlock
---@return string
function M.content_text(content)
  if content.type == 'text' then
    return content.text or ''
  elseif content.type == 'resource_link' then
    return '@' .. (content.uri or content.name or '')
  elseif content.type == 'resource' then
    return '@' .. (content.resource and content.resource.uri or '')
  end
  return ('[%s %s]'):format(content.type, content.mimeType or '')
end

---@param session codebot.Session
---@param kind "user"|"agent"|"thought"
---@param content codebot.ContentBlock
---@param id? string messageId
local function say(session, kind, content, id)
  local text = M.content_text(content)
  local last = session.blocks[#session.blocks]
  if last and last.kind == kind and not last.done and last.id == id then
    last.text = last.text .. (kind == 'user' and '\n' or '') .. text
    M.tell(session, 'block', last)
  else
    M.append(session, { kind = kind, text = text, id = id })
  end
end

local ended = { completed = true, failed = true }

---@param session codebot.Session
---@param update codebot.ToolCallUpdate
---@return codebot.Block
function M.change_call(session, update)
  local block = session.calls[update.toolCallId]
  if not block then
    block = { kind = 'tool', text = '', call = { toolCallId = update.toolCallId, status = 'pending' } }
    session.calls[update.toolCallId] = block
    local parent = session.calls[vim.tbl_get(update, '_meta', 'codebot', 'parent') or '']
    if parent and parent ~= block then
      block.parent = parent
      parent.children = parent.children or {}
      table.insert(parent.children, block)
    else
      M.append(session, block)
    end
    if session.running then
      require('codebot.event').fire('ToolStart', {
        session = session.id,
        call = update.toolCallId,
        tool = vim.tbl_get(update, '_meta', 'codebot', 'tool'),
      })
    end
  end
  local call = block.call --[[@as codebot.ToolCallUpdate]]
  for key, value in pairs(update) do
    if key ~= 'sessionUpdate' then
      call[key] = value
    end
  end
  if call.status == 'in_progress' and not block.started then
    block.started = vim.uv.now()
  end
  if ended[call.status] and not block.done then
    block.done, block.question = true, nil
    if session.running then
      require('codebot.event').fire('ToolEnd', {
        session = session.id,
        call = call.toolCallId,
        tool = vim.tbl_get(call, '_meta', 'codebot', 'tool'),
        status = call.status,
      })
      if call.kind == 'edit' or call.kind == 'execute' then
        require('codebot.files').changed(call)
      end
    end
  end
  M.tell_call(session, block)
  return block
end

---@type table<string, fun(session: codebot.Session, update: table)>
local on = {
  user_message_chunk = function(session, update)
    say(session, 'user', update.content, update.messageId)
  end,
  agent_message_chunk = function(session, update)
    say(session, 'agent', update.content, update.messageId)
  end,
  agent_thought_chunk = function(session, update)
    say(session, 'thought', update.content, update.messageId)
  end,
  tool_call = M.change_call,
  tool_call_update = M.change_call,
  plan = function(session, update)
    for i = #session.blocks, 1, -1 do
      local block = session.blocks[i]
      if block.kind == 'plan' then
        block.entries = update.entries
        return M.tell(session, 'block', block)
      elseif block.kind == 'user' then
        break
      end
    end
    M.append(session, { kind = 'plan', text = '', entries = update.entries })
  end,
  current_mode_update = function(session, update)
    session.mode = update.currentModeId
    M.tell(session, 'meta')
  end,
  config_option_update = function(session, update)
    for _, option in ipairs(update.configOptions) do
      if option.id == 'model' or option.category == 'model' then
        session.model = option.currentValue
      end
    end
    M.tell(session, 'meta')
  end,
  available_commands_update = function(session, update)
    session.commands = update.availableCommands
  end,
  session_info_update = function(session, update)
    session.title = update.title or session.title
    M.tell(session, 'meta')
  end,
  usage_update = function(session, update)
    session.usage = { used = update.used, size = update.size, cost = update.cost }
    M.tell(session, 'meta')
  end,
}

--- Takes an update of the server's. A kind that a newer server knows is none of ours.
---@param session codebot.Session
---@param update table
function M.update(session, update)
  local handle = on[update.sessionUpdate]
  if handle then
    handle(session, update)
  end
end

return M
