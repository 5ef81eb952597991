--- :Codebot mcp: a line for each MCP server, live, and keys for what can be done with
--- the one under the cursor.
local mcp = require('codebot.mcp')
local scratch = require('codebot.mcp.scratch')
local clean = require('codebot.clean')
local t = require('codebot.text')

local M = {}

local name = 'codebot://mcp'
local buffer ---@type integer|nil
local keys_by_row = {} ---@type table<integer, string> key of the server at a row, from 0

local looks = {
  connected = { '●', 'CodebotDone' },
  degraded = { '◐', 'CodebotQuestion' },
  starting = { '◌', 'CodebotRunning' },
  reconnecting = { '◌', 'CodebotQuestion' },
  stopping = { '◌', 'CodebotNote' },
  stopped = { '○', 'CodebotNote' },
  disabled = { '○', 'CodebotNote' },
  untrusted = { '?', 'CodebotQuestion' },
  needs_auth = { '?', 'CodebotQuestion' },
  failed = { '✗', 'CodebotFailed' },
}

local state_texts = {
  connected = 'connected',
  degraded = 'degraded',
  starting = 'starting',
  reconnecting = 'reconnecting',
  stopping = 'stopping',
  stopped = 'stopped',
  disabled = 'disabled',
  untrusted = 'not approved',
  needs_auth = 'needs a login',
  failed = 'failed',
}

--- Pads to a width in cells, so that wide characters line up.
---@param s string
---@param width integer
local function pad(s, width)
  return s .. (' '):rep(math.max(0, width - vim.fn.strdisplaywidth(s)))
end

--- Where a row comes from, for a person.
---@param row codebot.MCPServer
local function origin(row)
  if row.folder then
    return clean.line(vim.fn.fnamemodify(vim.uri_to_fname(row.folder), ':~'))
  end
  return t('yours')
end

