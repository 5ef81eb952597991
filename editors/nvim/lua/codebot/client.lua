--- The one connection to the server: its start, its requests and its end. All of
--- Neovim shares it; each project is a workspace folder of it.
local protocol = require('codebot.protocol_gen')

local M = {}

--- The name of the client and of its lsp/ file.
M.name = 'codebot_ls'

local new_api = vim.fn.has('nvim-0.11') == 1

--- How often the server is started again by itself after it died, and in which time.
local max_restarts, restart_window_ms = 3, 60000

local state = {
  client = nil, ---@type vim.lsp.Client|nil the initialized client
  starting = nil, ---@type integer|nil id of the client that is being initialized
  stopping = false, -- its end is wanted
  waiting = {}, ---@type fun(client: vim.lsp.Client|nil, why: string|nil)[]
  pending = {}, ---@type table<table, fun(err: lsp.ResponseError|nil, result: any)> requests without an answer
  deaths = {}, ---@type number[] when it died, in ms
}

--- Calls a method of a client: they take self from Neovim 0.11 on.
local function invoke(client, method, ...)
  if new_api then
    return client[method](client, ...)
  end
  return client[method](...)
end

--- The command that starts the server, and the file that it would run.
---@return string[]|nil cmd nil when there is no such program
---@return string file
function M.command()
  local cmd = require('codebot.config').get().cmd
  if cmd then
    return vim.fn.executable(cmd[1]) == 1 and cmd or nil, cmd[1]
  end
  local file = 'codebot-ls'
  if vim.fn.executable(file) == 0 then
    local here = debug.getinfo(1, 'S').source:sub(2)
    local plugin = vim.fn.fnamemodify(here, ':p:h:h:h')
    for _, dir in ipairs({ plugin, vim.fs.dirname(vim.fs.dirname(plugin)) }) do
      local built = vim.fs.joinpath(dir, 'bin', 'codebot-ls')
      if vim.fn.executable(built) == 1 then
        file = built
      end
    end
  end
  if vim.fn.executable(file) == 0 then
    return nil, file
  end
  return { file, 'serve', '--stdio' }, file
end

--- What the server says on its own account.
local function handlers()
  local function on(module, name)
    return function(_, params)
      return require(module)[name](params)
    end
  end
  local function told(module, name)
    return function(_, params)
      require('codebot.unlocked')(function()
        require(module)[name](params)
      end)
    end
  end
  local m = protocol.methods
  return {
    [m.session_update] = told('codebot.session', 'on_update'),
    [m.session_did_change] = told('codebot.session', 'on_list_change'),
    [m.session_request_permission] = on('codebot.session', 'on_question'),
    [m.session_permission_resolved] = told('codebot.session', 'on_resolved'),
    [m.mcp_did_change_status] = told('codebot.mcp', 'on_change'),
    [m.mcp_log] = told('codebot.mcp', 'on_log'),
    [m.mcp_did_change_resource] = told('codebot.mcp.resources', 'on_change'),
    [m.mcp_elicit] = on('codebot.mcp.elicit', 'on_elicit'),
    [m.mcp_sample] = on('codebot.mcp.sample', 'on_sample'),
    [m.mcp_authorize] = on('codebot.mcp.login', 'on_authorize'),
    [m.diagnostics] = on('codebot.problems', 'on_request'),
    ['workspace/applyEdit'] = on('codebot.apply', 'on_request'),
    [m.did_change_status] = told('codebot.status', 'set'),
    -- From 0.12 on Neovim does this by itself.
    ['workspace/codeLens/refresh'] = not vim.lsp.codelens.enable and on('codebot.settings', 'refresh_lenses')
      or nil,
  }
end

local function settle(client, why)
  local waiting = state.waiting
  state.waiting, state.starting = {}, nil
  for _, callback in ipairs(waiting) do
    callback(client, why)
  end
end

--- Reports whether a buffer's text is told to the server: files of the project, which
--- tools read as they are on the screen, and settings files.
---@param client vim.lsp.Client
---@param buf integer
local function concerns(client, buf)
  local name = vim.api.nvim_buf_get_name(buf)
  if name == '' or vim.bo[buf].buftype ~= '' or not vim.api.nvim_buf_is_loaded(buf) then
    return false
  elseif name:find('^%a[%w+.-]+://') then
    return false
  elseif require('codebot.settings').is(name) then
    return true
  end
  local root = require('codebot.root')
  for _, folder in ipairs(client.workspace_folders or {}) do
    if root.within(name, vim.uri_to_fname(folder.uri)) then
      return true
    end
  end
  return false
end

local function attach(buf)
  local client = state.client
  if client and vim.api.nvim_buf_is_valid(buf) and concerns(client, buf) then
    vim.lsp.buf_attach_client(buf, client.id)
  end
end

