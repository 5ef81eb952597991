--- The options in vim.g.codebot: their types, their defaults and a check between.
---
--- Everything a user may write is optional (codebot.Options); everything the code
--- reads is there (codebot.Config).
local M = {}

---@class (exact) codebot.Options
---@field cmd? string[] Command that starts the server. Default: codebot-ls on PATH, else the one built in this repository.
---@field env? table<string, string> Environment variables that the server gets in addition.
---@field locale? string Language of all texts: "en" or "zh-CN". Default: the one of v:lang.
---@field root_markers? string[] Names that make a folder a project. Default: .codebot and .git.
---@field window? codebot.WindowOptions The chat.
---@field keys? table<string, string|false> Keys of the plug-in's own buffers by the name of what they do; false for none.
---@field settings_hints? boolean Code lenses and inlay hints in settings files. Default: true.
---@field notify? codebot.NotifyOptions What is told with vim.notify().

---@class (exact) codebot.WindowOptions
---@field layout? "right"|"left"|"top"|"bottom"|"float"|"tab" Where the chat opens. Default: right.
---@field size? number Width or height: columns or lines, or a part of the screen where it is below 1. Default: 0.4.
---@field prompt_height? integer Lines of the prompt. Default: 5.
---@field border? string Border of floating windows, as in nvim_open_win(). Default: rounded.

---@class (exact) codebot.NotifyOptions
---@field permission? boolean Tell of a question while the chat is not on the screen. Default: true.
---@field turn_ms? integer Tell of the end of a turn that took longer, in milliseconds; -1 for never. Default: 10000.

---@class (exact) codebot.Config
---@field cmd string[]|nil
---@field env table<string, string>
---@field locale string|nil
---@field root_markers string[]
---@field window {layout: string, size: number, prompt_height: integer, border: string}
---@field keys table<string, string|false>
---@field settings_hints boolean
---@field notify {permission: boolean, turn_ms: integer}

--- The keys of the plug-in's own buffers: name, default, where they are and what they do.
--- The help has them from here.
---@type {[1]: string, [2]: string, [3]: string, [4]: string}[]
M.keys = {
  { 'submit', '<CR>', 'prompt, arguments', 'send the prompt; call the tool' },
  { 'submit_insert', '<C-s>', 'prompt', 'send it from insert mode' },
  { 'history_back', '<C-Up>', 'prompt', 'an earlier one' },
  { 'history_forward', '<C-Down>', 'prompt', 'a later one' },
  { 'stop', '<C-c>', 'prompt, chat', 'end the turn' },
  { 'close', 'q', 'all', 'close the window' },
  { 'help', 'g?', 'all', 'show the keys' },
  { 'prompt', 'i', 'chat', 'go to the prompt' },
  {
    'open',
    '<CR>',
    'chat, tools',
    'open the file of a call, or the fold; do what the line of a card says; call the tool',
  },
  { 'next', ']]', 'chat', 'next block' },
  { 'previous', '[[', 'chat', 'previous block' },
  { 'yank', 'gy', 'chat', 'yank the code under the cursor' },
  { 'changes', 'gQ', 'chat', 'edited files to the quickfix list' },
  { 'undo', 'gu', 'chat', 'take back the turn under the cursor, and all after it' },
  { 'retry', 'gR', 'chat', 'send the prompt of that turn again, in place of what came of it' },
  { 'fork', 'gb', 'chat', 'go on from before that prompt in a copy of the session' },
  { 'allow_once', 'a', 'question', 'yes, this once' },
  { 'allow_session', 's', 'question', 'yes, in this session' },
  { 'allow_always', 'A', 'question', 'yes, for good' },
  { 'reject_once', 'r', 'question', 'no' },
  { 'reject_always', 'R', 'question', 'no, in this session' },
  { 'diff', 'd', 'question, call', 'the diff in a tab of its own; there a accepts and r rejects' },
  { 'mcp_start', 's', 'MCP servers', 'start' },
  { 'mcp_stop', 'x', 'MCP servers', 'stop' },
  { 'mcp_restart', 'r', 'MCP servers', 'restart' },
  { 'mcp_approve', 'a', 'MCP servers', 'look at what it would run and approve it' },
  { 'mcp_revoke', 'v', 'MCP servers', 'take the approval back' },
  { 'mcp_log', 'l', 'MCP servers', 'log' },
  { 'mcp_tools', '<CR>', 'MCP servers', 'tools' },
  { 'mcp_settings', 'o', 'MCP servers', 'open the entry in its file' },
  { 'mcp_enable', 'E', 'MCP servers', 'enable it in the settings' },
  { 'mcp_disable', 'D', 'MCP servers', 'disable it in the settings' },
  { 'mcp_login', 'L', 'MCP servers', 'log in, with the browser' },
  { 'mcp_logout', 'O', 'MCP servers', 'log out' },
  { 'mcp_resources', 'R', 'MCP servers', 'resources' },
  { 'mcp_prompts', 'P', 'MCP servers', 'prompts' },
  { 'mcp_add', 'n', 'MCP servers', 'add one' },
  { 'mcp_import', 'I', 'MCP servers', 'take over those of another program' },
  { 'mcp_remove', 'X', 'MCP servers', 'take its entry out of the settings' },
  { 'tool_switch', 's', 'tools', 'keep it from the agent, or give it back' },
}

