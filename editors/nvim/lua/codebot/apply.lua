--- workspace/applyEdit: an edit of the agent is made in the buffer that has the file open,
--- where u takes it back, and the buffer is written as with :update.
local t = require('codebot.text')

local M = {}

local new_api = vim.fn.has('nvim-0.11') == 1
local namespace = vim.api.nvim_create_namespace('codebot_apply')

--- The versions that the server was last told, by URI. Neovim keeps one for all clients
--- and counts it anew when one of them comes.
local told = {} ---@type table<string, integer>

--- Takes note of what a client tells its server of the buffers.
---@param client vim.lsp.Client
function M.watch(client)
  told = {}
  local notify = client.rpc.notify
  client.rpc.notify = function(method, params)
    if method == 'textDocument/didOpen' or method == 'textDocument/didChange' then
      told[params.textDocument.uri] = params.textDocument.version
    end
    return notify(method, params)
  end
end

---@param reason? string
---@return lsp.ApplyWorkspaceEditResult
local function refused(reason)
  return { applied = false, failureReason = reason }
end

--- The byte column of a position.
---@param buf integer
---@param at lsp.Position
local function column(buf, at)
  local line = vim.api.nvim_buf_get_lines(buf, at.line, at.line + 1, false)[1] or ''
  local ok, col
  if new_api then
    ok, col = pcall(vim.str_byteindex, line, 'utf-16', at.character, false)
  else
    ---@diagnostic disable-next-line: param-type-mismatch -- as 0.10 has it
    ok, col = pcall(vim.str_byteindex, line, at.character, true)
  end
  return ok and col or #line
end

--- Makes edits, which do not overlap and come in their order.
---@param buf integer
---@param edits lsp.TextEdit[]
local function make(buf, edits)
  local count, eol = vim.api.nvim_buf_line_count(buf), vim.bo[buf].endofline
  -- A buffer does not have the last line break as one. Where it is edited, it has to.
  local open = #edits > 0 and edits[#edits].range['end'].line >= count
  if open then
    vim.api.nvim_buf_set_lines(buf, count, count, true, { '' })
  end
  for i = #edits, 1, -1 do
    local text, from, to = edits[i].newText, edits[i].range.start, edits[i].range['end']
    if vim.bo[buf].fileformat == 'dos' then
      text = text:gsub('\r\n', '\n')
    end
    vim.api.nvim_buf_set_text(
      buf,
      from.line,
      column(buf, from),
      to.line,
      column(buf, to),
      vim.split(text, '\n', { plain = true })
    )
  end
  if #edits > 0 and (open or not eol) then
    count = vim.api.nvim_buf_line_count(buf)
    -- An empty line behind the last break is none, and alone it is no text at all.
    local ends = vim.api.nvim_buf_get_lines(buf, count - 1, count, true)[1] == ''
    if ends then
      vim.api.nvim_buf_set_lines(buf, count - 1, count, true, {})
    end
    vim.bo[buf].endofline = ends
  end
end

--- The server is told all of a buffer: that its last line has a break now, or has none, is
--- no change that Neovim tells.
---@param buf integer
local function tell(buf)
  local breaks = { dos = '\r\n', mac = '\r' }
  local ends = breaks[vim.bo[buf].fileformat] or '\n'
  local text = table.concat(vim.api.nvim_buf_get_lines(buf, 0, -1, true), ends)
  local uri = vim.uri_from_bufnr(buf)
  require('codebot.client').notify('textDocument/didChange', {
    textDocument = { uri = uri, version = told[uri] },
    contentChanges = { { text = text .. (vim.bo[buf].endofline and ends or '') } },
  })
end

