--- How a block of a session looks: lines, highlights, what can be folded. Pure.
local clean = require('codebot.clean')
local json = require('codebot.json')
local t = require('codebot.text')

local M = {}

---@class codebot.Rendered
---@field lines string[] never empty; the last one is blank
---@field marks {[1]: integer, [2]: integer, [3]: integer, [4]: string}[] row, first and last byte (-1: to the end), highlight
---@field folds codebot.Fold[] what closes, the inner ones first
---@field parts codebot.Part[] the calls of sub-agents within, and theirs behind them
---@field actions? table<integer, string> of a card: what <CR> does, by row

---@alias codebot.Fold {block: codebot.Block, first: integer, last: integer} rows of the rendered lines
---@alias codebot.Part {block: codebot.Block, first: integer, last: integer}

--- How many lines of a tool's output the chat shows; the rest is counted.
local max_output = 200

local icons = { pending = '○', in_progress = '◐', completed = '✓', failed = '✗' }
local icon_highlights = {
  pending = 'CodebotPending',
  in_progress = 'CodebotRunning',
  completed = 'CodebotDone',
  failed = 'CodebotFailed',
}

--- A fence that the lines cannot close.
---@param lines string[]
local function fence(lines)
  local longest = 2
  for _, line in ipairs(lines) do
    for run in line:gmatch('`+') do
      longest = math.max(longest, #run)
    end
  end
  return ('`'):rep(longest + 1)
end

--- Reports what closes a code fence that the lines leave open: what follows in the
--- buffer is not the model's code.
---@param lines string[]
---@return string|nil
function M.open_fence(lines)
  local open
  for _, line in ipairs(lines) do
    local mark, rest = line:match('^ ? ? ?(```+)(.*)$')
    if not mark then
      mark, rest = line:match('^ ? ? ?(~~~+)(.*)$')
    end
    if mark then
      if not open then
        open = mark
      elseif mark:sub(1, 1) == open:sub(1, 1) and #mark >= #open and not rest:find('%S') then
        open = nil
      end
    end
  end
  return open
end

---@param s string
---@param width integer in cells
local function shorten(s, width)
  if vim.fn.strdisplaywidth(s) <= width then
    return s
  end
  local n = vim.fn.strchars(s)
  while n > 0 and vim.fn.strdisplaywidth(vim.fn.strcharpart(s, 0, n)) > width - 1 do
    n = n - math.max(1, math.floor(n / 16))
  end
  return vim.fn.strcharpart(s, 0, n) .. '…'
end
M.shorten = shorten

--- Names a tool call for a person: a server's tool by both names.
---@param call codebot.ToolCallUpdate
---@return string
function M.call_title(call)
  local origin = vim.tbl_get(call, '_meta', 'codebot')
  if origin and origin.server then
    return clean.line(('%s › %s'):format(origin.server, origin.original or origin.tool))
  end
  return clean.line(call.title or origin and origin.tool or '?')
end

local function has_input(call)
  return call.rawInput ~= nil and not (type(call.rawInput) == 'table' and next(call.rawInput) == nil)
end

--- A unified diff of a diff content.
---@param content codebot.ToolCallContentDiff
---@return string[]
function M.diff_lines(content)
  ---@diagnostic disable-next-line: deprecated -- 0.11 and older have no other
  local diff = vim.text and vim.text.diff or vim.diff
  local function whole(s)
    return (s == '' or s:sub(-1) == '\n') and s or s .. '\n'
  end
  local text =
    diff(whole(content.oldText or ''), whole(content.newText or ''), { result_type = 'unified', ctxlen = 3 })
  local lines = vim.split(clean.visible(text --[[@as string]]), '\n', { plain = true, trimempty = true })
  table.insert(lines, 1, '+++ ' .. clean.visible(content.path):gsub('\n', '\\n'))
  return lines
end

---@class codebot.Builder: codebot.Rendered
local Builder = {}
Builder.__index = Builder

local function builder()
  return setmetatable({ lines = {}, marks = {}, folds = {}, parts = {} }, Builder)
end

---@param line string
---@param hl? string
function Builder:add(line, hl)
  self.lines[#self.lines + 1] = line
  if hl then
    self.marks[#self.marks + 1] = { #self.lines - 1, 0, -1, hl }
  end
end

--- What a sub-agent called, set in below what has been written so far.
---@param block codebot.Block
function Builder:nested(block)
  local inner = M.block(block)
  inner.lines[#inner.lines] = nil -- no blank line within
  local at = #self.lines
  for _, line in ipairs(inner.lines) do
    self.lines[#self.lines + 1] = '  ' .. line
  end
  for _, mark in ipairs(inner.marks) do
    local last = mark[3] == -1 and -1 or mark[3] + 2
    self.marks[#self.marks + 1] = { mark[1] + at, mark[2] + 2, last, mark[4] }
  end
  self.parts[#self.parts + 1] = { block = block, first = at, last = #self.lines - 1 }
  for _, name in ipairs({ 'folds', 'parts' }) do
    for _, range in ipairs(inner[name]) do
      table.insert(self[name], { block = range.block, first = range.first + at, last = range.last + at })
    end
  end
end

---@param lines string[]
---@param language string
---@param limit? integer
function Builder:fenced(lines, language, limit)
  local more = 0
  if limit and #lines > limit then
    more = #lines - limit
    lines = vim.list_slice(lines, 1, limit)
  end
  local mark = fence(lines)
  self:add(mark .. language)
  for _, line in ipairs(lines) do
    self:add(line)
  end
  self:add(mark)
  if more > 0 then
    self:add(t.count('1 more line', '%d more lines', more), 'CodebotNote')
  end
end

--- The options of a question with their keys, as the keymap has them.
local function question_keys()
  local keys = require('codebot.config').get().keys
  local parts = {}
  for _, item in ipairs({
    { 'allow_once', t('once') },
    { 'allow_session', t('in this session') },
    { 'allow_always', t('always') },
    { 'reject_once', t('reject') },
    { 'reject_always', t('reject always') },
    { 'diff', t('diff') },
  }) do
    if keys[item[1]] then
      parts[#parts + 1] = keys[item[1]] .. ' ' .. item[2]
    end
  end
  return table.concat(parts, ' · ')
end

local answers = {
  allow_once = 'allowed once',
  allow_session = 'allowed in this session',
  allow_always = 'allowed always',
  reject_once = 'rejected',
  reject_always = 'rejected in this session',
}

---@param b codebot.Builder
---@param block codebot.Block
local function tool(b, block)
  local call = block.call --[[@as codebot.ToolCallUpdate]]
  local status = call.status or 'pending'
  local icon = block.question and '?' or icons[status] or '·'
  local head = icon .. ' ' .. M.call_title(call)
  local named = #head
  if has_input(call) and not block.question then
    head = head .. '  ' .. shorten(clean.visible(json.line(call.rawInput)), 60)
  end
  b:add(head)
  b.marks[#b.marks + 1] =
    { 0, 0, #icon, block.question and 'CodebotQuestion' or icon_highlights[status] or 'CodebotNote' }
  b.marks[#b.marks + 1] = { 0, #icon, named, 'CodebotTool' }
  b.marks[#b.marks + 1] = { 0, named, -1, 'CodebotNote' }
  if block.question then
    b:add(t('May it run? These are its arguments:'), 'CodebotQuestion')
    local why = vim.tbl_get(call, '_meta', 'codebot', 'reason')
    if type(why) == 'string' and why ~= '' then
      b:add(clean.visible(why), 'CodebotNote')
    end
  elseif block.answer then
    b:add(t(answers[block.answer] or block.answer), 'CodebotNote')
  end
  if has_input(call) then
    local lines = {}
    for _, line in ipairs(json.lines(call.rawInput)) do
      lines[#lines + 1] = (clean.visible(line):gsub('\n', '\\n'))
    end
    b:fenced(lines, 'json')
  end
  for _, child in ipairs(block.children or {}) do
    b:nested(child)
  end
  for _, content in ipairs(call.content or {}) do
    if content.type == 'diff' then
      b:fenced(M.diff_lines(content), 'diff', not block.question and max_output or nil)
    elseif content.content then
      local text = require('codebot.session').content_text(content.content)
      local lines = clean.lines(text)
      while #lines > 1 and lines[#lines] == '' do
        lines[#lines] = nil
      end
      b:fenced(lines, '', max_output)
    end
  end
  if block.question then
    b:add(question_keys(), 'CodebotQuestion')
  end
end

--- What of a text is cleaned already, so that a long answer is not read anew with
--- every word of it.
---@type table<codebot.Block, {upto: integer, lines: string[]}>
local read = setmetatable({}, { __mode = 'k' })

--- The cleaned lines of a block's text. Text is only ever added to a block.
---@param block codebot.Block
---@return string[] a list of the caller's own
local function text_lines(block)
  local known = read[block]
  if not known or known.upto > #block.text then
    known = { upto = 0, lines = {} }
    read[block] = known
  end
  local rest = block.text:sub(known.upto + 1)
  local whole = rest:match('^.*\n')
  if whole then
    vim.list_extend(known.lines, clean.lines(whole:sub(1, -2)))
    known.upto = known.upto + #whole
    rest = rest:sub(#whole + 1)
  end
  local lines = vim.list_slice(known.lines)
  vim.list_extend(lines, clean.lines(rest))
  return lines
end

--- The ways out of a failure, which <CR> takes.
local remedies = {
  enterKey = 'Enter an API key',
  chooseModel = 'Choose another model',
  compact = 'Make the conversation smaller',
  retry = 'Send it again',
  openSettings = 'Open the settings',
}

local plan_marks = { completed = 'x', in_progress = '-', pending = ' ' }

---@param block codebot.Block
---@return codebot.Rendered
function M.block(block)
  local b = builder()
  local folds = false
  if block.kind == 'user' then
    -- A quote ends with its lines, whatever marks the text leaves open.
    for _, line in ipairs(text_lines(block)) do
      b:add('> ' .. line, 'CodebotUser')
    end
  elseif block.kind == 'agent' then
    local lines = text_lines(block)
    if block.done then
      while #lines > 1 and lines[#lines] == '' do
        lines[#lines] = nil
      end
    end
    for _, line in ipairs(lines) do
      b:add(line)
    end
    local open = block.done and M.open_fence(lines)
    if open then
      b:add(open)
    end
  elseif block.kind == 'thought' then
    b:add(t('Thoughts'), 'CodebotThought')
    for _, line in ipairs(text_lines(block)) do
      b:add('> ' .. line, 'CodebotThought')
    end
    folds = block.done == true
  elseif block.kind == 'tool' then
    tool(b, block)
    folds = block.done == true
  elseif block.kind == 'plan' then
    b:add(t('Plan'), 'CodebotTool')
    for _, entry in ipairs(block.entries or {}) do
      b:add(('- [%s] %s'):format(plan_marks[entry.status] or ' ', clean.line(entry.content)))
    end
  elseif block.kind == 'card' then
    require('codebot.chat.card').render(b, block.card)
  else
    for _, line in ipairs(text_lines(block)) do
      b:add(line, block.bad and 'CodebotFailed' or 'CodebotNote')
    end
    local way = remedies[block.remedy]
    if way then
      b.actions = { [#b.lines] = block.remedy }
      b:add('  ▸ ' .. t(way), 'CodebotUser')
    end
  end
  local last = #b.lines - 1
  b:add('')
  if folds and last > 0 then
    b.folds[#b.folds + 1] = { block = block, first = 0, last = last }
  end
  return b
end

return M
