-- What a person sees in a real terminal, as text. CODEBOT_UPDATE=1 writes the files
-- tests/golden/tmux.* anew; look at the difference before you keep it.
local h = require('harness')

local cases = { needs = 'tmux' }

local function servers()
  return { docs = h.demo('docs'), deploy = h.demo('deploy'), broken = { command = '/no/such/program' } }
end

--- Leaves out what the server says of a failure, which names this machine's variables,
--- and the empty rows whose number depends on it.
local function details(screen)
  return (screen:gsub('\n    [^\n]*', ''):gsub('\n~', ''))
end

for locale, words in
  vim.spairs({
    en = {
      hint = 'Ask codebot',
      prompt = 'Search the docs for the worktree cleanup policy.',
      deploy = 'Deploy the current project and report the result.',
      question = 'May it run?',
      card = 'No model is set up.',
      failed = 'failed',
      looked = 'no local model was found',
    },
    ['zh-CN'] = {
      hint = '向 codebot 提问',
      prompt = '查一下文档里的 worktree 清理策略。',
      deploy = '部署当前项目，并告诉我结果。',
      question = '可以运行吗',
      card = '尚未设置模型',
      failed = '失败',
      looked = '没有找到本地模型',
    },
  })
do
  table.insert(cases, {
    'a chat that waits for a permission, in ' .. locale,
    function()
      local w = h.world():user(servers())
      local term = w:terminal({ options = { locale = locale, window = { size = 70 } }, size = { 110, 40 } })
      term:command('Codebot chat')
      term:see(words.hint)
      term:see('codebot 2/3 !')
      term:type('i' .. words.prompt)
      term:press('Escape', 'Enter')
      term:see('✓ docs › search')
      term:see('[docs]')
      term:see('codebot 2/3 !')
      term:type('i' .. words.deploy)
      term:press('Escape', 'Enter')
      term:see(words.question)
      term:golden('chat.' .. locale)
    end,
  })
  table.insert(cases, {
    'the MCP window and the status line, in ' .. locale,
    function()
      local w = h.world():user(servers())
      local term = w:terminal({ options = { locale = locale }, size = { 100, 30 } })
      term:command('Codebot mcp')
      term:see('codebot 2/3 !')
      term:see('/no/such/program')
      term:golden('mcp.' .. locale, details)
      -- The status line follows what a key does.
      term:type('/deploy')
      term:press('Enter')
      term:type('x')
      term:see('codebot 1/3 !')
      term:golden('mcp-stopped.' .. locale, details)
    end,
  })
  table.insert(cases, {
    'a chat without a model, in ' .. locale,
    function()
      local w = h.world()
      local term = w:terminal({
        options = { locale = locale, window = { layout = 'bottom', size = 22 } },
        size = { 90, 32 },
      })
      term:command('Codebot chat')
      term:see(words.card)
      term:see(words.looked)
      term:golden('card.' .. locale)
    end,
  })
end

table.insert(cases, {
  'a key that is typed is shown as stars',
  function()
    local w = h.world()
    h.write(
      w.settings_home .. '/settings.json',
      vim.json.encode({ providers = { shop = { type = 'openai', base_url = 'http://127.0.0.1:9/v1' } } })
    )
    local term = w:terminal({ size = { 80, 24 } })
    term:command('Codebot key shop')
    term:see('Key of shop:')
    term:type('sk-12345')
    local screen = term:see('********')
    h.lacks(screen, 'sk-1')
    term:press('Enter')
    term:see('cannot be reached')
    h.lacks(term:screen(), 'sk-1')
    h.has(h.read(w.settings_home .. '/keys.json'), 'sk-12345')
  end,
})

table.insert(cases, {
  'what a hostile server writes changes neither the title of the terminal nor the screen',
  function()
    local w = h.world()
    w:model({
      { tool = 'mcp__hostile__osc', args = vim.empty_dict() },
      { tool = 'mcp__hostile__ansi', args = vim.empty_dict() },
      { text = 'Both \27]0;owned\7 are \27[2J done.' },
    }, { hostile = h.lua_server('hostile') })
    local term = w:terminal({ size = { 100, 40 } })
    term:command('Codebot chat')
    term:see('Ask codebot')
    term:see('codebot 1/1')
    term:command('Codebot mode auto')
    term:see('Auto')
    term:type('icall them')
    term:press('Escape', 'Enter')
    local screen = term:see('are  done.')
    h.has(screen, '✓ hostile › osc')
    h.has(screen, '✓ hostile › ansi')
    h.lacks(term:title(), 'owned')
  end,
})

return cases