local function on_init(client)
  state.client = client
  require('codebot.apply').watch(client)
  local group = vim.api.nvim_create_augroup('codebot_attach', { clear = true })
  vim.api.nvim_create_autocmd({ 'BufReadPost', 'BufNewFile', 'BufFilePost' }, {
    group = group,
    callback = function(args)
      attach(args.buf)
    end,
  })
  -- Whoever attached it, vim.lsp.enable() for one.
  vim.api.nvim_create_autocmd('LspAttach', {
    group = group,
    callback = function(args)
      if
        args.data.client_id == client.id
        and require('codebot.settings').is(vim.api.nvim_buf_get_name(args.buf))
      then
        require('codebot.settings').dress(args.buf)
      end
    end,
  })
  vim.schedule(function()
    for _, buf in ipairs(vim.api.nvim_list_bufs()) do
      attach(buf)
    end
    settle(client)
    require('codebot.mcp').refresh()
    require('codebot.session').server_started()
  end)
end

--- Answers every open request: Neovim drops the callbacks of a client that ended.
local function fail_pending(message)
  local pending = state.pending
  state.pending = {}
  for _, callback in pairs(pending) do
    callback({ code = -32000, message = message })
  end
end

local function on_exit(code, signal, id)
  if state.client and state.client.id ~= id or not state.client and state.starting ~= id then
    return
  end
  local t = require('codebot.text')
  local why = signal ~= 0 and t('the server was ended by signal %d', signal)
    or t('the server ended with code %d', code)
  -- It ends with 0 only after shutdown: somebody wanted that, by :LspStop for one.
  local wanted, was_up = state.stopping or (code == 0 and signal == 0), state.client ~= nil
  state.client, state.stopping = nil, false
  pcall(vim.api.nvim_del_augroup_by_name, 'codebot_attach')
  settle(nil, why)
  fail_pending(why)
  require('codebot.session').server_ended(why, wanted)
  require('codebot.mcp').forget()
  require('codebot.status').set(nil)
  if wanted or vim.v.exiting ~= vim.NIL then
    return
  end
  local now = vim.uv.now()
  state.deaths = vim.tbl_filter(function(at)
    return now - at < restart_window_ms
  end, state.deaths)
  table.insert(state.deaths, now)
  if was_up and #state.deaths <= max_restarts then
    M.start()
  else
    vim.notify(
      'codebot: ' .. t('%s; :Codebot restart tries again, :Codebot health says more', why),
      vim.log.levels.ERROR
    )
  end
end

--- The configuration of the client, for vim.lsp.start and vim.lsp.config.
---@return vim.lsp.ClientConfig
function M.config()
  local cmd, file = M.command()
  local capabilities = vim.lsp.protocol.make_client_capabilities()
  if not vim.lsp.codelens.enable then
    capabilities.workspace.codeLens = { refreshSupport = true }
  end
  capabilities.experimental = {
    codebot = {
      requestPermission = true,
      elicit = { form = true, url = true },
      sample = true,
      authorize = true,
      diagnostics = true,
      savesEdits = true,
    },
  }
  -- For edits that name the version they are for.
  capabilities.workspace.workspaceEdit.documentChanges = true
  return {
    name = M.name,
    cmd = cmd or { file, 'serve', '--stdio' },
    cmd_env = require('codebot.config').get().env,
    capabilities = capabilities,
    handlers = handlers(),
    root_dir = function(buf, on_dir)
      on_dir(require('codebot.root').find(buf))
    end,
    -- Tools read what is on the screen, so nothing may wait to be told.
    flags = { debounce_text_changes = 0 },
    before_init = function(params)
      params.locale = require('codebot.text').locale()
    end,
    on_init = function(client)
      on_init(client)
    end,
    on_exit = function(code, signal, id)
      vim.schedule(function()
        on_exit(code, signal, id)
      end)
    end,
    reuse_client = function(client)
      -- One that has died stays listed for a moment.
      return client.name == M.name and not invoke(client, 'is_stopped')
    end,
  }
end

--- Starts the server unless it runs or starts.
---@return string|nil problem why it could not be tried
function M.start()
  if state.client or state.starting then
    return nil
  end
  local cmd, file = M.command()
  if not cmd then
    local t = require('codebot.text')
    return t(
      'there is no program %s: build it with make build, put it on PATH or set vim.g.codebot.cmd',
      file
    )
  end
  local config = M.config()
  if new_api then
    -- What the user gave to vim.lsp.config holds.
    config = vim.tbl_deep_extend('force', config, vim.lsp.config[M.name] or {})
  end
  local root = require('codebot.root').find()
  config.root_dir = root
  config.workspace_folders = { { uri = vim.uri_from_fname(root), name = root } }
  local reuse = config.reuse_client
  config.reuse_client = nil ---@diagnostic disable-line: inject-field -- it is vim.lsp.start's
  state.stopping = false
  if new_api then
    state.starting = vim.lsp.start(config, { attach = false, reuse_client = reuse })
  else
    ---@diagnostic disable-next-line: deprecated -- 0.10 cannot start one without a buffer otherwise
    state.starting = vim.lsp.start_client(config)
  end
  if not state.starting then
    return require('codebot.text')('%s could not be started', cmd[1])
  end