--- The options as they are where vim.g.codebot says nothing.
---@return codebot.Config
function M.defaults()
  local keys = {}
  for _, key in ipairs(M.keys) do
    keys[key[1]] = key[2]
  end
  return {
    cmd = nil,
    env = {},
    locale = nil,
    root_markers = { '.codebot', '.git' },
    window = { layout = 'right', size = 0.4, prompt_height = 5, border = 'rounded' },
    keys = keys,
    settings_hints = true,
    notify = { permission = true, turn_ms = 10000 },
  }
end

local function list_of_strings(v)
  if type(v) ~= 'table' or #v == 0 then
    return false
  end
  for _, s in ipairs(v) do
    if type(s) ~= 'string' then
      return false
    end
  end
  return true
end

---@return (fun(v: any): boolean) check
---@return string phrase
local function one_of(...)
  local choices = { ... }
  return function(v)
    return vim.tbl_contains(choices, v)
  end,
    ('one of %s'):format(table.concat(choices, ', '))
end

local function is(kind, phrase)
  return function(v)
    return type(v) == kind
  end, phrase
end

local function whole(v)
  return type(v) == 'number' and v % 1 == 0
end

--- What each option must be: a check and how to say it.
---@alias codebot.Check { [1]: (fun(v: any): boolean), [2]: string }
---@type table<string, codebot.Check>
local checks = {
  cmd = { list_of_strings, 'a list of strings' },
  root_markers = { list_of_strings, 'a list of strings' },
  locale = { is('string', 'a string such as "en" or "zh-CN"') },
  ['window.layout'] = { one_of('right', 'left', 'top', 'bottom', 'float', 'tab') },
  ['window.size'] = {
    function(v)
      return type(v) == 'number' and v > 0
    end,
    'a number above 0',
  },
  ['window.prompt_height'] = {
    function(v)
      return whole(v) and v > 0
    end,
    'a whole number above 0',
  },
  settings_hints = { is('boolean', 'true or false') },
  ['window.border'] = { is('string', 'a string') },
  ['notify.permission'] = { is('boolean', 'true or false') },
  ['notify.turn_ms'] = { whole, 'a whole number of milliseconds' },
}

local groups = { window = true, keys = true, notify = true, env = true }

--- Reads user options over the defaults. What is wrong is left at its default and
--- said in problems, one line each.
---@param user any
---@return codebot.Config config, string[] problems
function M.resolve(user)
  local config, problems = M.defaults(), {}
  local function problem(...)
    problems[#problems + 1] = ('vim.g.codebot%s'):format((...)) .. ' ' .. select(2, ...)
  end
  local function set(target, key, path, value)
    local check = checks[path]
    if not check then
      problem('.' .. path, 'is not an option; see :help codebot-options')
    elseif not check[1](value) then
      problem('.' .. path, ('must be %s, it is %s'):format(check[2], vim.inspect(value)))
    else
      target[key] = value
    end
  end
  if user == nil then
    return config, problems
  end
  if type(user) ~= 'table' then
    problem('', 'must be a table, it is ' .. vim.inspect(user))
    return config, problems
  end
  for name, value in vim.spairs(user) do
    if not groups[name] then
      set(config, name, name, value)
    elseif type(value) ~= 'table' then
      problem('.' .. name, 'must be a table, it is ' .. vim.inspect(value))
    else
      for key, v in vim.spairs(value) do
        local path = name .. '.' .. key
        if name == 'env' then
          if type(v) == 'string' then
            config.env[key] = v
          else
            problem('.' .. path, 'must be a string, it is ' .. vim.inspect(v))
          end
        elseif name == 'keys' then
          if config.keys[key] == nil then
            problem('.' .. path, 'is not a key of this plug-in; see :help codebot-keys')
          elseif v ~= false and type(v) ~= 'string' then
            problem('.' .. path, 'must be a string or false, it is ' .. vim.inspect(v))
          else
            config.keys[key] = v
          end
        else
          set(config[name], key, path, v)
        end
      end
    end
  end
  return config, problems
end

local current ---@type codebot.Config|nil

--- The options in effect. The first call reads vim.g.codebot and tells what is wrong
--- with it.
---@return codebot.Config
function M.get()
  if not current then
    local problems
    current, problems = M.resolve(vim.g.codebot)
    if #problems > 0 then
      vim.notify('codebot: ' .. table.concat(problems, '\n'), vim.log.levels.WARN)
    end
  end
  return current
end

--- Forgets what was read, for a changed vim.g.codebot.
function M.reset()
  current = nil
end

--- Maps keys in one of our buffers. A key that is false is not mapped.
---@param buf integer
---@param maps table<string, {[1]: string|string[], [2]: function, [3]: string}> by name: modes, action, description
function M.map(buf, maps)
  local keys = M.get().keys
  for name, map in pairs(maps) do
    local lhs = keys[name]
    if lhs then
      vim.keymap.set(map[1], lhs, map[2], { buffer = buf, nowait = true, silent = true, desc = map[3] })
    end
  end
end

return M
