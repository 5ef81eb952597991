--- A small HTTP server on the loopback, for what the tests need of one.
local M = {}

---@class HTTPRequest
---@field method string
---@field path string
---@field headers table<string, string> by lower-case name
---@field body string

--- Starts a server; each request goes to handle with the socket to answer on.
---@param handle fun(socket: uv.uv_tcp_t, request: HTTPRequest)
---@return { url: string, stop: fun() }
function M.listen(handle)
  local server = assert(vim.uv.new_tcp())
  assert(server:bind('127.0.0.1', 0))
  local sockets = {}
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
        local request = { headers = {}, body = rest:sub(1, size) }
        request.method, request.path = head:match('^(%u+) (%S+)')
        for name, value in head:gmatch('\r\n([%w-]+): ([^\r\n]*)') do
          request.headers[name:lower()] = value
        end
        vim.schedule(function()
          handle(socket, request)
        end)
      end
    end)
  end)
  return {
    url = ('http://127.0.0.1:%d'):format(server:getsockname().port),
    stop = function()
      for _, socket in ipairs(sockets) do
        if not socket:is_closing() then
          socket:close()
        end
      end
      server:close()
    end,
  }
end

--- Answers a request in one piece.
---@param socket uv.uv_tcp_t
---@param status integer
---@param headers table<string, string>
---@param body string
function M.respond(socket, status, headers, body)
  local out = { ('HTTP/1.1 %d X\r\nContent-Length: %d\r\n'):format(status, #body) }
  for name, value in pairs(headers) do
    out[#out + 1] = name .. ': ' .. value .. '\r\n'
  end
  if not socket:is_closing() then
    socket:write(table.concat(out) .. '\r\n' .. body)
  end
end

---@param answer fun(request: HTTPRequest): integer, table<string, string>, string status, headers, body
function M.start(answer)
  return M.listen(function(socket, request)
    M.respond(socket, answer(request))
  end)
end

--- An MCP server that wants a login: discovery, registration, a page that nobody opens.
function M.oauth()
  local self = { tokens = 0 }
  local function json(status, value)
    return status, { ['Content-Type'] = 'application/json' }, vim.json.encode(value)
  end
  local routes = {
    ['/register'] = function(request)
      local wish = vim.json.decode(request.body)
      return json(201, vim.tbl_extend('force', wish, { client_id = 'client' }))
    end,
    ['/token'] = function(request)
      if not request.body:find('code=the%-code') or not request.body:find('code_verifier=') then
        return json(400, { error = 'invalid_grant' })
      end
      self.tokens = self.tokens + 1
      return json(200, { access_token = 'the-token', token_type = 'Bearer', expires_in = 3600 })
    end,
    ['/mcp'] = function(request)
      if request.headers.authorization ~= 'Bearer the-token' then
        local where = self.url .. '/.well-known/oauth-protected-resource/mcp'
        return 401, { ['WWW-Authenticate'] = ('Bearer resource_metadata="%s"'):format(where) }, ''
      elseif request.method ~= 'POST' then
        return 405, {}, ''
      end
      local message = vim.json.decode(request.body)
      if message.id == nil then
        return 202, {}, ''
      end
      local result = vim.empty_dict()
      if message.method == 'initialize' then
        result = {
          protocolVersion = message.params.protocolVersion,
          capabilities = { tools = vim.empty_dict() },
          serverInfo = { name = 'private', version = '1' },
        }
      elseif message.method == 'tools/list' then
        result = { tools = { { name = 'secret', inputSchema = { type = 'object' } } } }
      end
      return json(200, { jsonrpc = '2.0', id = message.id, result = result })
    end,
  }
  local server = M.start(function(request)
    local path = request.path:match('^[^?]*')
    if path:find('^/%.well%-known/oauth%-protected%-resource') then
      return json(200, { resource = self.url .. '/mcp', authorization_servers = { self.url } })
    elseif path:find('^/%.well%-known/oauth%-authorization%-server') then
      return json(200, {
        issuer = self.url,
        authorization_endpoint = self.url .. '/authorize',
        token_endpoint = self.url .. '/token',
        registration_endpoint = self.url .. '/register',
        response_types_supported = { 'code' },
        code_challenge_methods_supported = { 'S256' },
        token_endpoint_auth_methods_supported = { 'none' },
      })
    end
    return (routes[path] or function()
      return 404, {}, ''
    end)(request)
  end)
  self.url, self.stop = server.url, server.stop
  return self
end

return M
