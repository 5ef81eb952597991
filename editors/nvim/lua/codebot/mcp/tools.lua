--- The tools of an MCP server, and calling one by hand.
local methods = require('codebot.protocol_gen').methods
local client = require('codebot.client')
local scratch = require('codebot.mcp.scratch')
local clean = require('codebot.clean')
local json = require('codebot.json')
local t = require('codebot.text')

local M = {}

local shown = {} ---@type table<integer, codebot.MCPServer> by buffer, whose tools it shows
local tools_by_row = {} ---@type table<integer, table<integer, codebot.MCPTool>> by buffer and row, from 0

--- Arguments to begin with: what the schema requires, empty.
---@param schema table
---@return table
function M.template(schema)
  local empty =
    { string = '', number = 0, integer = 0, boolean = false, array = {}, object = vim.empty_dict() }
  local arguments = vim.empty_dict()
  for _, name in ipairs(type(schema.required) == 'table' and schema.required or {}) do
    local property = type(schema.properties) == 'table' and schema.properties[name] or {}
    local value ---@type any
    if type(property) == 'table' then
      value = property.default
      if value == nil and type(property.enum) == 'table' then
        value = property.enum[1]
      end
      if value == nil then
        value = empty[property.type]
      end
    end
    arguments[name] = value == nil and '' or value
  end
  return arguments
end

---@param content codebot.ContentBlock[]
local function result_lines(content)
  local lines = {}
  for _, block in ipairs(content) do
    vim.list_extend(lines, clean.lines(require('codebot.session').content_text(block)))
  end
  return lines
end

---@param tool codebot.MCPTool
---@param arguments table
function M.call(tool, arguments)
  local params = { server = tool.server, folder = tool.folder or '', tool = tool.tool, arguments = arguments }
  client.request(methods.mcp_call_tool, params, function(err, result)
    if err then
      return client.complain(err)
    end
    local lines =
      { (result.isError and '✗ ' or '✓ ') .. clean.line(tool.server .. ' › ' .. tool.tool), '' }
    vim.list_extend(lines, result_lines(result.content))
    if #result.content == 0 and result.structuredContent ~= nil then
      vim.list_extend(lines, vim.tbl_map(clean.visible, json.lines(result.structuredContent)))
    end
    local buf = scratch.buffer('codebot://mcp/result', 'codebot-result')
    scratch.set(buf, 0, -1, lines)
    scratch.mark(buf, { { 0, 0, -1, result.isError and 'CodebotFailed' or 'CodebotDone' } })
    require('codebot.config').map(buf, {
      close = {
        'n',
        function()
          scratch.hide(buf)
        end,
        t('Close the window'),
      },
    })
    scratch.show(buf)
  end)
end