end

--- Calls back with the client, which is started where it is not there yet.
---@param callback fun(client: vim.lsp.Client|nil, why: string|nil)
function M.with(callback)
  if state.client then
    return callback(state.client)
  end
  table.insert(state.waiting, callback)
  local problem = M.start()
  if problem then
    settle(nil, problem)
  end
end

--- Reports whether the server is there or on its way.
function M.active()
  return state.client ~= nil or state.starting ~= nil
end

--- Calls a method of the server, starting it where needed. The callback is called
--- exactly once, also when the server ends before it answers.
---@param method string
---@param params table|nil
---@param callback? fun(err: lsp.ResponseError|nil, result: any)
function M.request(method, params, callback)
  callback = callback or function() end
  M.with(function(client, why)
    if not client then
      return callback({ code = -32000, message = why or '?' })
    end
    local key = {}
    state.pending[key] = callback
    if not params or next(params) == nil then
      params = vim.empty_dict() -- an empty table would be a list
    end
    -- Without a buffer Neovim first tells the changes of all of them.
    local sent = invoke(client, 'request', method, params, function(err, result)
      local waiting = state.pending[key]
      state.pending[key] = nil
      if waiting then
        waiting(err, result)
      end
    end)
    if not sent then
      state.pending[key] = nil
      callback({ code = -32000, message = require('codebot.text')('the server does not listen any more') })
    end
  end)
end

--- Makes a folder one of the workspace, with its settings file.
---@param path string absolute
function M.add_folder(path)
  local client = state.client
  if not client then
    return -- it starts with the folder it is started for
  end
  local folder = { uri = vim.uri_from_fname(path), name = path }
  for _, known in ipairs(client.workspace_folders or {}) do
    if known.uri == folder.uri then
      return
    end
  end
  client.workspace_folders = vim.list_extend(client.workspace_folders or {}, { folder })
  M.notify('workspace/didChangeWorkspaceFolders', { event = { added = { folder }, removed = {} } })
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    attach(buf)
  end
end

--- Sends a notification; without a server there is nobody to tell.
---@param method string
---@param params table
function M.notify(method, params)
  if state.client then
    invoke(state.client, 'notify', method, params)
  end
end

--- How long the server gets to end by itself before it is killed, in ms.
local stop_ms = 3000

--- Ends the server and starts it again, whatever state it is in.
function M.restart()
  state.deaths = {}
  local id = state.client and state.client.id or state.starting
  local old = id and vim.lsp.get_client_by_id(id)
  if not id or not old then
    local problem = M.start()
    if problem then
      vim.notify('codebot: ' .. problem, vim.log.levels.ERROR)
    end
    return
  end
  state.stopping = true
  -- One that has not even answered initialize is not asked again.
  invoke(old, 'stop', state.client == nil)
  local begun, killed = vim.uv.now(), false
  local function again()
    if not vim.lsp.get_client_by_id(id) then
      return M.restart()
    elseif vim.uv.now() - begun > stop_ms and not killed then
      killed = true
      invoke(old, 'stop', true)
    end
    vim.defer_fn(again, 50)
  end
  again()
end

--- The text of an error for a person: what happened and what to do.
---@param err lsp.ResponseError
---@return string
function M.error_text(err)
  local data = type(err.data) == 'table' and err.data or {}
  local text = require('codebot.clean').line(err.message or '?')
  local extra = data.hint or data.providerMessage
  if type(extra) == 'string' and extra ~= '' and not text:find(extra, 1, true) then
    text = text .. '. ' .. require('codebot.clean').line(extra)
  end
  return text
end

--- Tells an error with vim.notify.
---@param err lsp.ResponseError
function M.complain(err)
  vim.notify('codebot: ' .. M.error_text(err), vim.log.levels.ERROR)
end

--- The commands of code lenses and status items, which the server leaves to us.
function M.register_commands()
  vim.lsp.commands[protocol.command_ui] = function(command)
    local action, what = unpack(command.arguments or {})
    require('codebot.mcp.window').act(tostring(action), type(what) == 'table' and what or {})
  end
  -- Only what needs no consent; the server refuses the rest as well.
  local m = protocol.methods
  local harmless = { m.mcp_start, m.mcp_stop, m.mcp_restart, m.mcp_enable, m.mcp_status, m.status, m.models }
  vim.lsp.commands[protocol.command_request] = function(command)
    local method, params = unpack(command.arguments or {})
    if type(method) == 'string' and vim.tbl_contains(harmless, method) then
      M.request(method, type(params) == 'table' and params or nil, function(err)
        if err then
          M.complain(err)
        end
      end)
    end
  end
end

M.register_commands()

return M
