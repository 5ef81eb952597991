-- A chat without a model, and the ways to one.
local h = require('harness')

--- Puts the cursor of the chat on a line with this text and presses <CR>.
local function press(child, text)
  child:see(text)
  child:lua(
    [[
    local view = require('codebot.chat.view').of(require('codebot.session').current())
    vim.api.nvim_set_current_win(vim.fn.win_findbuf(view.buf)[1])
    for row, line in ipairs(vim.api.nvim_buf_get_lines(view.buf, 0, -1, false)) do
      if line:find((...), 1, true) then return vim.api.nvim_win_set_cursor(0, { row, 0 }) end
    end
  ]],
    text
  )
  child:keys('<CR>')
end

--- An endpoint of a local program, and a world without a model that finds it.
local function local_model(replies)
  local w = h.world()
  local model = w:model(replies or { { text = 'Hello from here.' } })
  h.write(w.settings_home .. '/settings.json', vim.json.encode({ model = 'offline' }))
  return w, model
end

return {
  {
    'without a model a card says so, and its demo prompts run with the demo servers it adds',
    function()
      local w = h.world()
      local child = w:nvim()
      child:ready()
      local chat = child:see('No model is set up.')
      h.has(chat, 'matches simple requests to tools')
      child:see('no local model was found')
      press(child, 'Add the two demo servers')
      child:state('docs', 'connected')
      child:state('deploy', 'connected')
      child:wait('the line to go', "return not require('codebot.session').current().card.card.demo")
      h.has(h.read(w.settings_home .. '/settings.json'), '"docs"')
      press(child, '▸ Search the docs')
      child:see('[docs] Found 3 results')
      child:settled()
      -- The other prompts are there still.
      press(child, '▸ What documentation')
      child:see('> What documentation and deployment actions')
      child:settled()
      h.lacks(child:chat(), 'Add the two demo servers')
    end,
  },
  {
    'the card and its prompts are in Chinese, and the prompt in Chinese runs',
    function()
      local child = h.world()
        :user({ docs = h.demo('docs'), deploy = h.demo('deploy') })
        :nvim({ options = { locale = 'zh-CN' } })
      child:ready('docs', 'deploy')
      child:see('尚未设置模型')
      press(child, '▸ 查一下文档')
      child:see('[docs] Found 3 results')
      child:settled()
      press(child, '▸ 部署当前项目')
      child:see('可以运行吗')
    end,
  },
  {
    'models on this machine are listed, and one that is chosen answers',
    function()
      local w, model = local_model()
      local child = w:nvim({ local_models = model.url })
      child:ready()
      child:see('Use a local model: local has 1')
      press(child, 'Use a local model')
      child:wait('the model', "return require('codebot.session').current().model == 'local/m'")
      child:wait('the card to go', "return require('codebot.session').current().card == nil")
      h.lacks(child:chat(), 'No model is set up.')
      child:cmd('Codebot ask hi')
      child:see('Hello from here.')
    end,
  },
  {
    'a key is typed unseen, goes to the server alone, and brings a model',
    function()
      local w = h.world()
      local model = w:model({ { text = 'Hello with a key.' } })
      h.write(
        w.settings_home .. '/settings.json',
        vim.json.encode({
          providers = { shop = { type = 'openai', base_url = model.url } },
          model = 'offline',
        })
      )
      local child = w:nvim()
      child:ready()
      child:lua("wanted = 'shop'")
      press(child, 'Enter an API key')
      child:wait('the question', 'return #choices > 0')
      -- While a key is typed Neovim answers nobody else; what is typed then is read by it.
      child:quit('sk-typed-by-a-person<CR>')
      child:wait('the model', "return require('codebot.session').current().model == 'shop/m'")
      local keys = w.settings_home .. '/keys.json'
      h.has(h.read(keys), 'sk-typed-by-a-person')
      h.same(vim.uv.fs_stat(keys).mode % 512, 384) -- 0600
      for _, place in ipairs({
        h.read(w.settings_home .. '/settings.json'),
        child:screen(),
        child:lua("return vim.fn.execute('messages')"),
        child:lua("return vim.fn.execute('history all')"),
        child:lua("return vim.inspect(vim.fn.getreginfo('\"')) .. vim.inspect(notified)"),
        child:lua('return vim.inspect(vim.api.nvim_get_vvar("oldfiles"))'),
      }) do
        h.lacks(place, 'sk-typed')
      end
      child:cmd('Codebot ask hi')
      child:see('Hello with a key.')
      child:settled()
      h.lacks(child:chat(), 'sk-typed')
    end,
  },
  {
    'the settings are a line of the card, and a model written there takes the card away',
    function()
      local w, model = local_model()
      local child = w:nvim()
      child:ready()
      press(child, '▸ Open the settings')
      child:wait('the file', "return vim.fn.expand('%:t') == 'settings.json'")
      child:lua(
        [[vim.api.nvim_buf_set_lines(0, 0, -1, false, { vim.json.encode({ model = 'shop/m',
          providers = { shop = { type = 'openai', base_url = ..., api_key = 'k' } } }) })]],
        model.url
      )
      child:cmd('silent write')
      child:wait(
        'the model of the settings',
        [[
        local current
        require('codebot.client').request(require('codebot.protocol_gen').methods.models, nil, function(_, result)
          current = result.current
        end)
        vim.wait(1000, function() return current ~= nil end, 5)
        return current == 'shop/m'
      ]]
      )
      child:cmd('Codebot new')
      child:wait('the new session', "return require('codebot.session').current().model == 'shop/m'")
      h.lacks(child:chat(), 'No model is set up.')
    end,
  },
}