--- Opens a buffer for the arguments of a call; writing it (:w) makes the call.
---@param tool codebot.MCPTool
function M.compose(tool)
  local buf = vim.api.nvim_create_buf(false, true)
  pcall(
    vim.api.nvim_buf_set_name,
    buf,
    ('codebot://mcp/call/%d/%s'):format(buf, (tool.name:gsub('[^%w_-]', '_')))
  )
  vim.bo[buf].buftype = 'acwrite'
  vim.bo[buf].bufhidden = 'wipe'
  vim.bo[buf].modeline = false
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, json.lines(M.template(tool.inputSchema or {})))
  vim.bo[buf].modified = false
  pcall(vim.treesitter.start, buf, 'json')
  local function run()
    local text = table.concat(vim.api.nvim_buf_get_lines(buf, 0, -1, false), '\n')
    local ok, arguments = pcall(vim.json.decode, text)
    if not ok or type(arguments) ~= 'table' or (vim.islist(arguments) and #arguments > 0) then
      vim.notify(
        'codebot: ' .. t('the arguments are no JSON object: %s', tostring(arguments)),
        vim.log.levels.ERROR
      )
      return
    end
    vim.bo[buf].modified = false
    if next(arguments) == nil then
      arguments = vim.empty_dict()
    end
    M.call(tool, arguments)
  end
  -- Half-written arguments keep nobody from leaving.
  vim.api.nvim_create_autocmd({ 'TextChanged', 'TextChangedI' }, {
    buffer = buf,
    callback = function()
      vim.bo[buf].modified = false
    end,
  })
  vim.api.nvim_create_autocmd('BufWriteCmd', { buffer = buf, callback = run })
  require('codebot.config').map(buf, {
    submit = { 'n', run, t('Call the tool') },
    close = {
      'n',
      function()
        vim.bo[buf].modified = false
        scratch.hide(buf)
      end,
      t('Close the window'),
    },
  })
  scratch.show(buf)
  vim.wo[0][0].winbar = (t('Arguments of %s: :w calls it', clean.line(tool.tool)):gsub('%%', '%%%%'))
end

--- Keeps a tool from the agent, or gives it back, in the file that declares its server.
---@param row codebot.MCPServer
---@param tool codebot.MCPTool
function M.switch(row, tool)
  local params =
    { server = tool.server, folder = tool.folder or '', tool = tool.tool, enabled = tool.off == true }
  client.request(methods.mcp_set_tool, params, function(err)
    if err then
      return client.complain(err)
    end
    M.open(row)
  end)
end

--- Opens the list of a server's tools.
---@param row codebot.MCPServer
function M.open(row)
  client.request(methods.mcp_tools, { server = row.name, folder = row.folder or '' }, function(err, result)
    if err then
      return client.complain(err)
    end
    local buf, fresh = scratch.buffer('codebot://mcp/tools', 'codebot-tools')
    local lines, marks, rows =
      { t('Tools of %s', clean.line(row.name)), '' }, { { 0, 0, -1, 'CodebotTool' } }, {}
    for _, tool in ipairs(result.tools) do
      rows[#lines] = tool
      marks[#marks + 1] = { #lines, 0, -1, 'CodebotUser' }
      local head = clean.line(tool.tool) .. '  ' .. clean.line(tool.permission.capability)
      if tool.permission.reason ~= '' then
        head = head .. ' (' .. clean.line(tool.permission.reason) .. ')'
      end
      if tool.off then
        marks[#marks][4] = 'CodebotNote'
        head = head .. '  ' .. t('[kept from the agent]')
      end
      lines[#lines + 1] = head
      for _, line in ipairs(clean.lines(tool.description)) do
        rows[#lines] = tool
        lines[#lines + 1] = '    ' .. line
      end
      rows[#lines] = tool
      marks[#marks + 1] = { #lines, 0, -1, 'CodebotNote' }
      lines[#lines + 1] = '    ' .. clean.line(tool.name)
    end
    if #result.tools == 0 then
      lines[3] = t('There are none.')
    end
    scratch.set(buf, 0, -1, lines)
    scratch.mark(buf, marks)
    tools_by_row[buf], shown[buf] = rows, row
    local function on_tool(action)
      return function()
        local tool = tools_by_row[buf][vim.api.nvim_win_get_cursor(0)[1] - 1]
        if tool then
          action(tool)
        end
      end
    end
    if fresh then
      require('codebot.config').map(buf, {
        open = {
          'n',
          on_tool(M.compose),
          t('Call the tool'),
        },
        tool_switch = {
          'n',
          on_tool(function(tool)
            M.switch(shown[buf], tool)
          end),
          t('Keep it from the agent, or give it back'),
        },
        help = {
          'n',
          function()
            require('codebot.help').keys(buf)
          end,
          t('Show the keys'),
        },
        close = {
          'n',
          function()
            scratch.hide(buf)
          end,
          t('Close the window'),
        },
      })
    end
    local known = #vim.fn.win_findbuf(buf) > 0
    local win = scratch.show(buf)
    if not known then
      vim.api.nvim_win_set_cursor(win, { math.min(3, #lines), 0 })
    end
  end)
end

return M
