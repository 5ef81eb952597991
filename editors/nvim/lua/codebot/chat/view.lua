--- The buffer of one session. Only what has changed is written, at the end of the
--- text as a rule, so that neither cursor nor folds nor the screen jump.
local render = require('codebot.chat.render')
local sessions = require('codebot.session')

local M = {}

-- For plug-ins that ask for the parser of a buffer by its filetype.
vim.treesitter.language.register('markdown', { 'codebot', 'codebot-prompt' })

local ns = vim.api.nvim_create_namespace('codebot_chat')
local ns_running = vim.api.nvim_create_namespace('codebot_running')

--- Changes that come within this time are drawn together, in ms.
local draw_after_ms = 30

--- Neovim 0.10 reads the whole Markdown again with every change: from this size on, in
--- bytes, its colours wait for the end of the turn.
local slow_highlighting = vim.fn.has('nvim-0.11') == 0
local max_highlighted = 30000

---@alias codebot.Drawn {block: codebot.Block, row: integer, rendered: codebot.Rendered}

---@class codebot.View
---@field session codebot.Session
---@field buf integer
---@field drawn codebot.Drawn[] what the buffer holds, in order
---@field dirty table<codebot.Block, true>
---@field all boolean everything is to be drawn anew
---@field scheduled boolean
---@field plain? boolean its colours wait
---@field ticking? boolean the times of running calls are about to be brought up to date
local View = {}
View.__index = View

local views = {} ---@type table<codebot.Session, codebot.View>

---@param view codebot.View
---@param first integer
---@param last integer end-exclusive
---@param lines string[]
local function set_lines(view, first, last, lines)
  vim.bo[view.buf].modifiable = true
  vim.api.nvim_buf_set_lines(view.buf, first, last, false, lines)
  vim.bo[view.buf].modifiable = false
  vim.bo[view.buf].modified = false
end

--- The windows that show the view, in all tab pages.
---@return integer[]
function View:windows()
  return vim.fn.win_findbuf(self.buf)
end

--- Makes the closed folds of a block, inner ones first. Those that a person has opened
--- stay open.
---@param win integer
---@param drawn codebot.Drawn
---@param open table<codebot.Block, true>
local function fold(win, drawn, open)
  vim.api.nvim_win_call(win, function()
    local cursor = vim.api.nvim_win_get_cursor(win)
    for _, range in ipairs(drawn.rendered.folds) do
      local first = drawn.row + range.first + 1
      -- Each goes, whatever is in it: it may have the wrong lines by now.
      for _ = 1, vim.fn.foldlevel(first) do
        pcall(vim.cmd.normal, { args = { first .. 'GzD' }, bang = true })
      end
    end
    for _, range in ipairs(drawn.rendered.folds) do
      vim.cmd(('silent! %d,%dfold'):format(drawn.row + range.first + 1, drawn.row + range.last + 1))
      -- Before the one around it is there, which would be opened instead.
      if open[range.block] then
        vim.cmd(('silent! %dfoldopen'):format(drawn.row + range.first + 1))
      end
    end
    vim.api.nvim_win_set_cursor(win, cursor)
  end)
end

--- The folds of a block that a person has opened.
---@param win integer
---@param drawn codebot.Drawn
---@return table<codebot.Block, true>
local function opened(win, drawn)
  local open = {}
  vim.api.nvim_win_call(win, function()
    for _, range in ipairs(drawn.rendered.folds) do
      if vim.fn.foldclosed(drawn.row + range.first + 1) == -1 then
        open[range.block] = true
      end
    end
  end)
  return open
end

--- Closes the folds of a window that begins to show the view.
---@param win integer
function View:fold_all(win)
  vim.api.nvim_win_call(win, function()
    vim.cmd('silent! normal! zE')
  end)
  for _, drawn in ipairs(self.drawn) do
    if #drawn.rendered.folds > 0 then
      fold(win, drawn, {})
    end
  end
end

