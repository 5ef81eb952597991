--- What @ and / in a prompt stand for. Files named with @ go along as links, images as
--- themselves; what else the server proposed, as it said.
local M = {}

local methods = require('codebot.protocol_gen').methods

--- How long the completion waits for the server, in ms.
local patience = 1500

--- The blocks of what was proposed and is no file, by the text that stands in the prompt.
---@type table<string, codebot.ContentBlock>
local proposed = {}

--- Asks the server and waits, which a completion function has to.
---@param method string
---@param params table
local function ask(method, params)
  local answered, answer = false, nil
  require('codebot.client').request(method, params, function(err, result)
    answered, answer = true, not err and result or nil
  end)
  vim.wait(patience, function()
    return answered
  end, 5)
  return answer
end

local images =
  { png = 'image/png', jpg = 'image/jpeg', jpeg = 'image/jpeg', gif = 'image/gif', webp = 'image/webp' }

--- Larger images are linked, not sent, in bytes.
local max_image = 5 * 1024 * 1024

---@param path string
local function read(path)
  local file = io.open(path, 'rb')
  if not file then
    return nil
  end
  local data = file:read(max_image + 1)
  file:close()
  return data and #data <= max_image and data or nil
end

--- The content blocks of the files that a text names as @path, relative to cwd.
---@param text string
---@param cwd string
---@return codebot.ContentBlock[]
function M.blocks(text, cwd)
  local blocks, seen = {}, {}
  for mention, block in pairs(proposed) do
    if text:find(mention, 1, true) then
      blocks[#blocks + 1] = block
    end
  end
  for at, name in text:gmatch('()@(%S+)') do
    local before = at > 1 and text:sub(at - 1, at - 1) or ' '
    local path = name
    if not name:find('^[/~]') and not name:find('^%a:[/\\]') then
      path = vim.fs.joinpath(cwd, name)
    end
    path = vim.fs.normalize(path)
    local stat = before:find('%s') and vim.uv.fs_stat(path)
    if stat and not seen[path] then
      seen[path] = true
      local mime = images[(path:match('%.(%w+)$') or ''):lower()]
      local data = mime and stat.type == 'file' and read(path)
      if data then
        blocks[#blocks + 1] =
          { type = 'image', data = vim.base64.encode(data), mimeType = mime, uri = vim.uri_from_fname(path) }
      else
        blocks[#blocks + 1] =
          { type = 'resource_link', uri = vim.uri_from_fname(path), name = vim.fs.basename(path) }
      end
    end
  end
  return blocks
end

--- Where the word begins that can be completed.
---@param line string the line up to the cursor
---@param row integer of the cursor, from 1
---@return integer|nil byte column from 0
function M.start(line, row)
  local start = line:find('@%S*$')
  if not start and row == 1 then
    start = line:find('^/%S*$')
  end
  return start and start - 1
end

--- Completion of @ and / in the prompt, as 'omnifunc'.
---@param findstart integer
---@param base string
function M.omnifunc(findstart, base)
  if findstart == 1 then
    local cursor = vim.api.nvim_win_get_cursor(0)
    return M.start(vim.api.nvim_get_current_line():sub(1, cursor[2]), cursor[1]) or -3
  end
  return M.words(base)
end

--- What a word that begins with @ or / can become.
---@param base string
---@return {word: string, menu: string|nil}[]
function M.words(base)
  local session = require('codebot.session').current()
  local words = {}
  local line = require('codebot.clean').line
  if base:sub(1, 1) == '/' then
    local answer = session and ask(methods.session_commands, { sessionId = session.id })
    for _, command in ipairs(answer and answer.commands or {}) do
      if vim.startswith('/' .. command.name, base) then
        local info = command.hint and line(command.hint) .. '  ' or ''
        words[#words + 1] = { word = '/' .. command.name, menu = info .. line(command.description) }
      end
    end
    return words
  end
  local found = session and ask(methods.session_mentions, { sessionId = session.id, query = base:sub(2) })
  for _, mention in ipairs(found and found.mentions or {}) do
    -- A word of the prompt ends at a space. What is selected goes along by a range.
    if not mention.text:find('%s') and mention.kind ~= 'selection' then
      if mention.kind ~= 'file' and mention.kind ~= 'folder' then
        proposed[mention.text] = mention.block
      end
      words[#words + 1] = { word = mention.text, menu = mention.detail and line(mention.detail) or nil }
    end
  end
  if #words > 0 then
    return words
  end
  -- A path elsewhere, or a server that is not there yet.
  local cwd = session and session.cwd or vim.fn.getcwd()
  local part = base:sub(2)
  local dir, stem = part:match('^(.*/)([^/]*)$')
  dir, stem = dir or '', stem or part
  local folder = dir:find('^[/~]') and vim.fs.normalize(dir) or vim.fs.joinpath(cwd, dir)
  for name, kind in vim.fs.dir(folder) do
    if vim.startswith(name, stem) and not (stem == '' and name:sub(1, 1) == '.') and not name:find('%s') then
      words[#words + 1] = { word = '@' .. dir .. name .. (kind == 'directory' and '/' or ''), menu = kind }
    end
  end
  table.sort(words, function(a, b)
    return a.word < b.word
  end)
  return words
end

return M
