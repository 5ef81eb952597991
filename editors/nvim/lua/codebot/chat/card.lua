--- What stands above a chat without a model: what goes all the same, and the ways to a
--- model. <CR> on a line does what it says.
local sessions = require('codebot.session')
local client = require('codebot.client')
local clean = require('codebot.clean')
local methods = require('codebot.protocol_gen').methods
local t = require('codebot.text')

local M = {}

---@class codebot.Card
---@field looking boolean it is not known yet what runs on this machine
---@field providers string[] what was found on this machine
---@field models string[] ids of the models that it has
---@field demo boolean the demo servers are not there yet

--- Prompts that the offline planner can do, with the demo servers.
---@return string[]
function M.prompts()
  return {
    t('Search the docs for the worktree cleanup policy.'),
    t('Deploy the current project and report the result.'),
    t('What documentation and deployment actions can you perform?'),
  }
end

local demo_servers = { 'docs', 'deploy' }

---@param b codebot.Builder
---@param card codebot.Card
function M.render(b, card)
  b.actions = {}
  local function action(text, id)
    b.actions[#b.lines] = id
    b:add('  ▸ ' .. text, 'CodebotUser')
  end
  b:add(t('No model is set up.'), 'CodebotQuestion')
  b:add(t('Without one, codebot matches simple requests to tools by their words.'), 'CodebotNote')
  b:add('')
  local key = require('codebot.config').get().keys.open
  b:add(key and t('Try it (%s on a line):', key) or t('Try it:'), 'CodebotTool')
  for i, prompt in ipairs(M.prompts()) do
    action(prompt, 'prompt ' .. i)
  end
  if card.demo then
    action(t('Add the two demo servers that these need'), 'demo')
  end
  b:add('')
  b:add(t('Or choose a model:'), 'CodebotTool')
  action(t('Enter an API key'), 'key')
  if #card.models > 0 then
    local names = clean.line(table.concat(card.providers, ', '))
    action(t('Use a local model: %s has %d', names, #card.models), 'local')
  elseif card.looking then
    b:add('    ' .. t('looking for local models...'), 'CodebotNote')
  else
    b:add('    ' .. t('no local model was found (Ollama, LM Studio, llama.cpp)'), 'CodebotNote')
  end
  action(t('Open the settings'), 'settings')
end

--- Makes the card of a session fit what there is, or takes it away.
---@param session codebot.Session
function M.update(session)
  if session.model ~= 'offline' or session.lost then
    if session.card then
      sessions.set_card(session, nil)
    end
    return
  elseif not session.card and #session.blocks > 0 then
    return -- a conversation that goes on needs no welcome
  end
  local card = session.card and session.card.card
    or { looking = true, providers = {}, models = {}, demo = false }
  if not session.card then
    sessions.set_card(session, card)
  end
  local function changed()
    if session.card and session.card.card == card then
      sessions.set_card(session, card)
    end
  end
  client.request(methods.mcp_status, nil, function(_, status)
    local names = {}
    for _, row in ipairs(status and status.servers or {}) do
      names[row.name] = true
    end
    card.demo = status ~= nil and not (names.docs and names.deploy)
    changed()
  end)
  client.request(methods.providers_list, nil, function(_, list)
    local found = {}
    for _, provider in ipairs(list and list.providers or {}) do
      found[provider.name] = provider['local'] and provider.available or nil
    end
    client.request(methods.models, nil, function(_, result)
      card.looking, card.providers, card.models = false, {}, {}
      for _, model in ipairs(result and result.models or {}) do
        if found[model.provider] and model.available then
          table.insert(card.models, model.id)
          if not vim.tbl_contains(card.providers, model.provider) then
            table.insert(card.providers, model.provider)
          end
        end
      end
      changed()
    end)
  end)
end

--- Chooses a model for the session; one alone is taken without a question.
---@param session codebot.Session
---@param ids string[]
local function choose(session, ids)
  local function take(id)
    if id then
      sessions.set_model(session, id, function(err)
        if err then
          client.complain(err)
        end
      end)
    end
  end
  if #ids == 1 then
    return take(ids[1])
  end
  vim.ui.select(ids, { prompt = t('Model'), kind = 'codebot_model', format_item = clean.line }, take)
end

--- Asks for a key, and takes a model of the provider when it answers.
---@param session codebot.Session
local function enter_key(session)
  require('codebot.key').run(nil, 'set', function(provider)
    client.request(methods.models, nil, function(err, result)
      if err then
        return client.complain(err)
      end
      local ids = {}
      for _, model in ipairs(result.models) do
        if model.provider == provider and model.available then
          ids[#ids + 1] = model.id
        end
      end
      -- What a new session would get goes first.
      if vim.tbl_contains(ids, result.current) then
        ids = { result.current }
      end
      if #ids > 0 then
        choose(session, ids)
      end
    end)
  end)
end

--- Writes the two demo servers into the user's settings, one after the other.
---@param session codebot.Session
local function add_demo(session)
  local cmd = client.command()
  local names = vim.list_slice(demo_servers)
  local function step()
    local name = table.remove(names, 1)
    if not name or not cmd then
      return M.update(session)
    end
    local entry =
      { command = vim.fn.exepath(cmd[1]), args = { 'mcp', 'demo', name }, trust_annotations = true }
    client.request(methods.mcp_add, { name = name, entry = entry }, function(err)
      if err then
        client.complain(err)
      end
      step()
    end)
  end
  step()
end

--- Does what a line of the card says, or the way out of a failure.
---@param session codebot.Session
---@param id string
function M.act(session, id)
  local prompt = tonumber(id:match('^prompt (%d+)$'))
  if prompt then
    require('codebot.chat').send(session, M.prompts()[prompt])
  elseif id == 'demo' then
    add_demo(session)
  elseif id == 'key' or id == 'enterKey' then
    enter_key(session)
  elseif id == 'chooseModel' then
    vim.cmd('Codebot model')
  elseif id == 'compact' then
    require('codebot.chat.actions').compact()
  elseif id == 'retry' then
    require('codebot.chat.actions').retry()
  elseif id == 'local' then
    choose(session, session.card.card.models)
  elseif id == 'settings' or id == 'openSettings' then
    vim.cmd('Codebot settings')
  end
end

-- A model that was chosen meanwhile takes the card away.
sessions.listen(function(session, event)
  if event == 'meta' and session.card and session.model ~= 'offline' then
    sessions.set_card(session, nil)
  end
end)

return M
