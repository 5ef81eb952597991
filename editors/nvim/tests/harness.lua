--- A world of its own for each case: a home, a project and a child Neovim that is
--- driven over its own RPC.
local M = {
  plugin = '', -- folder of the plug-in
  server = '', -- the program codebot-ls
  patience = 15000, -- ms until something that should happen is called lost
}

local children = {} ---@type table[] that the case has started
local models = {} ---@type {stop: fun()}[] endpoints that the case has started
local worlds = {} ---@type string[] folders to remove

---@param path string
---@param text string
function M.write(path, text)
  vim.fn.mkdir(vim.fs.dirname(path), 'p')
  local file = assert(io.open(path, 'w'))
  file:write(text)
  file:close()
end

---@param path string
function M.read(path)
  local file = io.open(path)
  if not file then
    return nil
  end
  local text = file:read('*a')
  file:close()
  return text
end

--- A demo server of the program as a settings entry.
---@param name "docs"|"deploy"
function M.demo(name)
  return { command = M.server, args = { 'mcp', 'demo', name }, trust_annotations = true }
end

--- A server written in Lua under tests/servers, run by this Neovim.
---@param name string
function M.lua_server(name)
  return {
    command = vim.v.progpath,
    args = { '-l', M.plugin .. '/tests/servers/' .. name .. '.lua' },
    env = { VIM = vim.env.VIM or '', VIMRUNTIME = vim.env.VIMRUNTIME or '' },
  }
end

---@class World
local World = {}
World.__index = World