--- Writes what has changed of one block.
---@param index integer
---@return boolean changed
function View:draw_block(index)
  local drawn = self.drawn[index]
  local old = drawn.rendered.lines
  local rendered = render.block(drawn.block)
  local new = rendered.lines
  local same, most = 0, math.min(#old, #new)
  while same < most and old[same + 1] == new[same + 1] do
    same = same + 1
  end
  local tail = 0
  while tail < most - same and old[#old - tail] == new[#new - tail] do
    tail = tail + 1
  end
  local changed = same < #old or same < #new
  local open = {}
  local folded = #rendered.folds > 0 and (changed or #rendered.folds ~= #drawn.rendered.folds)
  for _, win in ipairs(folded and self:windows() or {}) do
    open[win] = opened(win, drawn)
  end
  if changed and not (same + tail == #old and same + tail == #new) then
    set_lines(self, drawn.row + same, drawn.row + #old - tail, vim.list_slice(new, same + 1, #new - tail))
  end
  local grown = #new - #old
  if grown ~= 0 then
    for i = index + 1, #self.drawn do
      self.drawn[i].row = self.drawn[i].row + grown
    end
  end
  drawn.rendered = rendered
  self:mark(drawn)
  for win, blocks in pairs(open) do
    fold(win, drawn, blocks)
  end
  return changed
end

function View:mark(drawn)
  vim.api.nvim_buf_clear_namespace(self.buf, ns, drawn.row, drawn.row + #drawn.rendered.lines)
  for _, mark in ipairs(drawn.rendered.marks) do
    local line = drawn.rendered.lines[mark[1] + 1]
    vim.api.nvim_buf_set_extmark(self.buf, ns, drawn.row + mark[1], mark[2], {
      end_col = mark[3] == -1 and #line or math.min(mark[3], #line),
      hl_group = mark[4],
      hl_mode = 'combine',
    })
  end
end

--- Takes the colours off a long text that grows, and puts them back on.
function View:colour()
  if not slow_highlighting then
    return
  end
  local size = vim.api.nvim_buf_get_offset(self.buf, vim.api.nvim_buf_line_count(self.buf))
  local plain = self.session.running and size > max_highlighted
  if plain and not self.plain then
    pcall(vim.treesitter.stop, self.buf)
  elseif self.plain and not plain then
    pcall(vim.treesitter.start, self.buf, 'markdown')
  end
  self.plain = plain
end

--- Draws what has changed, now.
function View:draw()
  self.scheduled = false
  if not vim.api.nvim_buf_is_valid(self.buf) then
    return
  end
  self:colour()
  -- A window whose cursor is on the last line follows the text.
  local following = {}
  local before = vim.api.nvim_buf_line_count(self.buf)
  for _, win in ipairs(self:windows()) do
    if vim.api.nvim_win_get_cursor(win)[1] >= before then
      following[#following + 1] = win
    end
  end
  local blocks = self.session.blocks
  if self.session.card then
    blocks = vim.list_extend({ self.session.card }, blocks)
  end
  if self.all then
    self.all = false
    self.drawn = {}
    vim.api.nvim_buf_clear_namespace(self.buf, ns, 0, -1)
    set_lines(self, 0, -1, { '' })
  end
  for i, drawn in ipairs(self.drawn) do
    if self.dirty[drawn.block] then
      self:draw_block(i)
    end
  end
  for i = #self.drawn + 1, #blocks do
    local last = self.drawn[i - 1]
    local row = last and last.row + #last.rendered.lines or 0
    local rendered = render.block(blocks[i])
    self.drawn[i] =
      { block = blocks[i], row = row, rendered = { lines = {}, marks = {}, folds = {}, parts = {} } }
    -- The buffer's own last line stays behind everything.
    set_lines(self, row, row, rendered.lines)
    self.drawn[i].rendered = rendered
    self:mark(self.drawn[i])
    if #rendered.folds > 0 then
      for _, win in ipairs(self:windows()) do
        fold(win, self.drawn[i], {})
      end
    end
  end
  self.dirty = {}
  self:mark_running()
  local count = vim.api.nvim_buf_line_count(self.buf)
  for _, win in ipairs(following) do
    vim.api.nvim_win_set_cursor(win, { count, 0 })
  end
end

--- What stands behind a running call: for how long it runs, and how far it is.
---@param block codebot.Block
---@return string
local function running_text(block)
  local t, clean = require('codebot.text'), require('codebot.clean')
  local text = t('running, %d s', math.floor((vim.uv.now() - block.started) / 1000))
  local progress = vim.tbl_get(block.call, '_meta', 'codebot', 'progress')
  if progress then
    if progress.total and progress.total > 0 then
      text = text .. (' · %d%%'):format(math.min(100, 100 * progress.progress / progress.total))
    end
    if progress.message then
      text = text .. ' · ' .. render.shorten(clean.line(progress.message), 60)
    end
  end
  return text
end

--- Shows behind each running call for how long it has been running.
function View:mark_running()
  vim.api.nvim_buf_clear_namespace(self.buf, ns_running, 0, -1)
  local running = false
  local function mark(block, row)
    if block.kind == 'tool' and block.started and not block.done then
      running = true
      vim.api.nvim_buf_set_extmark(self.buf, ns_running, row, 0, {
        virt_text = { { running_text(block), 'CodebotRunning' } },
        virt_text_pos = 'eol',
      })
    end
  end
  for _, drawn in ipairs(self.drawn) do
    mark(drawn.block, drawn.row)
    for _, part in ipairs(drawn.rendered.parts) do
      mark(part.block, drawn.row + part.first)
    end
  end
  if running and not self.ticking then
    self.ticking = true
    vim.defer_fn(function()
      self.ticking = false
      if vim.api.nvim_buf_is_valid(self.buf) then
        self:mark_running()
      end
    end, 1000)
  end
end

function View:schedule()
  if not self.scheduled then
    self.scheduled = true
    vim.defer_fn(function()
      require('codebot.unlocked')(function()
        self:draw()
      end)
    end, draw_after_ms)
  end
end

--- The block at a row, from 0: of a sub-agent's call that one, not the call around it.
---@param row integer
---@return codebot.Block|nil block
---@return integer|nil first row of the block
function View:at(row)
  for i = #self.drawn, 1, -1 do
    local drawn = self.drawn[i]
    if drawn.row <= row then
      if row >= drawn.row + #drawn.rendered.lines then
        return nil
      end
      -- The innermost stand behind those around them.
      for p = #drawn.rendered.parts, 1, -1 do
        local part = drawn.rendered.parts[p]
        if drawn.row + part.first <= row and row <= drawn.row + part.last then
          return part.block, drawn.row + part.first
        end
      end
      return drawn.block, drawn.row
    end
  end
end

--- What <CR> does on a row of a card.
---@param row integer from 0
---@return string|nil
function View:action(row)
  for _, drawn in ipairs(self.drawn) do
    if drawn.rendered.actions and drawn.rendered.actions[row - drawn.row] then
      return drawn.rendered.actions[row - drawn.row]
    end
  end
end

--- The rows of a block, from 0, the blank line left out.
---@param block codebot.Block
---@return integer|nil first, integer|nil last
function View:rows(block)
  for _, drawn in ipairs(self.drawn) do
    if drawn.block == block then
      return drawn.row, drawn.row + #drawn.rendered.lines - 2
    end
    for _, part in ipairs(drawn.rendered.parts) do
      if part.block == block then
        return drawn.row + part.first, drawn.row + part.last
      end
    end
  end
end

--- The first rows of all blocks, in order.
---@return integer[]
function View:starts()
  return vim.tbl_map(function(drawn)
    return drawn.row
  end, self.drawn)
end

--- The view of a session, made when it is first asked for and after its buffer was
--- wiped.
---@param session codebot.Session
---@return codebot.View
function M.of(session)
  local view = views[session]
  if view and vim.api.nvim_buf_is_valid(view.buf) then
    return view
  end
  local buf = vim.api.nvim_create_buf(false, true)
  view = setmetatable(
    { session = session, buf = buf, drawn = {}, dirty = {}, all = true, scheduled = false },
    View
  )
  views[session] = view
  local name = 'codebot://chat/' .. session.id:gsub('[^%w_-]', '_')
  pcall(vim.api.nvim_buf_set_name, buf, name)
  vim.bo[buf].bufhidden = 'hide'
  vim.bo[buf].modeline = false
  vim.bo[buf].modifiable = false
  vim.bo[buf].undolevels = -1
  vim.bo[buf].filetype = 'codebot'
  -- Markdown's highlighting without its filetype: no plug-in for files wakes up here.
  pcall(vim.treesitter.start, buf, 'markdown')
  require('codebot.chat.keys').map(view)
  view:draw()
  return view
end

sessions.listen(function(session, event, block)
  local view = views[session]
  if not view then
    return
  elseif event == 'meta' then
    view:schedule() -- the end of a turn brings the colours back
  elseif event == 'reset' then
    view.all = true
    view:schedule()
  elseif event == 'block' and block then
    view.dirty[block] = true
    view:schedule()
  end
end)

return M
