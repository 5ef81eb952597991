--- A model for the tests: an endpoint of the chat completions kind on the loopback, that
--- answers each request with the next of its replies.
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
  local server = assert(vim.uv.new_tcp())
  assert(server:bind('127.0.0.1', 0))
  local sockets = {}
  local function answer(socket, path, body)
    if not path:find('chat/completions', 1, true) then
      local list = vim.json.encode({ object = 'list', data = { { id = 'm', object = 'model' } } })
      return socket:write(
        ('HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s'):format(
          #list,
          list
        )
      )
    end
    table.insert(model.requests, body)
    local reply = table.remove(replies, 1) or { text = 'There is nothing more.' }
    if reply.status then
      local refused = vim.json.encode({ error = { message = reply.text, type = 'error' } })
      local head = 'HTTP/1.1 %d X\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s'
      return socket:write(head:format(reply.status, #refused, refused))
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
  server:listen(16, function()
    local socket = assert(vim.uv.new_tcp())
    server:accept(socket)
    sockets[#sockets + 1] = socket
    local got = ''
    socket:read_start(function(_, data)
      if not data then
        return socket:is_closing() or socket:close()
      end
      got = got .. data
      while true do
        local head, rest = got:match('^(.-\r\n\r\n)(.*)$')
        local size = head and tonumber(head:lower():match('content%-length: (%d+)') or 0)
        if not head or #rest < size then
          return
        end
        got = rest:sub(size + 1)
        local path = head:match('^%u+ (%S+)')
        local body = size > 0 and vim.json.decode(rest:sub(1, size)) or {}
        vim.schedule(function()
          answer(socket, path, body)
        end)
      end
    end)
  end)
  model.url = ('http://127.0.0.1:%d/v1'):format(server:getsockname().port)
  --- Ends the answers that are held.
  function model.release()
    for _, finish in ipairs(model.held) do
      finish()
    end
    model.held = {}
  end
  function model.stop()
    for _, socket in ipairs(sockets) do
      if not socket:is_closing() then
        socket:close()
      end
    end
    server:close()
  end
  return model
end

return M
