--- What an MCP server asks a person for: a form, filled in field by field, or a page to
--- open. To leave a question is to cancel it; only "decline" declines.
local clean = require('codebot.clean')
local t = require('codebot.text')

local M = {}

--- The fields of a form in a fixed order: required ones as the schema lists them, then
--- the others by name.
---@param schema table
---@return {name: string, schema: table, required: boolean}[]
function M.fields(schema)
  local properties = type(schema.properties) == 'table' and schema.properties or {}
  local fields, seen = {}, {}
  local function add(name, required)
    if not seen[name] and type(properties[name]) == 'table' then
      seen[name] = true
      fields[#fields + 1] = { name = name, schema = properties[name], required = required }
    end
  end
  for _, name in ipairs(type(schema.required) == 'table' and schema.required or {}) do
    add(name, true)
  end
  local names = vim.tbl_keys(properties)
  table.sort(names)
  for _, name in ipairs(names) do
    add(name, false)
  end
  return fields
end

--- The values to choose from, with the words for them.
---@param schema table
---@return {value: any, name: string}[]|nil
function M.choices(schema)
  local choices = {}
  local list = schema.oneOf or schema.anyOf
  if type(list) == 'table' then
    for _, item in ipairs(list) do
      if type(item) == 'table' and item.const ~= nil then
        choices[#choices + 1] = { value = item.const, name = tostring(item.title or item.const) }
      end
    end
  elseif type(schema.enum) == 'table' then
    local names = type(schema.enumNames) == 'table' and schema.enumNames or {}
    for i, value in ipairs(schema.enum) do
      choices[#choices + 1] = { value = value, name = tostring(names[i] or value) }
    end
  end
  return #choices > 0 and choices or nil
end

local formats = {
  email = '^[^%s@]+@[^%s@]+$',
  uri = '^%a[%w+.-]*:%S+$',
  date = '^%d%d%d%d%-%d%d%-%d%d$',
  ['date-time'] = '^%d%d%d%d%-%d%d%-%d%dT%d%d:%d%d',
}

--- Reads what was typed for a field.
---@param schema table
---@param text string
---@return any value
---@return string|nil problem what is wrong with it
function M.parse(schema, text)
  if schema.type == 'number' or schema.type == 'integer' then
    local value = tonumber(vim.trim(text))
    if not value then
      return nil, t('%s is no number', text)
    elseif schema.type == 'integer' and value % 1 ~= 0 then
      return nil, t('%s is no whole number', text)
    elseif schema.minimum and value < schema.minimum then
      return nil, t('it must be at least %s', tostring(schema.minimum))
    elseif schema.maximum and value > schema.maximum then
      return nil, t('it must be at most %s', tostring(schema.maximum))
    end
    return value
  end
  local length = vim.fn.strchars(text)
  if schema.minLength and length < schema.minLength then
    return nil, t('it needs at least %d characters', schema.minLength)
  elseif schema.maxLength and length > schema.maxLength then
    return nil, t('it may have at most %d characters', schema.maxLength)
  elseif formats[schema.format] and not text:find(formats[schema.format]) then
    return nil, t('%s is not of the form %s', text, schema.format)
  end
  return text
end

---@param field {name: string, schema: table, required: boolean}
local function label(field)
  local s = field.schema
  local text = clean.line(tostring(s.title or field.name))
  if type(s.description) == 'string' and s.description ~= '' then
    text = text .. ' (' .. clean.line(s.description) .. ')'
  end
  return field.required and text or text .. ' ' .. t('[may be left out]')
end

local leave_out = {}

--- Asks for several of a list of values.
---@param field {name: string, schema: table, required: boolean}
---@param choices {value: any, name: string}[]
---@param callback fun(values: any[]|nil)
local function ask_several(field, choices, callback)
  local chosen = {}
  for _, value in ipairs(type(field.schema.default) == 'table' and field.schema.default or {}) do
    for _, choice in ipairs(choices) do
      chosen[choice] = choice.value == value or chosen[choice]
    end
  end
  require('codebot.choose')(
    choices,
    {
      prompt = label(field),
      kind = 'codebot_elicit',
      done = 'That is all',
      format = function(choice)
        return clean.line(choice.name)
      end,
    },
    chosen,
    function(picked)
      callback(picked and vim.tbl_map(function(choice)
        return choice.value
      end, picked))
    end
  )
end

--- Asks for one field.
---@param field {name: string, schema: table, required: boolean}
---@param callback fun(value: any) nil when the person left; leave_out for none
local function ask(field, callback)
  local schema = field.schema
  if schema.type == 'array' then
    local choices = M.choices(type(schema.items) == 'table' and schema.items or {})
    if choices then
      return ask_several(field, choices, callback)
    end
  end
  local choices = M.choices(schema)
  if schema.type == 'boolean' then
    choices = { { value = true, name = t('yes') }, { value = false, name = t('no') } }
  end
  if choices then
    local items = vim.list_extend({}, choices)
    if not field.required then
      items[#items + 1] = { value = leave_out, name = t('leave it out') }
    end
    return vim.ui.select(items, {
      prompt = label(field),
      kind = 'codebot_elicit',
      format_item = function(item)
        return clean.line(item.name) .. (schema.default == item.value and '  *' or '')
      end,
    }, function(item)
      if item then
        callback(item.value)
      else
        callback(nil)
      end
    end)
  end
  local default = schema.default ~= nil and tostring(schema.default) or ''
  local function input(text)
    vim.ui.input({ prompt = label(field) .. ': ', default = clean.line(text) }, function(typed)
      if typed == nil then
        return callback(nil)
      elseif typed == '' and not field.required then
        return callback(leave_out)
      end
      local value, problem = M.parse(schema, typed)
      if problem then
        vim.notify('codebot: ' .. problem, vim.log.levels.WARN)
        return input(typed)
      end
      callback(value)
    end)
  end
  input(default)
end

---@param params codebot.MCPElicitParams
---@param done fun(result: codebot.MCPElicitResult)
local function form(params, done)
  local fields = M.fields(params.requestedSchema or {})
  local content = vim.empty_dict()
  local function step(i)
    if i > #fields then
      return done({ action = 'accept', content = content })
    end
    ask(fields[i], function(value)
      if value == nil then
        return done({ action = 'cancel' })
      elseif value ~= leave_out then
        content[fields[i].name] = value
      end
      step(i + 1)
    end)
  end
  step(1)
end

--- The host of an address, which is what a person can judge.
---@param url string
local function host(url)
  local authority = url:match('^%a[%w+.-]*://([^/?#\\]*)')
  return authority and (authority:gsub('^.*@', '')) or url
end
M.host = host

---@param params codebot.MCPElicitParams
---@param done fun(result: codebot.MCPElicitResult)
local function show(params, done)
  local message = clean.line(params.message)
  local server = clean.line(params.server)
  local page = params.mode == 'url'
  local items = {
    { action = 'accept', name = page and t('Open %s', clean.visible(host(params.url or ''))) or t('Answer') },
    { action = 'decline', name = t('Decline') },
  }
  vim.ui.select(items, {
    prompt = t('%s asks: %s', server, message) .. (page and '  ' .. clean.visible(params.url or '') or ''),
    kind = 'codebot_elicit',
    format_item = function(item)
      return item.name
    end,
  }, function(item)
    if not item then
      return done({ action = 'cancel' })
    elseif item.action == 'decline' or page then
      if item.action == 'accept' then
        vim.ui.open(params.url)
      end
      return done({ action = item.action })
    end
    form(params, done)
  end)
end

local queue, open = {}, false ---@type {params: codebot.MCPElicitParams, done: fun(result: codebot.MCPElicitResult)}[], boolean

local function next_one()
  local question = not open and table.remove(queue, 1)
  if not question then
    return
  end
  open = true
  show(question.params, function(result)
    open = false
    question.done(result)
    vim.schedule(next_one)
  end)
end

--- codebot/mcp/elicit. Questions are asked one after the other.
---@param params codebot.MCPElicitParams
---@return codebot.MCPElicitResult
function M.on_elicit(params)
  return require('codebot.wait')(function(done)
    table.insert(queue, { params = params, done = done })
    next_one()
  end)
end

return M