--- Makes an empty world; its project is the folder "shop".
function M.world()
  local base = vim.uv.fs_realpath(vim.fn.tempname():match('^(.*)/'))
    .. '/w'
    .. #worlds
    .. '-'
    .. vim.uv.hrtime()
  local w = setmetatable({
    base = base,
    home = base .. '/home',
    settings_home = base .. '/home/.codebot',
    folder = base .. '/work/shop',
  }, World)
  worlds[#worlds + 1] = base
  vim.fn.mkdir(w.settings_home, 'p')
  vim.fn.mkdir(w.folder .. '/.git', 'p')
  return w
end

---@param servers table
function World:user(servers)
  if next(servers) == nil then
    servers = vim.empty_dict() -- an object, not a list
  end
  M.write(self.settings_home .. '/settings.json', vim.json.encode({ mcp_servers = servers }))
  return self
end

--- Settings of the user with a model that gives the replies.
---@param replies table[]
---@param servers? table
---@return table model, World
function World:model(replies, servers)
  local model = M.owned(require('model').start(replies))
  M.write(
    self.settings_home .. '/settings.json',
    vim.json.encode({
      model = 'test/m',
      providers = {
        test = { type = 'openai', base_url = model.url, api_key = 'key-of-a-test', models = { 'm' } },
      },
      mcp_servers = servers or vim.empty_dict(),
    })
  )
  return model, self
end

--- Ends something with the case.
---@generic T: {stop: fun()}
---@param thing T
---@return T
function M.owned(thing)
  models[#models + 1] = thing
  return thing
end

--- An address on the loopback that nobody may ask: whoever does is written down.
function M.sink()
  local sink = { requests = {} }
  local server = assert(vim.uv.new_tcp())
  assert(server:bind('127.0.0.1', 0))
  server:listen(16, function()
    local socket = assert(vim.uv.new_tcp())
    server:accept(socket)
    socket:read_start(function(_, data)
      table.insert(sink.requests, (data or 'a connection'):match('^[^\r\n]*'))
      socket:close()
    end)
  end)
  function sink.stop()
    server:close()
  end
  sink.url = ('http://127.0.0.1:%d'):format(server:getsockname().port)
  return M.owned(sink)
end

---@param servers table
function World:project(servers)
  M.write(self.folder .. '/.codebot/settings.json', vim.json.encode({ mcp_servers = servers }))
  return self
end

---@param name string
---@param text string
function World:write(name, text)
  M.write(self.folder .. '/' .. name, text)
  return self.folder .. '/' .. name
end

---@class Child
local Child = {}
Child.__index = Child

--- The environment of a Neovim in this world.
---@param opts {local_models?: string}
function World:env(opts)
  return {
    PATH = vim.env.PATH,
    HOME = self.home,
    CODEBOT_HOME = self.settings_home,
    XDG_CONFIG_HOME = self.home .. '/config',
    XDG_DATA_HOME = self.home .. '/data',
    XDG_STATE_HOME = self.home .. '/state',
    XDG_CACHE_HOME = self.home .. '/cache',
    VIM = vim.env.VIM,
    VIMRUNTIME = vim.env.VIMRUNTIME,
    LANG = 'C.UTF-8',
    TERM = 'xterm-256color',
    -- What this machine happens to have is no part of a test.
    CODEBOT_KEYCHAIN = 'off',
    CODEBOT_LOCAL_MODELS = opts.local_models or 'off',
  }
end

--- Writes what a Neovim in this world begins with: the plug-in and nothing else.
---@param opts {options?: table, server?: string, plugin?: string}
---@param more string Lua
---@return string path
function World:init(opts, more)
  local options = vim.tbl_deep_extend('keep', opts.options or {}, {
    cmd = { opts.server or M.server, 'serve', '--stdio' },
    locale = 'en',
  })
  local init = self.base .. '/init.lua'
  local text = [[
      vim.opt.runtimepath:prepend(%q)
      vim.g.codebot = vim.json.decode(%q)
      vim.o.swapfile, vim.o.shadafile = false, 'NONE'
  ]]
  M.write(init, text:format(opts.plugin or M.plugin, vim.json.encode(options)) .. more)
  return init
end

--- Starts a Neovim in the project with the plug-in and nothing else.
---@param opts? {options?: table, args?: string[], size?: integer[], server?: string, local_models?: string, plugin?: string, env?: table}
function World:nvim(opts)
  opts = opts or {}
  local init = self:init(
    opts,
    ([[
      vim.o.columns, vim.o.lines = %d, %d
      -- What would be told to a person, kept.
      notified, choices = {}, {}
      vim.notify = function(text, level) table.insert(notified, { text = text, level = level }) end
      events = {}
      vim.api.nvim_create_autocmd('User', { pattern = 'Codebot*', callback = function(args)
        table.insert(events, args.match)
      end })
      -- Whoever is asked takes the item whose text has the wanted words in it.
      vim.ui.select = function(items, o, done)
        for i, item in ipairs(items) do
          local text = (o.format_item or tostring)(item)
          table.insert(choices, text)
          if wanted and text:find(wanted, 1, true) then return done(item, i) end
        end
        done(nil)
      end
    ]]):format((opts.size or {})[1] or 120, (opts.size or {})[2] or 40)
  )
  local cmd = { vim.v.progpath, '--embed', '--headless', '-n', '-i', 'NONE', '-u', init }
  vim.list_extend(cmd, opts.args or {})
  local child = setmetatable({ world = self, stderr = {} }, Child)
  child.channel = vim.fn.jobstart(cmd, {
    rpc = true,
    cwd = self.folder,
    clear_env = true,
    env = vim.tbl_extend('force', self:env(opts), opts.env or {}),
    on_stderr = function(_, data)
      vim.list_extend(child.stderr, data)
    end,
    on_exit = function(_, code)
      child.code = code
    end,
  })
  assert(child.channel > 0, 'Neovim could not be started')
  child.pid = vim.fn.jobpid(child.channel)
  children[#children + 1] = child
  return child
end

--- Runs Lua in the child; ... are its arguments.
function Child:lua(code, ...)
  return vim.rpcrequest(self.channel, 'nvim_exec_lua', code, { ... })
end

--- Runs an Ex command in the child.
function Child:cmd(command)
  return vim.rpcrequest(self.channel, 'nvim_command', command)
end

--- Types keys, as a person does.
function Child:keys(keys)
  vim.rpcrequest(self.channel, 'nvim_input', keys)
end

--- Types what ends Neovim. It may be gone before it has answered, so no answer is
--- waited for.
function Child:quit(keys)
  vim.rpcnotify(self.channel, 'nvim_input', keys)
end

--- Waits until Lua in the child returns something true, and returns it.
---@param what string names it for the failure
---@param code string
function Child:wait(what, code, ...)
  local deadline = vim.uv.now() + M.patience
  repeat
    local got = self:lua(code, ...)
    if got and got ~= vim.NIL then
      return got
    end
    vim.wait(10)
  until vim.uv.now() > deadline
  error('waited in vain for: ' .. what, 0)
end

--- The text of the current session's chat.
function Child:chat()
  return self:lua([[
    local session = require('codebot.session').current()
    if not session then return '' end
    local view = require('codebot.chat.view').of(session)
    view:draw()
    return table.concat(vim.api.nvim_buf_get_lines(view.buf, 0, -1, false), '\n')
  ]])
end

--- Waits until what is read has a text and returns all of it.
---@param text string
---@param where string for the error
---@param pause integer milliseconds between two looks
---@param read fun(): string
---@return string
local function see(text, where, pause, read)
  local deadline = vim.uv.now() + M.patience
  local all
  repeat
    all = read()
    if all:find(text, 1, true) then
      return all
    end
    vim.wait(pause)
  until vim.uv.now() > deadline
  error(('waited in vain for %q %s:\n%s'):format(text, where, all), 0)
end

--- Waits until the chat has a text and returns all of it.
function Child:see(text)
  return see(text, 'in the chat', 10, function()
    return self:chat()
  end)
end

--- Waits until no turn runs, after at least one has been started.
function Child:settled()
  self:wait(
    'the turn to end',
    [[
    local session = require('codebot.session').current()
    return session and session.prompted and not session.running
  ]]
  )
end

--- Opens the chat and waits until all named servers are connected.
---@param ... string
function Child:ready(...)
  self:cmd('Codebot chat')
  for _, name in ipairs({ ... }) do
    self:state(name, 'connected')
  end
  self:wait('the chat', "return vim.bo.filetype == 'codebot-prompt'")
end

--- Waits until a server is in a state.
function Child:state(name, state)
  local ok = pcall(
    self.wait,
    self,
    '',
    [[
      local row = require('codebot.mcp').named((...))[1]
      return row and row.state == select(2, ...)
    ]],
    name,
    state
  )
  if not ok then
    error(
      ('%s did not become %s: %s'):format(
        name,
        state,
        vim.inspect(self:lua("return require('codebot.mcp').rows()"))
      ),
      0
    )
  end
end

--- Waits until something was told by vim.notify that has these words.
function Child:told(words)
  return self:wait(
    'a message with ' .. words,
    [[
      for _, n in ipairs(notified) do
        if n.text:find((...), 1, true) then return n.text end
      end
    ]],
    words
  )
end

--- The lines of the current buffer.
function Child:lines()
  return self:lua('return vim.api.nvim_buf_get_lines(0, 0, -1, false)')
end

--- What is on the screen.
function Child:screen()
  return self:lua([[
    vim.cmd('redrawstatus! | redraw!')
    local rows = {}
    for r = 1, vim.o.lines do
      local row = {}
      for c = 1, vim.o.columns do row[c] = vim.fn.screenstring(r, c) end
      rows[r] = (table.concat(row):gsub('%s+$', ''))
    end
    return table.concat(rows, '\n')
  ]])
end

--- Waits for the end of the child and says how long it took, in ms.
function Child:gone()
  local begun = vim.uv.now()
  local ended = vim.wait(M.patience, function()
    return self.code ~= nil
  end, 5)
  assert(ended, 'Neovim did not end')
  assert(self.code == 0, ('Neovim ended with %d'):format(self.code))
  return vim.uv.now() - begun
end

--- A Neovim in a real terminal, which tmux keeps.
---@class Terminal
local Terminal = {}
Terminal.__index = Terminal

-- Neovim removes its folder of temporary files, and the socket with it.
local socket = vim.fn.tempname() .. '.tmux'

---@param ... string
local function tmux(...)
  local done = vim
    .system({ 'tmux', '-u', '-S', socket, '-f', '/dev/null', ... }, { text = true })
    :wait(M.patience)
  if done.code ~= 0 then
    error(('tmux %s: %s'):format((...), done.stderr), 0)
  end
  return done.stdout
end

--- Starts a Neovim in a terminal of a fixed size, and waits until it draws.
---@param opts {options?: table, args?: string[], size: integer[], lua?: string}
---@return Terminal
function World:terminal(opts)
  local init = self:init(opts, [[
      vim.o.laststatus, vim.o.ruler, vim.o.showcmd, vim.o.showmode = 3, false, false, false
      vim.o.statusline = " %{%v:lua.require'codebot'.statusline()%} | %t"
      vim.o.shortmess = vim.o.shortmess .. 'IF'
    ]] .. (opts.lua or ''))
  -- The environment goes by a file: a process list shows command lines.
  local run = { 'exec env -i' }
  for name, value in vim.spairs(self:env({})) do
    run[#run + 1] = name .. '=' .. vim.fn.shellescape(name == 'TERM' and 'tmux-256color' or value)
  end
  vim.list_extend(
    run,
    { vim.fn.shellescape(vim.v.progpath), '-n', '-i', 'NONE', '-u', vim.fn.shellescape(init) }
  )
  for _, arg in ipairs(opts.args or {}) do
    run[#run + 1] = vim.fn.shellescape(arg)
  end
  M.write(self.base .. '/run.sh', table.concat(run, ' ') .. '\n')
  local term = setmetatable({ world = self, name = 't' .. #children }, Terminal)
  children[#children + 1] = term
  tmux(
    'new-session',
    '-d',
    '-s',
    term.name,
    '-x',
    tostring(opts.size[1]),
    '-y',
    tostring(opts.size[2]),
    '-c',
    self.folder,
    'sh ' .. vim.fn.shellescape(self.base .. '/run.sh')
  )
  -- The first keys may be lost while Neovim asks the terminal what it can.
  term:see('| [No Name]')
  return term
end

--- Types text as it is.
---@param text string
function Terminal:type(text)
  tmux('send-keys', '-t', self.name, '-l', text)
end

--- Presses keys by tmux's names of them.
---@param ... string
function Terminal:press(...)
  tmux('send-keys', '-t', self.name, ...)
end

--- Runs an Ex command by typing it.
---@param command string
function Terminal:command(command)
  self:press('Escape')
  self:type(':' .. command)
  self:press('Enter')
end

--- What a person sees.
---@return string
function Terminal:screen()
  return (tmux('capture-pane', '-p', '-t', self.name):gsub('[ \t]+\n', '\n'))
end

--- What the terminal's title was set to.
---@return string
function Terminal:title()
  return tmux('display-message', '-p', '-t', self.name, '#{pane_title}')
end

--- Waits until a text is on the screen.
---@param text string
function Terminal:see(text)
  return see(text, 'on the screen', 20, function()
    return self:screen()
  end)
end

--- The file of a golden screen: one for all versions, or of this one where it differs.
---@param name string
---@return string all, string own
local function golden_paths(name)
  local base = M.plugin .. '/tests/golden/tmux.' .. name
  return base .. '.txt', ('%s.%d.%d.txt'):format(base, vim.version().major, vim.version().minor)
end

--- Waits until the screen is the golden one. CODEBOT_UPDATE=1 writes it anew when it has
--- come to rest.
---@param name string
---@param filter? fun(screen: string): string leaves out what is not the same everywhere
function Terminal:golden(name, filter)
  local all, own = golden_paths(name)
  local function look()
    local screen = self:screen()
    return filter and filter(screen) or screen
  end
  local screen = look()
  if vim.env.CODEBOT_UPDATE == '1' then
    local last
    repeat
      last = screen
      vim.wait(1000)
      screen = look()
    until screen == last
    if M.read(all) ~= screen then
      -- The newest version writes the one for all.
      M.write(vim.fn.has('nvim-0.12') == 1 and all or own, screen)
    end
    return
  end
  local want = M.read(own) or M.read(all) or ''
  local deadline = vim.uv.now() + M.patience / 3
  while screen ~= want do
    if vim.uv.now() > deadline then
      error(('the screen is not %s:\n%s\nwant\n%s'):format(name, screen, want), 0)
    end
    vim.wait(20)
    screen = look()
  end
end

function Terminal:end_it()
  pcall(tmux, 'kill-session', '-t', self.name)
end

--- Errors of Lua in the children that are there still: no case may leave one, whatever it
--- looks at.
---@return string|nil
function M.errors()
  for _, child in ipairs(children) do
    if getmetatable(child) == Child and not child.code then
      local ok, messages = pcall(child.lua, child, "return vim.fn.execute('messages')")
      if ok and messages:find('stack traceback', 1, true) then
        return messages
      end
    end
  end
end

--- Ends what the case has started. When it failed, says what the children knew.
---@param failed boolean
function M.clean_up(failed)
  local report = {}
  for _, child in ipairs(children) do
    if getmetatable(child) == Terminal then
      child:end_it()
      goto continue
    end
    if failed and not child.code then
      local ok, text = pcall(
        child.lua,
        child,
        [[
        return vim.inspect({ notified = notified, messages = vim.fn.execute('messages'), events = events })
      ]]
      )
      report[#report + 1] = ok and text or ('the child does not answer: ' .. tostring(text))
    end
    if failed then
      report[#report + 1] = table.concat(child.stderr, '\n')
    end
    if not child.code then
      pcall(vim.rpcnotify, child.channel, 'nvim_command', 'qall!')
      if not vim.wait(3000, function()
        return child.code ~= nil
      end, 5) then
        vim.fn.jobstop(child.channel)
      end
    end
    ::continue::
  end
  children = {}
  for _, model in ipairs(models) do
    model.stop()
  end
  models = {}
  for _, base in ipairs(worlds) do
    vim.fn.delete(base, 'rf')
  end
  worlds = {}
  return table.concat(report, '\n')
end

--- Fails unless the text has the words in it.
function M.has(text, words)
  if not text:find(words, 1, true) then
    error(('no %q in:\n%s'):format(words, text), 2)
  end
end

--- Fails when the text has the words in it.
function M.lacks(text, words)
  if text:find(words, 1, true) then
    error(('there is %q in:\n%s'):format(words, text), 2)
  end
end

--- Fails unless both are the same.
function M.same(got, want)
  if not vim.deep_equal(got, want) then
    error(('got  %s\nwant %s'):format(vim.inspect(got), vim.inspect(want)), 2)
  end
end

--- Reports whether a process is there.
---@param pid integer
function M.alive(pid)
  return vim.uv.kill(pid, 0) == 0
end

return M
