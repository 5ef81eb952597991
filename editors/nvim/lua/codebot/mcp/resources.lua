--- Resources of MCP servers, as buffers codebot://resource/SERVER/ADDRESS that a person
--- reads and :edit reads anew.
local methods = require('codebot.protocol_gen').methods
local client = require('codebot.client')
local clean = require('codebot.clean')
local t = require('codebot.text')

local M = {}

local scheme = 'codebot://resource/'

---@class codebot.ResourceKey
---@field server string
---@field folder? string
---@field address string

local keys = {} ---@type table<integer, codebot.ResourceKey> by buffer

---@param buf integer
---@param key codebot.ResourceKey
local function read(buf, key)
  client.request(
    methods.mcp_read_resource,
    { server = key.server, folder = key.folder or '', address = key.address, subscribe = true },
    function(err, result)
      if not vim.api.nvim_buf_is_valid(buf) then
        return
      elseif err then
        return client.complain(err)
      end
      local lines = {}
      for i, content in ipairs(result.contents) do
        if i > 1 then
          lines[#lines + 1] = ''
        end
        if content.text then
          vim.list_extend(lines, clean.lines(content.text))
        else
          lines[#lines + 1] =
            t('%s, %d bytes', content.mimeType or '?', math.floor(#(content.blob or '') * 3 / 4))
        end
      end
      vim.bo[buf].modifiable = true
      vim.api.nvim_buf_set_lines(buf, 0, -1, false, lines)
      vim.bo[buf].modifiable = false
      vim.bo[buf].modified = false
      -- Highlighting alone: a filetype would wake other plug-ins on a server's text.
      local filetype = vim.filetype.match({ filename = key.address:gsub('[?#].*', '') })
      local language = filetype and vim.treesitter.language.get_lang(filetype)
      if not language or not pcall(vim.treesitter.start, buf, language) then
        vim.bo[buf].syntax = filetype or ''
      end
    end
  )
end

--- Shows a resource.
---@param key codebot.ResourceKey
function M.show(key)
  local name = scheme .. clean.line(key.server) .. '/' .. clean.line(key.address)
  for buf, known in pairs(keys) do
    if vim.deep_equal(known, key) and vim.api.nvim_buf_is_valid(buf) then
      require('codebot.mcp.scratch').show(buf)
      return read(buf, key)
    end
  end
  local buf = vim.api.nvim_create_buf(true, true)
  keys[buf] = key
  pcall(vim.api.nvim_buf_set_name, buf, name)
  vim.bo[buf].modeline = false
  vim.bo[buf].modifiable = false
  vim.bo[buf].bufhidden = 'hide'
  vim.api.nvim_create_autocmd('BufReadCmd', {
    buffer = buf,
    callback = function()
      read(buf, key)
    end,
  })
  vim.api.nvim_create_autocmd('BufWipeout', {
    buffer = buf,
    callback = function()
      keys[buf] = nil
    end,
  })
  require('codebot.mcp.scratch').show(buf)
  read(buf, key)
end

--- codebot/mcp/didChangeResource: what is shown is read anew.
---@param params codebot.MCPDidChangeResourceParams
function M.on_change(params)
  for buf, key in pairs(keys) do
    if key.server == params.server and key.address == params.address and key.folder == params.folder then
      read(buf, key)
    end
  end
end

--- Fills the variables of a template one by one.
---@param template codebot.MCPResourceTemplate
local function fill(template)
  local names = {}
  for name in template.template:gmatch('{[+#./;?&]?([%w_.,]+)[^}]*}') do
    vim.list_extend(names, vim.split(name, ',', { plain = true }))
  end
  local address, i = template.template, 0
  local function step()
    i = i + 1
    local name = names[i]
    if not name then
      return M.show({ server = template.server, folder = template.folder, address = address })
    end
    vim.ui.input({ prompt = clean.line(name) .. ': ' }, function(value)
      if value then
        address =
          address:gsub('{[^}]*' .. vim.pesc(name) .. '[^}]*}', (vim.uri_encode(value):gsub('%%', '%%%%')), 1)
        step()
      end
    end)
  end
  step()
end

--- Lets a person choose a resource, of one server or of all.
---@param row? codebot.MCPServer
function M.pick(row)
  local filter = row and { server = row.name, folder = row.folder or '' } or nil
  client.request(methods.mcp_resources, filter, function(err, result)
    if err then
      return client.complain(err)
    end
    local items = vim.list_extend(vim.list_extend({}, result.resources), result.templates)
    if #items == 0 then
      vim.notify('codebot: ' .. t('there are no resources'))
      return
    end
    vim.ui.select(items, {
      prompt = t('Resource'),
      kind = 'codebot_resource',
      format_item = function(item)
        return clean.line(
          ('%s · %s · %s'):format(item.server, item.title or item.name, item.address or item.template)
        )
      end,
    }, function(item)
      if item and item.template then
        fill(item)
      elseif item then
        M.show({ server = item.server, folder = item.folder, address = item.address })
      end
    end)
  end)
end

return M
