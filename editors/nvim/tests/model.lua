--- A model for the tests: an endpoint of the chat completions kind on the loopback, that
--- answers each request with the next of its replies.
local http = require('http')

local M = {}

---@class Reply
---@field text? string
---@field tool? string
---@field args? table
---@field status? integer the request is refused with it
---@field hold? boolean the end of the answer waits for release()

local function chunk(data)
  return ('%x\r\n%s\r\n'):format(#data, data)
end

local function event(delta, finish)
  local choice = { index = 0, delta = delta, finish_reason = finish or vim.NIL }
  local body = { id = 'c', object = 'chat.completion.chunk', created = 1, model = 'm', choices = { choice } }
  return chunk('data: ' .. vim.json.encode(body) .. '\n\n')
end

--- Starts the endpoint.
---@param replies Reply[]
function M.start(replies)
  local model = { requests = {}, held = {} }
  local kind = { ['Content-Type'] = 'application/json' }
  local function answer(socket, path, body)
    if not path:find('chat/completions', 1, true) then
      local list = vim.json.encode({ object = 'list', data = { { id = 'm', object = 'model' } } })
      return http.respond(socket, 200, kind, list)
    end
    table.insert(model.requests, body)
    local reply = table.remove(replies, 1) or { text = 'There is nothing more.' }
    if reply.status then
      local refused = vim.json.encode({ error = { message = reply.text, type = 'error' } })
      return http.respond(socket, reply.status, kind, refused)
    end
    socket:write('HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n')
    if reply.text then
      socket:write(event({ role = 'assistant', content = reply.text }))
    end
    local function finish()
      if reply.tool then
        local call = {
          index = 0,
          id = 'call' .. #model.requests,
          type = 'function',
          ['function'] = { name = reply.tool, arguments = vim.json.encode(reply.args) },
        }
        socket:write(event({ tool_calls = { call } }))
      end
      socket:write(event({ content = '' }, reply.tool and 'tool_calls' or 'stop'))
      socket:write(chunk('data: [DONE]\n\n') .. '0\r\n\r\n')
    end
    if reply.hold then
      table.insert(model.held, finish)
    else
      finish()
    end
  end
  local server = http.listen(function(socket, request)
    answer(socket, request.path, request.body ~= '' and vim.json.decode(request.body) or {})
  end)
  model.url, model.stop = server.url .. '/v1', server.stop
  --- Ends the answers that are held.
  function model.release()
    for _, finish in ipairs(model.held) do
      finish()
    end
    model.held = {}
  end
  return model
end

return M