--- What stands below the line of a server that wants attention.
---@param row codebot.MCPServer
---@return string[]
local function details(row)
  local lines = {}
  local keys = require('codebot.config').get().keys
  if row.consent then
    lines[1] = row.consent.changed and t('Its entry has changed since you approved it.')
      or t('The project wants to run it.')
    if keys.mcp_approve then
      lines[2] = t('%s shows what it would run.', keys.mcp_approve)
    end
  end
  if row.state == 'needs_auth' and keys.mcp_login then
    lines[#lines + 1] = t('%s logs in.', keys.mcp_login)
  end
  if row.error then
    vim.list_extend(lines, clean.lines(row.error.message))
    if row.error.hint then
      vim.list_extend(lines, clean.lines(row.error.hint))
    end
    if row.error.exitCode then
      lines[#lines + 1] = t('exit code %d', row.error.exitCode)
    end
    for _, line in ipairs(clean.lines(vim.trim(row.error.stderrTail or ''))) do
      if line ~= '' then
        lines[#lines + 1] = '| ' .. line
      end
    end
  end
  if row.shadows then
    lines[#lines + 1] = t(
      'It stands in for the entry in %s.',
      clean.line(vim.fn.fnamemodify(vim.uri_to_fname(row.shadows), ':~'))
    )
  end
  return lines
end

--- What a server offers, in numbers.
---@param row codebot.MCPServer
local function offers(row)
  local text = t.count('1 tool', '%d tools', row.toolCount)
  if row.resourceCount > 0 then
    text = text .. ', ' .. t.count('1 resource', '%d resources', row.resourceCount)
  end
  if row.promptCount > 0 then
    text = text .. ', ' .. t.count('1 prompt', '%d prompts', row.promptCount)
  end
  return text
end

--- The window's text. Pure but for widths.
---@param rows codebot.MCPServer[]
---@param totals codebot.MCPTotals
---@return string[] lines, table[] marks, table<integer, string> keys
function M.render(rows, totals)
  local lines, marks, keys = {}, {}, {}
  local help = require('codebot.config').get().keys.help
  lines[1] = t(
    'MCP servers: %d connected, %d failed, %d tools',
    totals.connected,
    totals.failed,
    totals.tools
  ) .. (help and '   ' .. t('%s shows the keys', help) or '')
  marks[1] = { 0, 0, -1, 'CodebotTool' }
  lines[2] = ''
  local widths = { 0, 0, 0, 0 }
  local cells = {}
  for i, row in ipairs(rows) do
    cells[i] = {
      clean.line(row.name),
      t(state_texts[row.state] or row.state),
      offers(row),
      row.transport,
      origin(row),
    }
    for c in ipairs(widths) do
      widths[c] = math.max(widths[c], vim.fn.strdisplaywidth(cells[i][c]))
    end
  end
  for i, row in ipairs(rows) do
    local look = looks[row.state] or { '·', 'CodebotNote' }
    local at = #lines
    local head = look[1] .. ' ' .. pad(cells[i][1], widths[1])
    local line = ('%s  %s  %s  %s  %s'):format(
      head,
      pad(cells[i][2], widths[2]),
      pad(cells[i][3], widths[3]),
      pad(cells[i][4], widths[4]),
      cells[i][5]
    )
    lines[at + 1] = line
    marks[#marks + 1] = { at, 0, #look[1], look[2] }
    marks[#marks + 1] = { at, #head, -1, 'CodebotNote' }
    keys[at] = mcp.key(row)
    for _, detail in ipairs(details(row)) do
      keys[#lines] = mcp.key(row)
      marks[#marks + 1] = { #lines, 0, -1, row.state == 'failed' and 'CodebotFailed' or 'CodebotNote' }
      lines[#lines + 1] = '    ' .. detail
    end
  end
  if #rows == 0 then
    lines[3] = t('No MCP server is configured. :Codebot settings opens the file for it.')
    local add = require('codebot.config').get().keys.mcp_add
    if add then
      lines[4] = t('%s adds one.', add)
    end
  end
  return lines, marks, keys
end

local function draw()
  if not buffer or not vim.api.nvim_buf_is_valid(buffer) then
    return
  end
  local lines, marks, keys = M.render(mcp.rows(), mcp.totals())
  -- The cursor of each window stays with its server.
  local at = {}
  for _, win in ipairs(vim.fn.win_findbuf(buffer)) do
    at[win] = keys_by_row[vim.api.nvim_win_get_cursor(win)[1] - 1]
  end
  scratch.set(buffer, 0, -1, lines)
  scratch.mark(buffer, marks)
  keys_by_row = keys
  for win, key in pairs(at) do
    for row = 0, #lines - 1 do
      if keys[row] == key then
        vim.api.nvim_win_set_cursor(win, { row + 1, 0 })
        break
      end
    end
  end
end

--- The line of a settings file at which a server's entry begins, from 1.
---@param path string
---@param server string
---@return integer|nil
function M.entry_line(path, server)
  local file = io.open(path)
  if not file then
    return nil
  end
  local key = vim.json.encode(server):gsub('\\/', '/')
  local inside, n, found = false, 0, nil
  for line in file:lines() do
    n = n + 1
    inside = inside or line:find('"mcp_servers"', 1, true) ~= nil
    local at, to = line:find(key, 1, true)
    if inside and at and line:find('^%s*:', to + 1) then
      found = n
      break
    end
  end
  file:close()
  return found
end

--- Opens the entry of a server in its settings file.
---@param row codebot.MCPServer
function M.open_settings(row)
  if not vim.startswith(row.source, 'file:') then
    vim.notify('codebot: ' .. t('%s stands in no settings file', clean.line(row.name)))
    return
  end
  local path = vim.uri_to_fname(row.source)
  require('codebot.files').open(path, M.entry_line(path, row.name))
end

---@param what string
---@param row codebot.MCPServer
function M.run(what, row)
  if what == 'approve' then
    require('codebot.mcp.consent').ask(row)
  elseif what == 'log' then
    require('codebot.mcp.log').open(row)
  elseif what == 'tools' then
    require('codebot.mcp.tools').open(row)
  elseif what == 'settings' then
    M.open_settings(row)
  elseif what == 'resources' then
    require('codebot.mcp.resources').pick(row)
  elseif what == 'prompts' then
    require('codebot.mcp.prompts').pick(row)
  elseif what == 'remove' then
    require('codebot.mcp.add').remove(row)
  elseif what == 'login' or what == 'logout' then
    require('codebot.mcp.login').run(what, row)
  else
    mcp.act(what --[[@as codebot.MCPAction]], row)
  end
end

--- What can be done with a server, as :Codebot mcp SERVER ACTION knows it.
M.actions = {
  'start',
  'stop',
  'restart',
  'enable',
  'disable',
  'approve',
  'revoke',
  'login',
  'logout',
  'log',
  'tools',
  'resources',
  'prompts',
  'settings',
  'remove',
}

--- Does what a code lens or a status item asks for.
---@param action string
---@param what {name?: string, folder?: string}
function M.act(action, what)
  local names = { trust = 'approve', log = 'log', openSettings = 'settings', login = 'login' }
  local row = what.name and mcp.row(mcp.key({ name = what.name, folder = what.folder }))
  if action == 'mcp' or not row or not names[action] then
    return M.open()
  end
  M.run(names[action], row)
end

--- Opens the window.
function M.open()
  local fresh
  buffer, fresh = scratch.buffer(name, 'codebot-mcp')
  if fresh then
    local maps = {
      close = {
        'n',
        function()
          scratch.hide(buffer)
        end,
        t('Close the window'),
      },
      help = {
        'n',
        function()
          require('codebot.help').keys(buffer)
        end,
        t('Show the keys'),
      },
    }
    local texts = {
      start = t('Start the server'),
      stop = t('Stop the server'),
      restart = t('Restart the server'),
      enable = t('Enable it in the settings'),
      disable = t('Disable it in the settings'),
      login = t('Log in'),
      logout = t('Log out'),
      resources = t('Show its resources'),
      prompts = t('Run one of its prompts'),
      approve = t('Look at what it would run and approve it'),
      revoke = t('Take the approval back'),
      log = t('Show its log'),
      tools = t('Show its tools'),
      settings = t('Open its entry in the settings'),
      remove = t('Take its entry out of the settings'),
    }
    for _, what in ipairs(M.actions) do
      maps['mcp_' .. what] = {
        'n',
        function()
          local row = mcp.row(keys_by_row[vim.api.nvim_win_get_cursor(0)[1] - 1] or '')
          if row then
            M.run(what, row)
          end
        end,
        texts[what],
      }
    end
    for action, text in pairs({ add = t('Add a server'), import = t('Take over servers of other programs') }) do
      maps['mcp_' .. action] = {
        'n',
        function()
          require('codebot.mcp.add')[action == 'add' and 'run' or 'import']()
        end,
        text,
      }
    end
    require('codebot.config').map(buffer, maps)
  end
  require('codebot.highlight').define()
  scratch.show(buffer)
  draw()
  mcp.refresh(function(err)
    if err then
      require('codebot.client').complain(err)
    end
    for row = 0, vim.api.nvim_buf_line_count(buffer) - 1 do
      if keys_by_row[row] and vim.api.nvim_get_current_buf() == buffer then
        if vim.api.nvim_win_get_cursor(0)[1] == 1 then
          vim.api.nvim_win_set_cursor(0, { row + 1, 0 })
        end
        break
      end
    end
  end)
end

mcp.listen(function(event)
  if event == 'rows' then
    draw()
  end
end)

return M
