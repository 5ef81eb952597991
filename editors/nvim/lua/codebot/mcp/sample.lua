--- A server that wants to use the model: what it would send is shown first.
local clean = require('codebot.clean')
local t = require('codebot.text')

local M = {}

--- The text of the question.
---@param params codebot.MCPSampleParams
---@return string[] lines, table[] marks
function M.render(params)
  local lines, marks = {}, {}
  local function part(title, text, hl)
    marks[#marks + 1] = { #lines, 0, -1, hl or 'CodebotTool' }
    lines[#lines + 1] = title
    for _, line in ipairs(clean.lines(clean.visible(text))) do
      lines[#lines + 1] = '    ' .. line
    end
  end
  part(t('With the model'), ('%s, %s'):format(params.model, t('at most %d tokens', params.maxTokens)))
  if params.systemPrompt and params.systemPrompt ~= '' then
    part(t('Its instructions'), params.systemPrompt)
  end
  for _, message in ipairs(params.messages) do
    part(
      message.role == 'assistant' and t('In the name of the model') or t('In your name'),
      require('codebot.session').content_text(message.content)
    )
  end
  lines[#lines + 1] = ''
  marks[#marks + 1] = { #lines, 0, -1, 'CodebotQuestion' }
  lines[#lines + 1] = t('y once · s in this session · q no')
  return lines, marks
end

--- codebot/mcp/sample.
---@param params codebot.MCPSampleParams
---@return codebot.MCPSampleResult
function M.on_sample(params)
  return require('codebot.wait')(function(done)
    require('codebot.highlight').define()
    local lines, marks = M.render(params)
    local answer = 'reject'
    local buf, _, close = require('codebot.float').open(lines, {
      title = t('May %s ask the model?', clean.line(params.server)),
      marks = marks,
      on_close = function()
        done({ action = answer })
      end,
    })
    for key, action in pairs({ y = 'allow_once', s = 'allow_session' }) do
      vim.keymap.set('n', key, function()
        answer = action
        close()
      end, { buffer = buf, nowait = true })
    end
  end)
end

return M
