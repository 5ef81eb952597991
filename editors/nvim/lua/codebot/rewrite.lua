--- Lines of a buffer written anew: asked for in a session of their own, shown as a
--- diff, put in place as one change that u takes back.
local sessions = require('codebot.session')
local client = require('codebot.client')
local t = require('codebot.text')

local M = {}

local ns = vim.api.nvim_create_namespace('codebot_rewrite')

--- The code of an answer: what stands in its last fence, else all of it.
---@param text string
---@return string[]
function M.code(text)
  local lines = vim.split(text, '\n', { plain = true })
  local found, open, mark
  for i, line in ipairs(lines) do
    local fence = line:match('^%s*(```+)') or line:match('^%s*(~~~+)')
    if fence and not open then
      open, mark = i, fence
    elseif fence and vim.startswith(fence, mark) and vim.trim(line) == fence then
      found = vim.list_slice(lines, open + 1, i - 1)
      open, mark = nil, nil
    end
  end
  if open then -- an answer that was cut off is no answer
    return {}
  elseif found then
    return found
  end
  return vim.split(vim.trim(text), '\n', { plain = true })
end

---@param session codebot.Session
---@return string what the model said after its last tool call
local function answer(session)
  local text = {}
  for _, block in ipairs(session.blocks) do
    if block.kind == 'agent' then
      text[#text + 1] = block.text
    elseif block.kind == 'tool' then
      text = {}
    end
  end
  return table.concat(text, '\n')
end

---@param buf integer
---@param first integer extmarks before the first and behind the last line
---@param last integer
---@return integer from, integer to rows from 0, end-exclusive
local function rows(buf, first, last)
  return vim.api.nvim_buf_get_extmark_by_id(buf, ns, first, {})[1],
    vim.api.nvim_buf_get_extmark_by_id(buf, ns, last, {})[1]
end

---@param buf integer
---@param old string[]
---@param new string[]
---@param accept fun(lines: string[]): boolean
---@param done fun()
local function show(buf, old, new, accept, done)
  local config = require('codebot.config')
  local bufs = {}
  for side, lines in ipairs({ old, new }) do
    local b = vim.api.nvim_create_buf(false, true)
    vim.api.nvim_buf_set_lines(b, 0, -1, false, lines)
    vim.bo[b].modeline = false
    vim.bo[b].bufhidden = 'wipe'
    -- The new text may be mended before it is taken.
    vim.bo[b].modifiable = side == 2
    local language = vim.treesitter.language.get_lang(vim.bo[buf].filetype)
    if not language or not pcall(vim.treesitter.start, b, language) then
      vim.bo[b].syntax = vim.bo[buf].filetype
    end
    bufs[side] = b
  end
  vim.cmd.tabnew()
  local empty, tab = vim.api.nvim_get_current_buf(), vim.api.nvim_get_current_tabpage()
  vim.api.nvim_win_set_buf(0, bufs[1])
  vim.cmd('rightbelow vertical sbuffer ' .. bufs[2])
  vim.api.nvim_buf_delete(empty, { force = true })
  local keys = config.get().keys
  for _, win in ipairs(vim.api.nvim_tabpage_list_wins(tab)) do
    vim.api.nvim_win_call(win, vim.cmd.diffthis)
    vim.wo[win].winbar =
      t('%s takes it, %s leaves it', keys.allow_once or '-', keys.reject_once or '-'):gsub('%%', '%%%%')
  end
  local function close()
    if vim.api.nvim_tabpage_is_valid(tab) then
      vim.cmd.tabclose(vim.api.nvim_tabpage_get_number(tab))
    end
    done()
  end
  for _, b in ipairs(bufs) do
    config.map(b, {
      allow_once = {
        'n',
        function()
          if accept(vim.api.nvim_buf_get_lines(bufs[2], 0, -1, false)) then
            close()
          end
        end,
        t('Accept'),
      },
      reject_once = { 'n', close, t('Reject') },
      close = { 'n', close, t('Close') },
    })
  end
end

--- Asks for lines to be written anew.
---@param wish string what is to be different
---@param line1 integer
---@param line2 integer
function M.run(wish, line1, line2)
  local buf = vim.api.nvim_get_current_buf()
  if not vim.bo[buf].modifiable then
    vim.notify('codebot: ' .. t('this buffer cannot be changed'), vim.log.levels.ERROR)
    return
  elseif vim.trim(wish) == '' then
    return vim.ui.input({ prompt = t('Rewrite how? ') }, function(text)
      if text and vim.trim(text) ~= '' and vim.api.nvim_buf_is_valid(buf) then
        vim.api.nvim_buf_call(buf, function()
          M.run(text, line1, line2)
        end)
      end
    end)
  end
  local old = vim.api.nvim_buf_get_lines(buf, line1 - 1, line2, false)
  -- Marks go along with what is written above while the model thinks.
  local first = vim.api.nvim_buf_set_extmark(buf, ns, line1 - 1, 0, {
    virt_text = { { t('rewriting...'), 'CodebotRunning' } },
  })
  local last = vim.api.nvim_buf_set_extmark(buf, ns, line2, 0, { strict = false })
  local function clear()
    if vim.api.nvim_buf_is_valid(buf) then
      vim.api.nvim_buf_del_extmark(buf, ns, first)
      vim.api.nvim_buf_del_extmark(buf, ns, last)
    end
  end
  local function fail(text)
    clear()
    vim.notify('codebot: ' .. text, vim.log.levels.ERROR)
  end
  -- In plan mode nothing but these lines can be written.
  sessions.side({ mode = 'plan' }, function(session, err)
    if not session then
      return fail(client.error_text(err --[[@as lsp.ResponseError]]))
    elseif session.model == 'offline' then
      require('codebot.session.ops').delete(session.id, function() end)
      return fail(t('a rewrite needs a model; :Codebot chat has the ways to one'))
    end
    local name = vim.api.nvim_buf_get_name(buf)
    local uri = (name ~= '' and vim.uri_from_fname(name) or 'untitled:' .. buf)
    local prompt = {
      {
        type = 'text',
        text = ('Rewrite the lines %d to %d of this file: %s\n\n'):format(line1, line2, wish)
          .. 'Answer with the lines that shall stand in their place and nothing else, in one fenced code block, '
          .. 'with the indentation that they need. Do not edit the file; it is done for you.',
      },
      {
        type = 'resource',
        resource = { uri = ('%s#L%d-L%d'):format(uri, line1, line2), text = table.concat(old, '\n') .. '\n' },
      },
    }
    sessions.prompt(session, prompt, wish, function(prompt_err, result)
      require('codebot.session.ops').delete(session.id, function() end)
      if prompt_err then
        return fail(client.error_text(prompt_err))
      elseif not vim.api.nvim_buf_is_valid(buf) then
        return
      end
      local new = M.code(answer(session))
      if result.stopReason ~= 'end_turn' or (#new <= 1 and (new[1] or '') == '') then
        return fail(t('the model gave no lines to put there'))
      end
      show(buf, old, new, function(lines)
        local from, to = rows(buf, first, last)
        if not vim.deep_equal(vim.api.nvim_buf_get_lines(buf, from, to, false), old) then
          vim.notify(
            'codebot: ' .. t('the lines have changed meanwhile; take over what you need by hand'),
            vim.log.levels.WARN
          )
          return false
        end
        -- A change of its own for u, whatever was written just before.
        vim.bo[buf].undolevels = vim.bo[buf].undolevels
        vim.api.nvim_buf_set_lines(buf, from, to, false, lines)
        return true
      end, clear)
    end)
  end)
end

return M
