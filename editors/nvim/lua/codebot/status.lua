--- vim.g.codebot_status: what the status line shows, there for whoever draws one
--- without loading the plug-in.
local M = {}

---@class codebot.StatusVar
---@field text string such as "codebot 3/4"
---@field health codebot.Health
---@field busy boolean
---@field tooltip string Markdown
---@field connected integer MCP servers that can be used
---@field failed integer
---@field tools integer

--- Takes what the server pushed; nil when it is gone.
---@param status codebot.StatusResult|nil
function M.set(status)
  if not status then
    vim.g.codebot_status = nil
  else
    local totals = require('codebot.mcp').totals()
    local clean = require('codebot.clean')
    ---@type codebot.StatusVar
    vim.g.codebot_status = {
      text = clean.line(status.text),
      health = status.health,
      busy = status.busy,
      tooltip = clean.text(status.tooltip),
      connected = totals.connected,
      failed = totals.failed,
      tools = totals.tools,
    }
  end
  require('codebot.event').fire('Status', { status = vim.g.codebot_status })
  vim.cmd.redrawstatus({ bang = true })
end

--- Brings the counts up to date after the rows changed.
function M.count()
  local status = vim.g.codebot_status
  if status then
    status = vim.tbl_extend('force', status, require('codebot.mcp').totals())
    vim.g.codebot_status = status
    require('codebot.event').fire('Status', { status = status })
  end
end

return M
