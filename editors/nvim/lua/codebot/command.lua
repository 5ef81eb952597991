--- :Codebot and its sub-commands.
local t = require('codebot.text')

local M = {}

---@class codebot.SubCommand
---@field run fun(args: vim.api.keyset.create_user_command.command_args, words: string[], rest: string)
---@field range? boolean it takes lines of the buffer
---@field complete? fun(words: string[]): string[] what may come next after words

local function client()
  return require('codebot.client')
end

--- The session that mode and model are about.
---@param callback fun(session: codebot.Session)
local function with_session(callback)
  require('codebot.session').get(function(session, err)
    if session then
      callback(session)
    else
      client().complain(err)
    end
  end)
end

local function complain(err)
  if err then
    client().complain(err)
  end
end

local function mode(words)
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

local function model(words)
  with_session(function(session)
    local sessions = require('codebot.session')
    if words[1] then
      return sessions.set_model(session, words[1], complain)
    end
    client().request(require('codebot.protocol_gen').methods.models, nil, function(err, result)
      if err then
        return client().complain(err)
      end
      vim.ui.select(result.models, {
        prompt = t('Model'),
        kind = 'codebot_model',
        format_item = function(m)
          local reason = m.available and '' or '  ' .. (m.reason or t('not available'))
          return require('codebot.clean').line((m.id == session.model and '* ' or '  ') .. m.id .. reason)
        end,
      }, function(choice)
        if choice then
          sessions.set_model(session, choice.id, complain)
        end
      end)
    end)
  end)
end

--- Lets a person choose one of the kept sessions.
---@param callback fun(info: codebot.SessionInfo)
local function pick_session(callback)
  require('codebot.session').list(function(err, infos)
    if err then
      return client().complain(err)
    elseif #infos == 0 then
      vim.notify('codebot: ' .. t('there is no session yet'))
      return
    end
    local clean = require('codebot.clean')
    -- Those of this project come first; within each part the newest.
    local root = require('codebot.root').find()
    local here, elsewhere = {}, {}
    for _, info in ipairs(infos) do
      table.insert(vim.fs.normalize(info.cwd) == root and here or elsewhere, info)
    end
    vim.ui.select(vim.list_extend(here, elsewhere), {
      prompt = t('Session'),
      kind = 'codebot_session',
      format_item = function(info)
        local at = (info.updatedAt or ''):gsub('T', ' '):sub(1, 16)
        return ('%s  %s  %s'):format(
          at,
          clean.line(info.title or t('without a title')),
          vim.fn.fnamemodify(info.cwd, ':~')
        )
      end,
    }, function(info)
      if info then
        callback(info)
      end
    end)
  end)
end

local function sessions()
  pick_session(function(info)
    require('codebot.chat').load(info.sessionId)
  end)
end

local session_actions = { 'delete', 'export', 'fork', 'open', 'rename' }

