--- The buffer in which a person writes: an ordinary one, with undo, completion and
--- what was asked before.
local sessions = require('codebot.session')
local t = require('codebot.text')

local M = {}

local ns = vim.api.nvim_create_namespace('codebot_prompt')
local buffer = -1 -- until it is made
local history = {} ---@type string[] the oldest first
local place = nil ---@type integer|nil index in history that is shown
local draft = '' -- what was there before history was shown

--- How many prompts are remembered.
local max_history = 200

local function text()
  return table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), '\n')
end

local function set(s)
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, vim.split(s, '\n', { plain = true }))
  for _, win in ipairs(vim.fn.win_findbuf(buffer)) do
    local last = vim.api.nvim_buf_line_count(buffer)
    vim.api.nvim_win_set_cursor(win, { last, #vim.api.nvim_buf_get_lines(buffer, -2, -1, false)[1] })
  end
end

local function placeholder()
  vim.api.nvim_buf_clear_namespace(buffer, ns, 0, -1)
  if text() ~= '' then
    return
  end
  local keys = require('codebot.config').get().keys
  local hint = t('Ask codebot')
  if keys.submit then
    hint = hint .. '  ' .. t('%s sends, %s shows the keys', keys.submit, keys.help or ':help codebot')
  end
  vim.api.nvim_buf_set_extmark(buffer, ns, 0, 0, {
    virt_text = { { hint, 'CodebotPlaceholder' } },
    virt_text_pos = 'overlay',
  })
end

---@param s string
local function remember(s)
  if history[#history] ~= s then
    history[#history + 1] = s
    if #history > max_history then
      table.remove(history, 1)
    end
  end
  place, draft = nil, ''
end

--- Remembers what was asked in a session that was opened, where nothing was asked here yet.
---@param session codebot.Session
function M.recall(session)
  if #history > 0 then
    return
  end
  for _, block in ipairs(session.blocks) do
    if block.kind == 'user' then
      remember(block.text)
    end
  end
end

--- Shows an earlier (-1) or later (1) prompt.
---@param step 1|-1
local function walk(step)
  local at = (place or #history + 1) + step
  if at < 1 or at > #history + 1 then
    return
  end
  if not place then
    draft = text()
  end
  place = at <= #history and at or nil
  set(place and history[place] or draft)
end

--- Sends what is written.
function M.submit()
  local s = vim.trim(text())
  if s == '' then
    return
  end
  sessions.get(function(session, err)
    if not session then
      return require('codebot.client').complain(err --[[@as lsp.ResponseError]])
    end
    require('codebot.chat').send(session, s)
    remember(s)
    -- A replaced text, not a new buffer: u brings the prompt back.
    set('')
    placeholder()
  end)
end

--- Puts a text into the prompt, to edit and send. What was being written there stays,
--- behind it.
---@param s string
function M.fill(s)
  M.buffer()
  local written = text()
  set(vim.trim(written) == '' and s or s .. '\n' .. written)
  placeholder()
end

--- The buffer, made when it is first asked for.
---@return integer
function M.buffer()
  if vim.api.nvim_buf_is_valid(buffer) then
    return buffer
  end
  local buf = vim.api.nvim_create_buf(false, true)
  buffer = buf
  pcall(vim.api.nvim_buf_set_name, buf, 'codebot://prompt')
  vim.bo[buf].bufhidden = 'hide'
  vim.bo[buf].modeline = false
  vim.bo[buf].filetype = 'codebot-prompt'
  vim.bo[buf].omnifunc = "v:lua.require'codebot.chat.mention'.omnifunc"
  pcall(vim.treesitter.start, buf, 'markdown')
  local chat = require('codebot.chat')
  require('codebot.config').map(buf, {
    submit = { 'n', M.submit, t('Send') },
    submit_insert = { 'i', M.submit, t('Send') },
    stop = { { 'n' }, chat.stop, t('Stop the turn') },
    close = { 'n', chat.close, t('Close the chat') },
    help = {
      'n',
      function()
        require('codebot.help').keys(buf)
      end,
      t('Show the keys'),
    },
    history_back = {
      { 'n', 'i' },
      function()
        walk(-1)
      end,
      t('Earlier prompt'),
    },
    history_forward = {
      { 'n', 'i' },
      function()
        walk(1)
      end,
      t('Later prompt'),
    },
  })
  vim.api.nvim_create_autocmd({ 'TextChanged', 'TextChangedI' }, { buffer = buf, callback = placeholder })
  placeholder()
  return buf
end

return M
