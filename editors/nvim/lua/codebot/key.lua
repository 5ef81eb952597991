--- Keys of model providers. They go to the server, which keeps them in the system's
--- keychain; here they are in no variable for longer than that takes.
local methods = require('codebot.protocol_gen').methods
local client = require('codebot.client')
local clean = require('codebot.clean')
local t = require('codebot.text')

local M = {}

local sources = {
  none = 'without a key',
  settings = 'key in the settings',
  environment = 'key in the environment',
  keychain = 'key in the keychain',
  file = 'key in a file of yours',
}

---@param name string
---@param done? fun(name: string) after the provider took the key
local function enter(name, done)
  local key = vim.fn.inputsecret(t('Key of %s: ', clean.line(name)))
  -- The command line is not left with the prompt on it.
  vim.cmd.redraw()
  if vim.trim(key) == '' then
    return
  end
  client.request(methods.providers_set_key, { provider = name, key = vim.trim(key) }, function(err, result)
    if err then
      return client.complain(err)
    end
    local kept = result.keyFrom == 'keychain' and t('the key is in the keychain')
      or t('there is no keychain here; the key is in a file that only you can read')
    M.test(name, done, kept)
  end)
end

--- Asks a provider whether it takes the key.
---@param name string
---@param done? fun(name: string) when it does
---@param before? string what is told in the same message
function M.test(name, done, before)
  client.request(methods.providers_test, { provider = name }, function(err, result)
    local text, level = t('%s answers; :Codebot model chooses one of its models', clean.line(name)), nil
    if err or not result.ok then
      text = err and client.error_text(err) or clean.line(result.error.message)
      level = vim.log.levels.ERROR
    elseif done then
      text = t('%s answers', clean.line(name))
    end
    -- One message: two would make Neovim wait for <CR>.
    vim.notify('codebot: ' .. (before and before .. '\n' or '') .. text, level)
    if not level and done then
      done(name)
    end
  end)
end

---@param name string
local function remove(name)
  client.request(methods.providers_remove_key, { provider = name }, function(err)
    if err then
      client.complain(err)
    else
      vim.notify('codebot: ' .. t('the key of %s is forgotten', clean.line(name)))
    end
  end)
end

--- Enters, removes or tries the key of a provider; without a name it is chosen.
---@param name? string
---@param action? "set"|"remove"|"test"
---@param done? fun(name: string) when a provider has taken a key
function M.run(name, action, done)
  local act = ({ set = enter, remove = remove, test = M.test })[action or 'set']
  if not act then
    local text = t('there is no action %s; there are %s', tostring(action), table.concat(M.actions, ', '))
    vim.notify('codebot: ' .. text, vim.log.levels.ERROR)
    return
  elseif name then
    return act(name, done)
  end
  client.request(methods.providers_list, nil, function(err, result)
    if err then
      return client.complain(err)
    end
    -- What runs on this machine needs no key as a rule.
    local choices = {}
    for _, here in ipairs({ false, true }) do
      for _, p in ipairs(result.providers) do
        if (p['local'] == true) == here then
          table.insert(choices, p)
        end
      end
    end
    vim.ui.select(choices, {
      prompt = t('Provider'),
      kind = 'codebot_provider',
      format_item = function(p)
        local state = p.available and t(sources[p.keyFrom] or p.keyFrom) or (p.reason or t('not available'))
        return clean.line(('%s · %s · %s'):format(p.name, state, p.baseUrl))
      end,
    }, function(p)
      if p then
        act(p.name, done)
      end
    end)
  end)
end

M.actions = { 'remove', 'set', 'test' }

return M