--- :Codebot session ACTION: with the current session, or another one that is chosen.
local function session_command(words, rest)
  local action, more = words[1] or 'open', rest:match('^%S+%s+(.+)$')
  if not vim.tbl_contains(session_actions, action) then
    vim.notify(
      'codebot: ' .. t('there is no action %s; there are %s', action, table.concat(session_actions, ', ')),
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
  if action == 'fork' then
    actions.fork()
  elseif here and here.prompted and action ~= 'open' then
    with({ sessionId = here.id, title = here.title ~= '' and here.title or nil })
  else
    pick_session(with)
  end
end

local function mcp(words)
  local window = require('codebot.mcp.window')
  if not words[1] then
    return window.open()
  end
  local servers = require('codebot.mcp')
  local action = words[2] or 'log'
  if not vim.tbl_contains(window.actions, action) then
    vim.notify(
      'codebot: ' .. t('there is no action %s; there are %s', action, table.concat(window.actions, ', ')),
      vim.log.levels.ERROR
    )
    return
  end
  servers.refresh(function(err)
    if err then
      return client().complain(err)
    end
    local rows = servers.named(words[1])
    if #rows == 0 then
      vim.notify(
        'codebot: ' .. t('there is no server %s; :Codebot mcp shows all', words[1]),
        vim.log.levels.ERROR
      )
    elseif #rows == 1 then
      window.run(action, rows[1])
    else
      vim.ui.select(rows, {
        prompt = t('Which server?'),
        kind = 'codebot_server',
        format_item = function(row)
          return row.name .. '  ' .. vim.uri_to_fname(row.source)
        end,
      }, function(row)
        if row then
          window.run(action, row)
        end
      end)
    end
  end)
end

--- The settings files by their names on the command line.
local function settings_path(which)
  if which == 'project' then
    return vim.fs.joinpath(require('codebot.root').find(), '.codebot', 'settings.json')
  end
  local env = require('codebot.config').get().env
  local home = env.CODEBOT_HOME or vim.env.CODEBOT_HOME
  if not home or home == '' then
    home = vim.fs.joinpath(vim.uv.os_homedir(), '.codebot')
  end
  return vim.fs.joinpath(vim.fs.normalize(home), 'settings.json')
end
M.settings_path = settings_path

local function settings(words)
  local path = settings_path(words[1] or 'user')
  require('codebot.files').open(path)
  if vim.fn.filereadable(path) == 0 and vim.api.nvim_buf_line_count(0) == 1 and vim.fn.getline(1) == '' then
    vim.api.nvim_buf_set_lines(0, 0, -1, false, { '{', '  "mcp_servers": {', '  }', '}' })
    -- :w makes the folder; nothing is on the disk before.
    vim.api.nvim_create_autocmd('BufWritePre', {
      buffer = vim.api.nvim_get_current_buf(),
      once = true,
      callback = function()
        vim.fn.mkdir(vim.fs.dirname(path), 'p')
      end,
    })
  end
end

local function log(words)
  if words[1] then
    return mcp({ words[1], 'log' })
  end
  local lsp_log = vim.lsp.log and vim.lsp.log.get_filename or vim.lsp.get_log_path
  require('codebot.files').open(lsp_log())
end

---@type table<string, codebot.SubCommand>
local commands = {
  chat = {
    run = function()
      require('codebot.chat').open({ focus = true })
    end,
  },
  toggle = {
    run = function()
      require('codebot.chat').toggle()
    end,
  },
  ask = {
    range = true,
    run = function(args, _, rest)
      require('codebot.chat').ask(rest, args.range > 0 and { line1 = args.line1, line2 = args.line2 } or nil)
    end,
  },
  stop = {
    run = function()
      require('codebot.chat').stop()
    end,
  },
  steer = {
    run = function(_, _, rest)
      local current = require('codebot.session').current()
      if not current or not current.running then
        vim.notify('codebot: ' .. t('no turn is running'))
      elseif rest == '' then
        require('codebot.chat').open({ focus = true })
      else
        require('codebot.chat').send(current, rest)
      end
    end,
  },
  compact = {
    run = function()
      require('codebot.chat.actions').compact()
    end,
  },
  context = {
    run = function()
      require('codebot.chat.actions').context()
    end,
  },
  undo = {
    run = function()
      require('codebot.chat.actions').undo()
    end,
  },
  retry = {
    run = function()
      require('codebot.chat.actions').retry()
    end,
  },
  rewrite = {
    range = true,
    run = function(args, _, rest)
      require('codebot.rewrite').run(rest, args.line1, args.line2)
    end,
  },
  session = {
    run = function(_, words, rest)
      session_command(words, rest)
    end,
    complete = function(words)
      if #words == 0 then
        return session_actions
      end
      return words[1] == 'export' and #words == 1 and { 'json', 'markdown' } or {}
    end,
  },
  new = {
    run = function()
      require('codebot.chat').new()
    end,
  },
  sessions = { run = sessions },
  mode = {
    run = function(_, words)
      mode(words)
    end,
    complete = function(words)
      if #words > 0 then
        return {}
      end
      local session = package.loaded['codebot.session'] and require('codebot.session').current()
      local ids = vim.tbl_map(function(m)
        return m.id
      end, session and session.modes or {})
      return #ids > 0 and ids or { 'default', 'accept_edits', 'plan', 'auto' }
    end,
  },
  model = {
    run = function(_, words)
      model(words)
    end,
  },
  mcp = {
    run = function(_, words)
      mcp(words)
    end,
    complete = function(words)
      if #words == 0 then
        return vim.tbl_map(function(row)
          return row.name
        end, package.loaded['codebot.mcp'] and require('codebot.mcp').rows() or {})
      end
      return #words == 1 and require('codebot.mcp.window').actions or {}
    end,
  },
  key = {
    run = function(_, words)
      require('codebot.key').run(words[1], words[2])
    end,
    complete = function(words)
      return #words == 1 and require('codebot.key').actions or {}
    end,
  },
  resources = {
    run = function()
      require('codebot.mcp.resources').pick()
    end,
  },
  prompts = {
    run = function()
      require('codebot.mcp.prompts').pick()
    end,
  },
  log = {
    run = function(_, words)
      log(words)
    end,
    complete = function(words)
      if #words > 0 or not package.loaded['codebot.mcp'] then
        return {}
      end
      return vim.tbl_map(function(row)
        return row.name
      end, require('codebot.mcp').rows())
    end,
  },
  trust = {
    run = function()
      require('codebot.mcp').refresh(function(err)
        if err then
          return client().complain(err)
        end
        require('codebot.mcp.consent').pick()
      end)
    end,
  },
  settings = {
    run = function(_, words)
      settings(words)
    end,
    complete = function(words)
      return #words == 0 and { 'user', 'project' } or {}
    end,
  },
  health = {
    run = function()
      vim.cmd.checkhealth('codebot')
    end,
  },
  restart = {
    run = function()
      client().restart()
    end,
  },
}

--- The names of the sub-commands, sorted.
---@return string[]
function M.names()
  local names = vim.tbl_keys(commands)
  table.sort(names)
  return names
end

---@param args vim.api.keyset.create_user_command.command_args
function M.run(args)
  local name, rest = args.args:match('^(%S*)%s*(.-)$')
  if name == '' then
    name = 'chat'
  end
  local command = commands[name]
  if not command then
    vim.notify(
      'codebot: ' .. t('there is no :Codebot %s; there are %s', name, table.concat(M.names(), ', ')),
      vim.log.levels.ERROR
    )
    return
  end
  if args.range > 0 and not command.range then
    vim.notify('codebot: ' .. t('only :Codebot ask and rewrite take a range'), vim.log.levels.ERROR)
    return
  end
  command.run(args, vim.split(rest, '%s+', { trimempty = true }), rest)
end

--- Completion of the command line.
---@param lead string
---@param line string
---@param pos integer
---@return string[]
function M.complete(lead, line, pos)
  local before = line:sub(1, pos - #lead)
  local words = vim.split(before:match('Codebot%s+(.*)$') or '', '%s+', { trimempty = true })
  local candidates
  if #words == 0 then
    candidates = M.names()
  else
    local command = commands[table.remove(words, 1)]
    candidates = command and command.complete and command.complete(words) or {}
  end
  return vim.tbl_filter(function(candidate)
    return vim.startswith(candidate, lead)
  end, candidates)
end

return M
