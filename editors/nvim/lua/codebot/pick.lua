--- What is chosen from a list: mode, model, session.
local methods = require('codebot.protocol_gen').methods
local client = require('codebot.client')
local t = require('codebot.text')

local M = {}

--- The session that mode and model are about.
---@param callback fun(session: codebot.Session)
local function with_session(callback)
  require('codebot.session').get(function(session, err)
    if session then
      callback(session)
    else
      client.complain(err --[[@as lsp.ResponseError]])
    end
  end)
end

---@param err lsp.ResponseError|nil
local function complain(err)
  if err then
    client.complain(err)
  end
end

--- Chooses the mode of the session.
---@param words string[] its id, or nothing to be asked
function M.mode(words)
  with_session(function(session)
    local sessions = require('codebot.session')
    if words[1] then
      return sessions.set_mode(session, words[1], complain)
    end
    vim.ui.select(session.modes, {
      prompt = t('Mode'),
      kind = 'codebot_mode',
      format_item = function(m)
        return (m.id == session.mode and '* ' or '  ') .. m.name .. '  ' .. (m.description or '')
      end,
    }, function(choice)
      if choice then
        sessions.set_mode(session, choice.id, complain)
      end
    end)
  end)
end

--- A model in one line: its id, its size and price where they are known, and why it cannot
--- be chosen.
---@param m codebot.Model
---@return string
function M.describe(m)
  local parts = { m.id }
  if m.contextTokens then
    parts[#parts + 1] = t('%d k tokens', math.floor(m.contextTokens / 1000))
  end
  if m.price then
    parts[#parts + 1] =
      t('$%s in, $%s out a million', ('%g'):format(m.price.input), ('%g'):format(m.price.output))
  end
  if not m.available then
    parts[#parts + 1] = m.reason or t('not available')
  end
  return table.concat(parts, ' · ')
end

--- Chooses the model of the session.
---@param words string[] its id, or nothing to be asked
function M.model(words)
  with_session(function(session)
    local sessions = require('codebot.session')
    if words[1] then
      return sessions.set_model(session, words[1], complain)
    end
    client.request(methods.models, nil, function(err, result)
      if err then
        return client.complain(err)
      end
      vim.ui.select(result.models, {
        prompt = t('Model'),
        kind = 'codebot_model',
        format_item = function(m)
          return (m.id == session.model and '* ' or '  ') .. require('codebot.clean').line(M.describe(m))
        end,
      }, function(choice)
        if choice then
          sessions.set_model(session, choice.id, complain)
        end
      end)
    end)
  end)
end

--- A kept session in one line.
---@param info codebot.SessionInfo
---@return string
function M.describe_session(info)
  local at = (info.updatedAt or ''):gsub('T', ' '):sub(1, 16)
  local title = require('codebot.clean').line(info.title or t('without a title'))
  return ('%s  %s  %s'):format(at, title, vim.fn.fnamemodify(info.cwd, ':~'))
end

--- Lets a person choose one of the kept sessions.
---@param callback fun(info: codebot.SessionInfo)
local function pick_session(callback)
  require('codebot.session').list(function(err, infos)
    if err then
      return client.complain(err)
    elseif #infos == 0 then
      vim.notify('codebot: ' .. t('there is no session yet'))
      return
    end
    -- Those of this project come first; within each part the newest.
    local root = require('codebot.root').find()
    local here, elsewhere = {}, {}
    for _, info in ipairs(infos) do
      table.insert(vim.fs.normalize(info.cwd) == root and here or elsewhere, info)
    end
    vim.ui.select(vim.list_extend(here, elsewhere), {
      prompt = t('Session'),
      kind = 'codebot_session',
      format_item = M.describe_session,
    }, function(info)
      if info then
        callback(info)
      end
    end)
  end)
end

--- Goes on with a kept session.
function M.sessions()
  pick_session(function(info)
    require('codebot.chat').load(info.sessionId)
  end)
end

M.session_actions = { 'delete', 'export', 'fork', 'last', 'open', 'rename' }

--- Goes on with the newest session of this project.
local function last()
  require('codebot.session').list(function(err, infos)
    if err then
      return complain(err)
    end
    local root = require('codebot.root').find()
    for _, info in ipairs(infos) do
      if vim.fs.normalize(info.cwd) == root then
        return require('codebot.chat').load(info.sessionId)
      end
    end
    vim.notify('codebot: ' .. t('there is no session yet'))
  end)
end

--- :Codebot session ACTION: with the current session, or another one that is chosen.
---@param words string[]
---@param rest string
function M.session(words, rest)
  local action, more = words[1] or 'open', rest:match('^%S+%s+(.+)$')
  if not vim.tbl_contains(M.session_actions, action) then
    vim.notify(
      'codebot: ' .. t('there is no action %s; there are %s', action, table.concat(M.session_actions, ', ')),
      vim.log.levels.ERROR
    )
    return
  end
  local actions = require('codebot.chat.actions')
  local here = package.loaded['codebot.session'] and require('codebot.session').current()
  local function with(info)
    if action == 'open' then
      require('codebot.chat').load(info.sessionId)
    elseif action == 'delete' then
      actions.delete(info)
    elseif action == 'export' then
      actions.export(info.sessionId, more == 'json' and 'json' or 'markdown')
    elseif more then
      actions.rename(info.sessionId, more)
    else
      vim.ui.input({ prompt = t('Title: '), default = info.title }, function(title)
        if title and vim.trim(title) ~= '' then
          actions.rename(info.sessionId, title)
        end
      end)
    end
  end
  if action == 'last' then
    last()
  elseif action == 'fork' then
    actions.fork()
  elseif here and here.prompted and action ~= 'open' then
    with({ sessionId = here.id, title = here.title ~= '' and here.title or nil })
  else
    pick_session(with)
  end
end

--- Asks what the command line completes: models and providers. It waits a moment for the
--- answer and starts no server.
---@param method string
---@param take fun(result: table): string[]
---@return string[]
function M.ask(method, take)
  if not client.active() then
    return {}
  end
  local found ---@type string[]|nil
  client.request(method, nil, function(err, result)
    found = err and {} or take(result)
  end)
  vim.wait(1500, function()
    return found ~= nil
  end, 5)
  return found or {}
end

return M