--- Runs an action that changes a buffer and leaves the cursors and what the windows show
--- at their texts.
---@param buf integer
---@param action fun()
local function steady(buf, action)
  local function mark(row, col)
    local line = vim.api.nvim_buf_get_lines(buf, row, row + 1, false)[1] or ''
    return vim.api.nvim_buf_set_extmark(buf, namespace, row, math.min(col, #line), {})
  end
  local views = {}
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    local view = vim.api.nvim_win_call(win, vim.fn.winsaveview)
    views[win] = { view = view, cursor = mark(view.lnum - 1, view.col), top = mark(view.topline - 1, 0) }
  end
  action()
  for win, kept in pairs(views) do
    local cursor = vim.api.nvim_buf_get_extmark_by_id(buf, namespace, kept.cursor, {})
    local top = vim.api.nvim_buf_get_extmark_by_id(buf, namespace, kept.top, {})
    kept.view.lnum, kept.view.col, kept.view.topline = cursor[1] + 1, cursor[2], top[1] + 1
    vim.api.nvim_win_call(win, function()
      vim.fn.winrestview(kept.view)
    end)
  end
  vim.api.nvim_buf_clear_namespace(buf, namespace, 0, -1)
end

--- How the file has changed on the disk since the buffer read it, as v:fcs_reason says it.
--- A buffer without changes of its own reads it again, where 'autoread' says so.
---@param buf integer
---@return string|nil
local function changed_on_disk(buf)
  local reason
  local look = vim.api.nvim_create_autocmd('FileChangedShell', {
    buffer = buf,
    callback = function()
      reason = vim.v.fcs_reason
      vim.v.fcs_choice = ''
    end,
  })
  vim.cmd.checktime({ args = { tostring(buf) }, mods = { silent = true, emsg_silent = true } })
  vim.api.nvim_del_autocmd(look)
  return reason
end

---@param params lsp.ApplyWorkspaceEditParams
---@return lsp.ApplyWorkspaceEditResult
local function apply(params)
  local change = (params.edit.documentChanges or {})[1]
  local buf = change and vim.uri_to_bufnr(change.textDocument.uri)
  if not buf or not vim.api.nvim_buf_is_loaded(buf) then
    return refused(t('it is not open'))
  end
  local reason = changed_on_disk(buf)
  if reason == 'conflict' or reason == 'changed' then
    return refused(t('the file is another on the disk than in the buffer'))
  elseif (told[vim.uri_from_bufnr(buf)] or vim.lsp.util.buf_versions[buf]) ~= change.textDocument.version then
    return refused() -- the server knows by now
  elseif not vim.bo[buf].modifiable then
    return refused(t('the buffer is not modifiable'))
  elseif vim.bo[buf].readonly then
    return refused(t('the buffer is read-only'))
  end
  local made, written, err
  vim.api.nvim_buf_call(buf, function()
    local before, eol = vim.fn.undotree().seq_cur, vim.bo[buf].endofline
    -- What was typed before is a step of its own for u.
    vim.cmd('let &l:undolevels = &l:undolevels')
    written, err = pcall(function()
      steady(buf, function()
        make(buf, change.edits)
      end)
      if vim.bo[buf].endofline ~= eol then
        tell(buf)
      end
      made = true
      -- Nobody needs to be asked about a file of which only the time has changed.
      vim.cmd(reason and 'silent write!' or 'silent update')
    end)
    written = written or made and not vim.bo[buf].modified
    if not written then
      steady(buf, function()
        vim.cmd('silent undo ' .. before)
      end)
      vim.bo[buf].endofline = eol
      tell(buf)
    end
    vim.cmd('let &l:undolevels = &l:undolevels')
  end)
  if not written then
    return refused(t('the buffer could not be written: %s', tostring(err)))
  end
  return { applied = true }
end

---@param params lsp.ApplyWorkspaceEditParams
---@return lsp.ApplyWorkspaceEditResult
function M.on_request(params)
  return require('codebot.wait')(function(done)
    require('codebot.unlocked')(function()
      local ok, result = pcall(apply, params)
      done(ok and result or refused(tostring(result)))
    end)
  end)
end

return M
