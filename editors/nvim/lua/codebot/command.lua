--- :Codebot and its sub-commands.
local methods = require('codebot.protocol_gen').methods
local t = require('codebot.text')

local M = {}

---@class codebot.SubCommand
---@field run fun(args: vim.api.keyset.create_user_command.command_args, words: string[], rest: string)
---@field args string how its arguments are written in the help
---@field help string what it does, for the help
---@field range? boolean it takes lines of the buffer
---@field complete? fun(words: string[], lead: string): string[] what may come next after words

local function client()
  return require('codebot.client')
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

local function log(words)
  if words[1] then
    return mcp({ words[1], 'log' })
  end
  ---@diagnostic disable-next-line: deprecated -- 0.10 has no other
  local lsp_log = vim.lsp.log and vim.lsp.log.get_filename or vim.lsp.get_log_path
  require('codebot.files').open(lsp_log())
end

---@type table<string, codebot.SubCommand>
local commands = {
  chat = {
    args = '',
    help = 'Open the chat and go to its prompt, or to a question that waits. `:Codebot` alone does the same.',
    run = function()
      require('codebot.chat').open({ focus = true })
    end,
  },
  toggle = {
    args = '',
    help = 'Open or close the chat. What runs goes on.',
    run = function()
      require('codebot.chat').toggle()
    end,
  },
  ask = {
    args = '{prompt}',
    help = "Ask in the current session. With a range the lines go along: `:'<,'>Codebot ask Why does this loop?`",
    range = true,
    run = function(args, _, rest)
      require('codebot.chat').ask(rest, args.range > 0 and { line1 = args.line1, line2 = args.line2 } or nil)
    end,
  },
  stop = {
    args = '',
    help = 'End the running turn.',
    run = function()
      require('codebot.chat').stop()
    end,
  },
  steer = {
    args = '{text}',
    help = 'Add to the running turn: it takes the text in at its next step. A prompt that is sent while a turn runs does the same.',
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
    args = '',
    help = 'Make the conversation smaller for the model. What you see stays.',
    run = function()
      require('codebot.chat.actions').compact()
    end,
  },
  context = {
    args = '',
    help = 'Show what the next request is made of.',
    run = function()
      require('codebot.chat.actions').context()
    end,
  },
  undo = {
    args = '',
    help = 'Take the last turn back: its files, its messages or both.',
    run = function()
      require('codebot.chat.actions').undo()
    end,
  },
  retry = {
    args = '',
    help = 'Send the last prompt again, in place of what came of it. Files stay as they are.',
    run = function()
      require('codebot.chat.actions').retry()
    end,
  },
  rewrite = {
    args = '{how}',
    help = "Have the lines of the range written anew: `:'<,'>Codebot rewrite use a table here`. The new ones are shown beside the old; there you may mend them, a takes them, r leaves them.",
    range = true,
    run = function(args, _, rest)
      require('codebot.rewrite').run(rest, args.line1, args.line2)
    end,
  },
  session = {
    args = '{action}',
    help = 'With the current session: fork (go on in a copy), rename [title], export [markdown or json], delete; open another one, or the last one of this project.',
    run = function(_, words, rest)
      require('codebot.pick').session(words, rest)
    end,
    complete = function(words)
      if #words == 0 then
        return require('codebot.pick').session_actions
      end
      return words[1] == 'export' and #words == 1 and { 'json', 'markdown' } or {}
    end,
  },
  fix = {
    args = '[how]',
    help = 'Have the problems mended that are known of the line, or of the range.',
    range = true,
    run = function(args, _, rest)
      require('codebot.chat.actions').fix(args.line1, args.line2, rest)
    end,
  },
  explain = {
    args = '',
    help = 'Have the line explained, or the range.',
    range = true,
    run = function(args)
      local range = { line1 = args.line1, line2 = args.line2 }
      require('codebot.chat').ask(t('Explain these lines.'), range)
    end,
  },
  new = {
    args = '[folder]',
    help = 'Start a new session, in the project or in a folder.',
    run = function(_, _, rest)
      if rest == '' then
        return require('codebot.chat').new()
      end
      local path = vim.fn.fnamemodify(vim.fn.expand(rest), ':p'):gsub('(.)/$', '%1')
      if vim.fn.isdirectory(path) == 0 then
        vim.notify('codebot: ' .. t('%s is no folder', path), vim.log.levels.ERROR)
        return
      end
      require('codebot.chat').new(vim.fs.normalize(path))
    end,
    complete = function(_, lead)
      return vim.fn.getcompletion(lead, 'dir')
    end,
  },
  sessions = {
    args = '',
    help = 'Choose a session of before and go on with it.',
    run = function()
      require('codebot.pick').sessions()
    end,
  },
  mode = {
    args = '[id]',
    help = 'Choose what runs without asking: default, accept_edits, plan or auto.',
    run = function(_, words)
      require('codebot.pick').mode(words)
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
    args = '[id]',
    help = 'Choose the model.',
    run = function(_, words)
      require('codebot.pick').model(words)
    end,
    complete = function(words)
      return #words > 0 and {}
        or require('codebot.pick').ask(methods.models, function(result)
          return vim.tbl_map(function(m)
            return m.id
          end, result.models)
        end)
    end,
  },
  mcp = {
    args = '[server] [action]',
    help = 'Open the window of the MCP servers, or do one thing with one of them: start, stop, restart, enable, disable, approve, revoke, login, logout, log, tools, resources, prompts, settings or remove.',
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
    args = '[provider] [action]',
    help = "Enter a provider's key. The server keeps it in the system's keychain, or where there is none in a file that only you can read. The other actions: remove forgets it, test tries it.",
    run = function(_, words)
      require('codebot.key').run(words[1], words[2])
    end,
    complete = function(words)
      if #words > 0 then
        return #words == 1 and require('codebot.key').actions or {}
      end
      return require('codebot.pick').ask(methods.providers_list, function(result)
        return vim.tbl_map(function(p)
          return p.name
        end, result.providers)
      end)
    end,
  },
  add = {
    args = '',
    help = 'Add an MCP server: its name, its command or address. It is tried before it is kept.',
    run = function()
      require('codebot.mcp.add').run()
    end,
  },
  import = {
    args = '',
    help = 'Take over MCP servers from the settings of other programs on this machine.',
    run = function()
      require('codebot.mcp.add').import()
    end,
  },
  build = {
    args = '',
    help = 'Make the server: with Go from the source beside the plug-in, or take a release. See |codebot-build|.',
    run = function()
      require('codebot.build').run()
    end,
  },
  resources = {
    args = '',
    help = 'Choose a resource of an MCP server and read it in a buffer; it is read anew when the server says that it changed.',
    run = function()
      require('codebot.mcp.resources').pick()
    end,
  },
  prompts = {
    args = '',
    help = 'Choose a prompt of an MCP server, fill it in and send it. Arguments are completed by the server with <Tab>.',
    run = function()
      require('codebot.mcp.prompts').pick()
    end,
  },
  log = {
    args = '[server]',
    help = 'Open the log of an MCP server, or of the language client.',
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
    args = '',
    help = "Look at a project's server that waits for your approval. See |codebot-trust|.",
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
    args = '[which]',
    help = 'Open the settings file: user (the default) or project. See |codebot-settings|.',
    run = function(_, words)
      require('codebot.settings').open(words[1] or 'user')
    end,
    complete = function(words)
      return #words == 0 and { 'user', 'project' } or {}
    end,
  },
  health = {
    args = '',
    help = 'The same as `:checkhealth codebot`.',
    run = function()
      vim.cmd.checkhealth('codebot')
    end,
  },
  restart = {
    args = '',
    help = 'Start the server anew. Sessions are kept.',
    run = function()
      client().restart()
    end,
  },
}

--- The sub-commands, for the help.
M.commands = commands

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
    vim.notify(
      'codebot: ' .. t('only :Codebot ask, explain, fix and rewrite take a range'),
      vim.log.levels.ERROR
    )
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
    candidates = command and command.complete and command.complete(words, lead) or {}
  end
  return vim.tbl_filter(function(candidate)
    return vim.startswith(candidate, lead)
  end, candidates)
end

return M
