-- An MCP server with one of everything: a tool that asks the person, a tool that asks the
-- model, resources that change, a prompt with an argument that it completes.
local news = 'no news'
local waiting = {} ---@type table<any, fun(result: table)> answers to our own requests
local numbers = 0

local function send(message)
  message.jsonrpc = '2.0'
  io.stdout:write(vim.json.encode(message), '\n')
  io.stdout:flush()
end

local function request(method, params, answered)
  numbers = numbers + 1
  waiting['ask' .. numbers] = answered
  send({ id = 'ask' .. numbers, method = method, params = params })
end

local function text(s)
  return { content = { { type = 'text', text = s } } }
end

local object = { type = 'object', properties = vim.empty_dict() }

---@type table<string, fun(params: table, reply: fun(result: table))>
local on = {
  initialize = function(params, reply)
    reply({
      protocolVersion = params.protocolVersion,
      capabilities = {
        tools = vim.empty_dict(),
        prompts = vim.empty_dict(),
        completions = vim.empty_dict(),
        resources = { subscribe = true },
      },
      serverInfo = { name = 'offers', version = '1' },
    })
  end,
  ['tools/list'] = function(_, reply)
    reply({
      tools = {
        { name = 'book', description = 'Books a table.', inputSchema = object },
        { name = 'news', description = 'Changes the news.', inputSchema = object },
        { name = 'think', description = 'Asks the model.', inputSchema = object },
      },
    })
  end,
  ['tools/call'] = function(params, reply)
    if params.name == 'news' then
      news = 'great news'
      io.stderr:write('the news \27[31mchanged\n')
      io.stderr:flush()
      reply(text('changed'))
      return send({ method = 'notifications/resources/updated', params = { uri = 'news://today.md' } })
    end
    if params.name == 'think' then
      return request('sampling/createMessage', {
        maxTokens = 77,
        systemPrompt = 'Be\226\128\174 brief.',
        messages = { { role = 'user', content = { type = 'text', text = 'What is six times seven?' } } },
      }, function(result)
        reply(text('it says: ' .. vim.json.encode(result)))
      end)
    end
    request('elicitation/create', {
      message = 'Which table?',
      requestedSchema = {
        type = 'object',
        required = { 'name', 'seats', 'room' },
        properties = {
          name = { type = 'string', title = 'Your name' },
          seats = { type = 'integer', minimum = 1, maximum = 8 },
          room = { type = 'string', enum = { 'garden', 'hall' } },
          note = { type = 'string' },
        },
      },
    }, function(result)
      reply(text('booked: ' .. result.action .. ' ' .. vim.json.encode(result.content or {})))
    end)
  end,
  ['resources/list'] = function(_, reply)
    reply({ resources = { { uri = 'news://today.md', name = 'news of today', mimeType = 'text/markdown' } } })
  end,
  ['resources/templates/list'] = function(_, reply)
    reply({ resourceTemplates = { { uriTemplate = 'news://{day}.md', name = 'news of a day' } } })
  end,
  ['resources/read'] = function(params, reply)
    reply({
      contents = {
        { uri = params.uri, mimeType = 'text/markdown', text = '# ' .. params.uri .. '\n' .. news },
      },
    })
  end,
  ['resources/subscribe'] = function(_, reply)
    reply(vim.empty_dict())
  end,
  ['resources/unsubscribe'] = function(_, reply)
    reply(vim.empty_dict())
  end,
  ['prompts/list'] = function(_, reply)
    reply({
      prompts = {
        {
          name = 'greet',
          description = 'Greets in a city',
          arguments = { { name = 'city', required = true } },
        },
      },
    })
  end,
  ['prompts/get'] = function(params, reply)
    reply({
      messages = {
        { role = 'user', content = { type = 'text', text = 'Say hello to ' .. params.arguments.city } },
      },
    })
  end,
  ['completion/complete'] = function(params, reply)
    local values = vim.tbl_filter(function(city)
      return vim.startswith(city, params.argument.value)
    end, { 'Berlin', 'Bern', 'Paris' })
    reply({ completion = { values = values, hasMore = false } })
  end,
  ping = function(_, reply)
    reply(vim.empty_dict())
  end,
}

for line in io.stdin:lines() do
  local message = vim.json.decode(line)
  if message.method and message.id ~= nil then
    local handle = on[message.method]
    if handle then
      handle(message.params or {}, function(result)
        send({ id = message.id, result = result })
      end)
    else
      send({ id = message.id, error = { code = -32601, message = 'no such method' } })
    end
  elseif message.id ~= nil and waiting[message.id] then
    waiting[message.id](message.result or { action = 'error', error = message.error })
    waiting[message.id] = nil
  end
end
