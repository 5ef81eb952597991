--- What a project's entry would run, shown before it may.
local mcp = require('codebot.mcp')
local clean = require('codebot.clean')
local t = require('codebot.text')

local M = {}

--- A word of a command, so that nothing in it hides: what has white space or what
--- cannot be seen stands in quotes.
---@param word string
local function quoted(word)
  local seen = clean.visible(word):gsub('\n', '\\n'):gsub('\t', '\\t')
  if seen == '' or seen ~= word or seen:find('[%s"\\]') then
    return '"' .. seen:gsub('"', '\\"') .. '"'
  end
  return seen
end

--- The text of the question: the exact command, one argument a line.
---@param row codebot.MCPServer
---@return string[] lines, table[] marks
function M.render(row)
  local consent = row.consent --[[@as codebot.MCPConsent]]
  local lines, marks = {}, {}
  local function part(title, values, hl)
    if #values == 0 then
      return
    end
    lines[#lines + 1] = title
    for _, value in ipairs(values) do
      lines[#lines + 1] = '    ' .. value
      marks[#marks + 1] = { #lines - 1, 0, -1, hl or 'CodebotTool' }
    end
  end
  if consent.changed then
    lines[#lines + 1] = t('Its entry has changed since you approved it.')
    marks[#marks + 1] = { 0, 0, -1, 'CodebotFailed' }
  end
  part(
    t('What is different'),
    vim.tbl_map(function(change)
      local function side(s)
        return s == '' and t('nothing') or quoted(s)
      end
      return ('%s: %s → %s'):format(clean.visible(change.field), side(change.before), side(change.after))
    end, consent.changes or {}),
    'CodebotFailed'
  )
  part(t('From'), { clean.visible(vim.fn.fnamemodify(vim.uri_to_fname(row.source), ':~')) }, 'CodebotNote')
  part(t('It would run'), vim.tbl_map(quoted, consent.argv), 'CodebotQuestion')
  if consent.url and consent.url ~= '' then
    part(t('It would connect to'), { quoted(consent.url) }, 'CodebotQuestion')
  end
  if consent.cwd ~= '' then
    part(t('In the folder'), { quoted(consent.cwd) })
  end
  part(t('With these environment variables'), vim.tbl_map(quoted, consent.envNames))
  part(t('Reading these of your variables'), vim.tbl_map(quoted, consent.variables))
  if row.shadows then
    part(t('In place of your own server of that name in'), {
      clean.visible(vim.fn.fnamemodify(vim.uri_to_fname(row.shadows), ':~')),
    })
  end
  lines[#lines + 1] = ''
  lines[#lines + 1] = t('y approve · q not now · o open the settings')
  marks[#marks + 1] = { #lines - 1, 0, -1, 'CodebotQuestion' }
  return lines, marks
end

--- Shows the question; y approves exactly what is shown.
---@param row codebot.MCPServer
function M.ask(row)
  if not row.consent then
    vim.notify('codebot: ' .. t('%s needs no approval', clean.line(row.name)))
    return
  end
  require('codebot.highlight').define()
  local lines, marks = M.render(row)
  local title = t('May %s run?', clean.line(row.name))
  local buf, _, close = require('codebot.float').open(lines, { title = title, marks = marks })
  local hash = row.consent.hash
  vim.keymap.set('n', 'y', function()
    close()
    mcp.approve(row, hash, function(err)
      if err and type(err.data) == 'table' and err.data.kind == 'consentChanged' then
        -- The entry is another one by now: that is a new question.
        mcp.refresh(function()
          local now = mcp.row(mcp.key(row))
          if now and now.consent then
            M.ask(now)
          end
        end)
      end
    end)
  end, { buffer = buf, nowait = true, desc = t('Approve') })
  vim.keymap.set('n', 'o', function()
    close()
    require('codebot.mcp.window').open_settings(row)
  end, { buffer = buf, nowait = true, desc = t('Open its entry in the settings') })
end

--- Asks for each server that waits, one chosen by the person.
function M.pick()
  local waiting = vim.tbl_filter(function(row)
    return row.consent ~= nil
  end, mcp.rows())
  if #waiting == 0 then
    vim.notify('codebot: ' .. t('no server waits for an approval'))
  elseif #waiting == 1 then
    M.ask(waiting[1])
  else
    vim.ui.select(waiting, {
      prompt = t('Which server?'),
      kind = 'codebot_server',
      format_item = function(row)
        return clean.line(row.name) .. '  ' .. clean.line(vim.uri_to_fname(row.source))
      end,
    }, function(row)
      if row then
        M.ask(row)
      end
    end)
  end
end

return M
