--- Answers to questions, given in the chat or in a diff.
local sessions = require('codebot.session')
local t = require('codebot.text')

local M = {}

--- A key that was typed before the question could be read is no answer, in ms.
M.guard_ms = 400

local seen = setmetatable({}, { __mode = 'k' }) ---@type table<codebot.Question, number> when it was first on the screen

--- Tells that the question is on the screen.
---@param block codebot.Block
function M.shown(block)
  if block.question and not seen[block.question] then
    seen[block.question] = vim.uv.now()
  end
end

--- Answers with an option id; a yes only to what could be read.
---@param session codebot.Session
---@param block codebot.Block
---@param option string
---@return boolean answered
function M.answer(session, block, option)
  if not block.question then
    return false
  end
  local at = seen[block.question]
  if vim.startswith(option, 'allow') and (not at or vim.uv.now() - at < M.guard_ms) then
    M.shown(block)
    vim.notify('codebot: ' .. t('the question has just come; read it and press the key again'))
    return false
  end
  sessions.answer(session, block, option)
  return true
end

--- Opens the diffs of a call in a tab of their own, old on the left. There a accepts
--- and r rejects while the question is open, q closes.
---@param session codebot.Session
---@param block codebot.Block
function M.diff(session, block)
  local diffs = vim.tbl_filter(function(content)
    return content.type == 'diff'
  end, block.call and block.call.content or {})
  if #diffs == 0 then
    vim.notify('codebot: ' .. t('this call changes no text'))
    return
  end
  local clean, config = require('codebot.clean'), require('codebot.config')
  for i, content in ipairs(diffs) do
    local bufs = {}
    for side, text in ipairs({ content.oldText or '', content.newText or '' }) do
      local buf = vim.api.nvim_create_buf(false, true)
      local lines = vim.split(clean.visible(text), '\n', { plain = true })
      if #lines > 1 and lines[#lines] == '' then
        lines[#lines] = nil
      end
      vim.api.nvim_buf_set_lines(buf, 0, -1, false, lines)
      vim.bo[buf].modeline = false
      vim.bo[buf].modifiable = false
      vim.bo[buf].bufhidden = 'wipe'
      local name = clean.line(vim.fs.basename(content.path)):gsub('[^%w%._-]', '_')
      pcall(
        vim.api.nvim_buf_set_name,
        buf,
        ('codebot://%s/%d/%s'):format(side == 1 and 'old' or 'new', buf, name)
      )
      -- Highlighting alone: a filetype would wake other plug-ins on a model's text.
      local filetype = vim.filetype.match({ filename = content.path })
      local language = filetype and vim.treesitter.language.get_lang(filetype)
      if not language or not pcall(vim.treesitter.start, buf, language) then
        vim.bo[buf].syntax = filetype or ''
      end
      bufs[side] = buf
    end
    vim.cmd.tabnew()
    local empty = vim.api.nvim_get_current_buf()
    local tab = vim.api.nvim_get_current_tabpage()
    vim.api.nvim_win_set_buf(0, bufs[1])
    vim.cmd('rightbelow vertical sbuffer ' .. bufs[2])
    if empty ~= bufs[1] and vim.api.nvim_buf_is_valid(empty) then
      vim.api.nvim_buf_delete(empty, { force = true })
    end
    local function close()
      if vim.api.nvim_tabpage_is_valid(tab) and #vim.api.nvim_list_tabpages() > 1 then
        vim.cmd.tabclose(vim.api.nvim_tabpage_get_number(tab))
      end
    end
    local function answer(option)
      return function()
        M.shown(block)
        if not block.question or M.answer(session, block, option) then
          close()
        end
      end
    end
    for _, win in ipairs(vim.api.nvim_tabpage_list_wins(tab)) do
      vim.api.nvim_win_call(win, vim.cmd.diffthis)
      vim.wo[win].winbar = clean.line(content.path):gsub('%%', '%%%%')
    end
    for _, buf in ipairs(bufs) do
      config.map(buf, {
        allow_once = { 'n', answer('allow_once'), t('Accept') },
        reject_once = { 'n', answer('reject_once'), t('Reject') },
        close = { 'n', close, t('Close') },
      })
    end
    if i == 1 then
      M.shown(block)
    end
  end
end

return M
