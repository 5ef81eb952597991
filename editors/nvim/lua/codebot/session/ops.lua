--- What can be done with a session beside talking in it. Of the arguments of a callback the
--- result is there where no error is.
local sessions = require('codebot.session')
local client = require('codebot.client')
local methods = require('codebot.protocol_gen').methods

local M = {}

--- Adds to the running turn. It is shown when the turn takes it in.
---@param session codebot.Session
---@param prompt codebot.ContentBlock[]
---@param callback fun(err: lsp.ResponseError|nil)
function M.steer(session, prompt, callback)
  client.request(methods.session_steer, { sessionId = session.id, prompt = prompt }, callback)
end

--- Makes the conversation smaller for the model.
---@param session codebot.Session
---@param callback fun(err: lsp.ResponseError|nil, result: codebot.SessionCompactResult)
function M.compact(session, callback)
  client.request(methods.session_compact, { sessionId = session.id }, callback)
end

---@param session codebot.Session
---@param callback fun(err: lsp.ResponseError|nil, result: codebot.SessionContextResult)
function M.context(session, callback)
  client.request(methods.session_context, { sessionId = session.id }, callback)
end

---@param id string
---@param title string
---@param callback fun(err: lsp.ResponseError|nil)
function M.rename(id, title, callback)
  client.request(methods.session_rename, { sessionId = id, title = title }, callback)
end

---@param id string
---@param callback fun(err: lsp.ResponseError|nil)
function M.delete(id, callback)
  client.request(methods.session_delete, { sessionId = id }, function(err)
    if not err then
      sessions.forget(id)
    end
    callback(err)
  end)
end

--- Copies a session and opens the copy.
---@param id string
---@param to? string messageId of the last message to copy; default all
---@param callback fun(session: codebot.Session|nil, err: lsp.ResponseError|nil)
function M.fork(id, to, callback)
  client.request(methods.session_fork, { sessionId = id, toMessageId = to }, function(err, result)
    if err then
      return callback(nil, err)
    end
    -- The copy is open and empty here: a load tells what was said in it.
    sessions.load(result.sessionId, callback)
  end)
end

---@param id string
---@param format codebot.ExportFormat
---@param callback fun(err: lsp.ResponseError|nil, result: codebot.SessionExportResult)
function M.export(id, format, callback)
  client.request(methods.session_export, { sessionId = id, format = format }, callback)
end

---@class codebot.RollbackWish
---@field files boolean
---@field messages boolean
---@field overwrite? string[]

--- Takes back the turn that a message of the user's began, and all after it. Where the
--- messages go they go here as well.
---@param session codebot.Session
---@param block codebot.Block of kind user, with an id
---@param wish codebot.RollbackWish
---@param callback fun(err: lsp.ResponseError|nil, result: codebot.SessionRollbackResult)
function M.rollback(session, block, wish, callback)
  client.request(methods.session_rollback, {
    sessionId = session.id,
    toMessageId = block.id,
    files = wish.files,
    messages = wish.messages,
    overwrite = wish.overwrite,
  }, function(err, result)
    if not err and #result.conflicts == 0 then
      if wish.messages then
        sessions.cut(session, block)
      end
      -- Buffers of the files show what is on the disk now.
      vim.cmd.checktime()
    end
    callback(err, result)
  end)
end

--- The last prompt of a session that can be taken back.
---@param session codebot.Session
---@return codebot.Block|nil
function M.last_prompt(session)
  for i = #session.blocks, 1, -1 do
    local block = session.blocks[i]
    if block.kind == 'user' and block.id then
      return block
    end
  end
end

return M
