--- The chat: its windows, and what a person can do in it.
local sessions = require('codebot.session')
local client = require('codebot.client')
local t = require('codebot.text')

local M = {}

local state = {
  chat = nil, ---@type integer|nil window of the conversation
  prompt = nil, ---@type integer|nil window of the prompt
  tab = nil, ---@type integer|nil the tab page that was opened for it
}

local function valid(win)
  return win ~= nil and vim.api.nvim_win_is_valid(win)
end

--- Reports whether a person sees the chat now.
function M.visible()
  return valid(state.chat) and vim.api.nvim_win_get_tabpage(state.chat) == vim.api.nvim_get_current_tabpage()
end

--- An amount as people write it: small ones with as many digits as they need.
---@param cost codebot.Cost
---@return string
function M.money(cost)
  local text = (cost.amount < 1 and '%.4f' or '%.2f'):format(cost.amount):gsub('(%.%d%d)0+$', '%1')
  return cost.currency == 'USD' and '$' .. text or text .. ' ' .. cost.currency
end

local function winbar()
  if not valid(state.chat) then
    return
  end
  local session = sessions.current()
  local parts = { 'codebot' }
  if session then
    for _, mode in ipairs(session.modes) do
      if mode.id == session.mode then
        parts[#parts + 1] = mode.name
      end
    end
    parts[#parts + 1] = session.model
    if session.usage and session.usage.size > 0 then
      parts[#parts + 1] = ('%d%%'):format(100 * session.usage.used / session.usage.size)
    end
    if session.usage and session.usage.cost then
      parts[#parts + 1] = M.money(session.usage.cost)
    end
    if session.running then
      parts[#parts + 1] = t('working')
    end
    if session.title ~= '' then
      parts[#parts + 1] = session.title
    end
  end
  local text = require('codebot.clean').line(table.concat(parts, ' · '))
  vim.wo[state.chat][0].winbar = text:gsub('%%', '%%%%') .. '%<'
end

--- Nothing below the text and behind folds, the person's own characters elsewhere.
local function fillchars()
  return (vim.go.fillchars == '' and '' or vim.go.fillchars .. ',') .. 'fold: ,eob: '
end

---@param win integer
local function dress_chat(win)
  for name, value in pairs({
    wrap = true,
    linebreak = true,
    breakindent = true,
    number = false,
    relativenumber = false,
    signcolumn = 'no',
    foldcolumn = '0',
    foldmethod = 'manual',
    foldenable = true,
    foldtext = '',
    -- Nothing that a model or a tool wrote is hidden, the target of a link least of all.
    conceallevel = 0,
    spell = false,
    list = false,
    fillchars = fillchars(),
    cursorline = false,
    -- A file that is opened from here goes elsewhere.
    winfixbuf = true,
  }) do
    vim.wo[win][0][name] = value
  end
end

---@param size number
---@param total integer
local function cells(size, total)
  return math.max(10, math.floor(size < 1 and size * total or size))
end

--- Puts the two buffers on the screen.
---@param chat integer
---@param prompt integer
local function lay_out(chat, prompt)
  local o = require('codebot.config').get().window
  if o.layout == 'float' then
    local part = o.size < 1 and math.max(o.size, 0.6) or 0.8
    local width = math.floor(vim.o.columns * part)
    local height = math.floor((vim.o.lines - vim.o.cmdheight) * 0.8)
    local row, col = math.floor((vim.o.lines - height) / 2) - 1, math.floor((vim.o.columns - width) / 2)
    local common = { relative = 'editor', width = width, col = col, border = o.border }
    state.chat = vim.api.nvim_open_win(
      chat,
      false,
      vim.tbl_extend('error', common, {
        row = math.max(0, row),
        height = math.max(1, height - o.prompt_height - 4),
        title = ' codebot ',
      })
    )
    state.prompt = vim.api.nvim_open_win(
      prompt,
      false,
      vim.tbl_extend('error', common, {
        row = math.max(0, row) + math.max(1, height - o.prompt_height - 4) + 2,
        height = o.prompt_height,
      })
    )
    return
  end
  if o.layout == 'tab' then
    vim.cmd.tabnew()
    local empty = vim.api.nvim_get_current_buf()
    state.tab = vim.api.nvim_get_current_tabpage()
    vim.api.nvim_win_set_buf(0, chat)
    vim.api.nvim_buf_delete(empty, { force = true })
  else
    local command = ({
      right = 'botright vertical',
      left = 'topleft vertical',
      top = 'topleft',
      bottom = 'botright',
    })[o.layout]
    vim.cmd(command .. ' sbuffer ' .. chat)
    if o.layout == 'right' or o.layout == 'left' then
      vim.api.nvim_win_set_width(0, cells(o.size, vim.o.columns))
      vim.wo[0][0].winfixwidth = true
    else
      vim.api.nvim_win_set_height(0, cells(o.size, vim.o.lines))
    end
  end
  state.chat = vim.api.nvim_get_current_win()
  vim.cmd('rightbelow sbuffer ' .. prompt)
  state.prompt = vim.api.nvim_get_current_win()
  vim.api.nvim_win_set_height(state.prompt, o.prompt_height)
  vim.wo[state.prompt][0].winfixheight = true
end

local function close_windows()
  local tab = state.tab
  for _, name in ipairs({ 'prompt', 'chat' }) do
    local win = state[name]
    state[name] = nil
    if win and valid(win) then
      -- The last window of Neovim stays, with an empty buffer.
      if not pcall(vim.api.nvim_win_close, win, true) then
        vim.wo[win][0].winfixbuf = false
        vim.api.nvim_win_set_buf(win, vim.api.nvim_create_buf(true, false))
      end
    end
  end
  if tab and vim.api.nvim_tabpage_is_valid(tab) and #vim.api.nvim_list_tabpages() > 1 then
    pcall(vim.cmd.tabclose, vim.api.nvim_tabpage_get_number(tab))
  end
  state.tab = nil
end

local function questions_shown(session)
  if M.visible() then
    for _, block in ipairs(sessions.questions(session)) do
      require('codebot.chat.question').shown(block)
    end
  end
end

--- Shows a session in the windows, which are opened where they are not there.
---@param session codebot.Session
function M.show(session)
  require('codebot.chat.card').update(session)
  local view = require('codebot.chat.view').of(session)
  local prompt = require('codebot.chat.prompt').buffer()
  if not (M.visible() and valid(state.prompt)) then
    close_windows()
    require('codebot.highlight').define()
    local before = vim.api.nvim_get_current_win()
    lay_out(view.buf, prompt)
    vim.wo[state.prompt][0].winbar = ''
    vim.wo[state.prompt][0].winfixbuf = true
    vim.wo[state.prompt][0].fillchars = fillchars()
    if state.tab == nil and valid(before) then
      vim.api.nvim_set_current_win(before)
    end
    dress_chat(state.chat)
    view:fold_all(state.chat)
    vim.api.nvim_win_set_cursor(state.chat, { vim.api.nvim_buf_line_count(view.buf), 0 })
  elseif vim.api.nvim_win_get_buf(state.chat) ~= view.buf then
    vim.wo[state.chat][0].winfixbuf = false
    vim.api.nvim_win_set_buf(state.chat, view.buf)
    dress_chat(state.chat)
    view:fold_all(state.chat)
    vim.api.nvim_win_set_cursor(state.chat, { vim.api.nvim_buf_line_count(view.buf), 0 })
  end
  winbar()
  questions_shown(session)
end

--- Opens the chat with the current session, which is started where there is none.
---@param opts? {focus?: boolean} focus: the cursor goes to the prompt, or to an open question
---@param callback? fun(session: codebot.Session)
function M.open(opts, callback)
  local asking = opts and opts.focus and sessions.asking()
  if asking then
    sessions.use(asking)
  end
  sessions.get(function(session, err)
    if not session then
      return client.complain(err --[[@as lsp.ResponseError]])
    end
    M.show(session)
    if opts and opts.focus then
      local open = sessions.questions(session)[1]
      if open then
        local view = require('codebot.chat.view').of(session)
        view:draw()
        vim.api.nvim_set_current_win(state.chat)
        local first, last = view:rows(open)
        local bottom = vim.api.nvim_buf_line_count(view.buf)
        -- Behind the last block the window follows what comes of the answer.
        local at_end = last and last >= bottom - 3
        vim.api.nvim_win_set_cursor(state.chat, { at_end and bottom or (first or 0) + 1, 0 })
      else
        vim.api.nvim_set_current_win(state.prompt)
      end
    end
    if callback then
      callback(session)
    end
  end)
end

--- Takes the chat off the screen; what runs goes on.
function M.close()
  close_windows()
end

--- Opens the chat, or closes it where it is open.
function M.toggle()
  if M.visible() then
    M.close()
  else
    M.open({ focus = true })
  end
end

---@type boolean
local focused = true
local group = vim.api.nvim_create_augroup('codebot_chat', { clear = true })
vim.api.nvim_create_autocmd({ 'FocusLost', 'FocusGained' }, {
  group = group,
  callback = function(args)
    focused = args.event == 'FocusGained'
  end,
})

-- Either window goes with the other.
vim.api.nvim_create_autocmd('WinClosed', {
  group = group,
  callback = function(args)
    local win = tonumber(args.match)
    if win and (win == state.chat or win == state.prompt) then
      vim.schedule(close_windows)
    end
  end,
})

--- Runs a turn with a prompt and tells its end where nobody looks.
---@param session codebot.Session
---@param blocks codebot.ContentBlock[]
---@param shown string
local function run(session, blocks, shown)
  local begun = vim.uv.now()
  sessions.prompt(session, blocks, shown, function(err, result)
    local limit = require('codebot.config').get().notify.turn_ms
    local away = not focused or not M.visible()
    if limit >= 0 and vim.uv.now() - begun >= limit and away then
      if err then
        client.complain(err)
      elseif result.stopReason ~= 'cancelled' then
        vim.notify('codebot: ' .. t('the answer is there; :Codebot chat shows it'))
      end
    end
  end)
end

--- Sends a prompt of before once more, with all that went along.
---@param session codebot.Session
---@param block codebot.Block of kind user
function M.again(session, block)
  if block.prompt then
    run(session, block.prompt, block.text)
  else
    M.send(session, block.text)
  end
end

--- Adds to the running turn. Where it has just ended this is the next prompt.
---@param session codebot.Session
---@param blocks codebot.ContentBlock[]
---@param shown string
local function steer(session, blocks, shown)
  require('codebot.session.ops').steer(session, blocks, function(err)
    if not err then
      vim.notify('codebot: ' .. t('the turn takes it in at its next step'))
    else
      -- It is refused when the turn has just ended, which may not have been told yet.
      sessions.after_turn(session, function()
        run(session, blocks, shown)
      end)
    end
  end)
end

--- Sends a prompt to a session, or adds to its running turn.
---@param session codebot.Session
---@param text string
---@param extra? codebot.ContentBlock[]
---@param label? string what the chat shows of extra
function M.send(session, text, extra, label)
  if vim.trim(text) == '/clear' then
    return M.new() -- the old conversation stays among the sessions
  end
  local blocks = { { type = 'text', text = text } }
  vim.list_extend(blocks, extra or {})
  vim.list_extend(blocks, require('codebot.chat.mention').blocks(text, session.cwd))
  local shown = label and (text .. '\n' .. label) or text
  if session.running then
    steer(session, blocks, shown)
  else
    run(session, blocks, shown)
  end
  if valid(state.chat) then
    local buf = vim.api.nvim_win_get_buf(state.chat)
    vim.api.nvim_win_set_cursor(state.chat, { vim.api.nvim_buf_line_count(buf), 0 })
  end
end

--- Asks in the current session, with lines of the current buffer where a range is
--- given.
---@param text string
---@param range? {line1?: integer, line2?: integer}
function M.ask(text, range)
  if vim.trim(text) == '' then
    return M.open({ focus = true })
  end
  local extra, label
  local first, last = range and range.line1, range and (range.line2 or range.line1)
  if first and last then
    local buf = vim.api.nvim_get_current_buf()
    local lines = vim.api.nvim_buf_get_lines(buf, first - 1, last, false)
    local name = vim.api.nvim_buf_get_name(buf)
    local uri = name ~= '' and vim.uri_from_fname(name) or 'untitled:' .. buf
    uri = ('%s#L%d-L%d'):format(uri, first, last)
    extra = { { type = 'resource', resource = { uri = uri, text = table.concat(lines, '\n') .. '\n' } } }
    local short = name ~= '' and vim.fn.fnamemodify(name, ':~:.') or t('this buffer')
    label = ('%s:%d-%d'):format(short, first, last)
  end
  M.open({}, function(session)
    M.send(session, text, extra, label)
  end)
end

--- Ends the running turn.
function M.stop()
  local session = sessions.current()
  if session and session.running then
    sessions.cancel(session)
  else
    vim.notify('codebot: ' .. t('no turn is running'))
  end
end

--- Starts a new session and shows it.
---@param cwd? string its folder, absolute; default the project
function M.new(cwd)
  sessions.new(function(session, err)
    if not session then
      return client.complain(err --[[@as lsp.ResponseError]])
    end
    M.show(session)
    vim.api.nvim_set_current_win(state.prompt)
  end, cwd)
end

--- Opens a kept session and shows it.
---@param id string
function M.load(id)
  sessions.load(id, function(session, err)
    if not session then
      return client.complain(err --[[@as lsp.ResponseError]])
    end
    M.show(session)
    require('codebot.chat.prompt').recall(session)
  end)
end

sessions.listen(function(session, event, block)
  if event == 'replaced' and valid(state.chat) and sessions.current() then
    M.show(sessions.current() --[[@as codebot.Session]])
  end
  local here = session == sessions.current()
  if event == 'meta' and here then
    winbar()
  elseif event == 'question' and block then
    local visible = here and M.visible()
    if visible then
      require('codebot.chat.view').of(session):draw()
      require('codebot.chat.question').shown(block)
    end
    if not visible or not focused then
      if require('codebot.config').get().notify.permission then
        local title = require('codebot.chat.render').call_title(block.call)
        vim.notify(
          'codebot: ' .. t('%s waits for your permission; :Codebot chat asks', title),
          vim.log.levels.WARN
        )
      end
    end
  end
end)

return M
