--- The MCP servers as the server tells them, and what can be done with one.
local methods = require('codebot.protocol_gen').methods
local client = require('codebot.client')

local M = {}

local rows = {} ---@type table<string, codebot.MCPServer> by key
local totals = { connected = 0, failed = 0, tools = 0 } ---@type codebot.MCPTotals
local revision = nil ---@type integer|nil
local asking = false -- codebot/mcp/status is on its way

local listeners = {} ---@type fun(event: "rows"|"log", params: codebot.MCPLogParams|nil)[]

--- Calls back when rows have changed and when a server has logged.
---@param listener fun(event: "rows"|"log", params: codebot.MCPLogParams|nil)
function M.listen(listener)
  listeners[#listeners + 1] = listener
end

local function tell(event, params)
  for _, listener in ipairs(listeners) do
    listener(event, params)
  end
end

--- What tells one server from all others.
---@param server {name: string, folder?: string}
---@return string
function M.key(server)
  return (server.folder or '') .. ' ' .. server.name -- a URI has no blank
end

--- Names a server in a request. The user's own is named by an empty folder.
---@param server {name: string, folder?: string}
---@return codebot.MCPServerRef
function M.ref(server)
  return { name = server.name, folder = server.folder or '' }
end

local told = {} ---@type table<string, boolean> hashes whose approval was asked for

--- Tells once of each entry of a project that waits for approval.
local function tell_consent()
  local names = {}
  for _, row in pairs(rows) do
    if row.consent and not told[row.consent.hash] then
      told[row.consent.hash] = true
      names[#names + 1] = require('codebot.clean').line(row.name)
    end
  end
  if #names > 0 then
    table.sort(names)
    local t = require('codebot.text')
    vim.notify(
      'codebot: ' .. t('the project wants to run %s; :Codebot trust shows what', table.concat(names, ', '))
    )
  end
end

local function changed()
  tell_consent()
  require('codebot.status').count()
  tell('rows')
end

--- Asks for the whole picture.
---@param callback? fun(err: lsp.ResponseError|nil)
function M.refresh(callback)
  asking = true
  client.request(methods.mcp_status, nil, function(err, result)
    asking = false
    if not err and revision and result.revision < revision then
      -- It was overtaken on its way, and lacks what came before it.
      return M.refresh(callback)
    end
    if not err then
      rows = {}
      for _, row in ipairs(result.servers) do
        rows[M.key(row)] = row
      end
      totals, revision = result.totals, result.revision
      changed()
    end
    if callback then
      callback(err)
    end
  end)
end

--- codebot/mcp/didChangeStatus.
---@param params codebot.MCPDidChangeStatusParams
function M.on_change(params)
  if revision and params.revision <= revision then
    return -- the answer to status has it already
  elseif not revision or params.revision ~= revision + 1 then
    if not asking then
      M.refresh()
    end
    return
  end
  revision, totals = params.revision, params.totals
  for _, key in ipairs(params.removed) do
    rows[M.key(key)] = nil
  end
  for _, row in ipairs(params.servers) do
    rows[M.key(row)] = row
  end
  changed()
end

--- codebot/mcp/log.
---@param params codebot.MCPLogParams
function M.on_log(params)
  tell('log', params)
end

--- The server is gone, and what it told with it.
function M.forget()
  rows, revision, asking = {}, nil, false
  totals = { connected = 0, failed = 0, tools = 0 }
  tell('rows')
end

--- The rows: the user's first, then by folder and name.
---@return codebot.MCPServer[]
function M.rows()
  local list = vim.tbl_values(rows)
  table.sort(list, function(a, b)
    return M.key(a) < M.key(b)
  end)
  return list
end

--- The rows of that name.
---@param name string
---@return codebot.MCPServer[]
function M.named(name)
  return vim.tbl_filter(function(row)
    return row.name == name
  end, M.rows())
end

---@param key string
---@return codebot.MCPServer|nil
function M.row(key)
  return rows[key]
end

---@return codebot.MCPTotals
function M.totals()
  return totals
end

---@alias codebot.MCPAction "start"|"stop"|"restart"|"revoke"|"enable"|"disable"|"login"|"logout"

local actions = {
  start = methods.mcp_start,
  stop = methods.mcp_stop,
  restart = methods.mcp_restart,
  revoke = methods.mcp_revoke,
  enable = methods.mcp_enable,
  disable = methods.mcp_disable,
  login = methods.mcp_login,
  logout = methods.mcp_logout,
}

--- Does something with a server; what came of it is told.
---@param action codebot.MCPAction
---@param server {name: string, folder?: string}
---@param callback? fun(err: lsp.ResponseError|nil, row: codebot.MCPServer|nil)
function M.act(action, server, callback)
  client.request(actions[action], M.ref(server), function(err, result)
    M.took(err, result, callback)
  end)
end

--- Lets a project's entry act, by the hash that the person saw.
---@param server {name: string, folder?: string}
---@param hash string
---@param callback? fun(err: lsp.ResponseError|nil, row: codebot.MCPServer|nil)
function M.approve(server, hash, callback)
  local params = { name = server.name, folder = server.folder, hash = hash }
  client.request(methods.mcp_approve, params, function(err, result)
    M.took(err, result, callback)
  end)
end

--- Tells what came of an action: errors and failed servers by a message.
function M.took(err, result, callback)
  if err then
    client.complain(err)
  else
    local row = result.server ---@type codebot.MCPServer
    -- The row has come as a change before this, and a newer one may have since.
    if row.error and (row.state == 'failed' or row.state == 'needs_auth') then
      local clean = require('codebot.clean')
      vim.notify(
        ('codebot: %s: %s'):format(clean.line(row.name), clean.line(row.error.message)),
        vim.log.levels.WARN
      )
    end
  end
  if callback then
    callback(err, result and result.server)
  end
end

return M
