-- What MCP servers offer beside tools, what they ask, and how servers come and go.
local h = require('harness')

--- Waits until the current buffer has a text, and returns all of it.
local function showing(child, text)
  return child:wait(
    'the text ' .. text,
    [[
    local all = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
    return all:find((...), 1, true) and all
  ]],
    text
  )
end

local function on_line(child, text)
  showing(child, text)
  child:lua(
    [[
    for row, line in ipairs(vim.api.nvim_buf_get_lines(0, 0, -1, false)) do
      if line:find((...), 1, true) then return vim.api.nvim_win_set_cursor(0, { row, 0 }) end
    end
  ]],
    text
  )
end

--- Answers vim.ui.input by the words of its prompt; what is not there is left.
local answers = [[
  asked = {}
  local answers = ...
  vim.ui.input = function(o, done)
    table.insert(asked, o.prompt)
    for words, answer in pairs(answers) do
      if o.prompt:find(words, 1, true) then
        return done(type(answer) == 'table' and table.remove(answer, 1) or answer)
      end
    end
    done(nil)
  end
]]

--- Waits until the server has told all that it offers: its lists come one by one.
local function offered(child)
  child:ready('offers')
  child:wait(
    'what it offers',
    [[
    local row = require('codebot.mcp').named('offers')[1]
    return row.toolCount == 3 and row.promptCount == 1 and row.resourceCount > 0
  ]]
  )
end

local function with_offers(opts)
  local child = h.world():user({ offers = h.lua_server('offers') }):nvim(opts)
  offered(child)
  return child
end

return {
  {
    'a resource is a buffer that can only be read, and is read anew when it changes',
    function()
      local child = with_offers()
      child:lua("wanted = 'news of today'")
      child:cmd('Codebot resources')
      h.has(showing(child, 'no news'), '# news://today.md')
      h.same(child:lua('return vim.api.nvim_buf_get_name(0)'), 'codebot://resource/offers/news://today.md')
      h.same(child:lua('return { vim.bo.modifiable, vim.bo.modeline }'), { false, false })
      child:lua([[
        require('codebot.mcp.tools').call({ server = 'offers', tool = 'news', name = 'news' }, vim.empty_dict())
      ]])
      child:wait('the result', "return vim.bo.filetype == 'codebot-result'")
      child:cmd('wincmd p')
      showing(child, 'great news')
      -- A template asks for its variables.
      child:lua(answers, { day = 'monday' })
      child:lua("wanted = 'news of a day'")
      child:cmd('Codebot mcp offers resources')
      showing(child, '# news://monday.md')
    end,
  },
  {
    "a server's log grows while it is looked at, and the window follows",
    function()
      local child = with_offers()
      child:cmd('Codebot mcp offers log')
      child:wait('the log', "return vim.bo.filetype == 'codebot-log'")
      child:cmd('normal! G')
      child:lua([[
        require('codebot.mcp.tools').call({ server = 'offers', tool = 'news', name = 'news' }, vim.empty_dict())
      ]])
      child:wait('the result', "return vim.bo.filetype == 'codebot-result'")
      child:wait(
        'the line',
        [[
        local buf = vim.tbl_filter(function(b) return vim.bo[b].filetype == 'codebot-log' end, vim.api.nvim_list_bufs())[1]
        local lines = vim.api.nvim_buf_get_lines(buf, 0, -1, false)
        local cursor = vim.api.nvim_win_get_cursor(vim.fn.win_findbuf(buf)[1])
        return table.concat(lines, '\n'):find('stderr the news changed', 1, true) and cursor[1] == #lines
      ]]
      )
    end,
  },
  {
    'a prompt of a server is filled in, completed and sent',
    function()
      local w = h.world()
      local model = w:model({ { text = 'Hello!' } }, { offers = h.lua_server('offers') })
      local child = w:nvim()
      offered(child)
      child:lua(answers, { city = 'Bern' })
      child:lua("wanted = 'greet'")
      child:cmd('Codebot prompts')
      child:see('Hello!')
      h.has(child:chat(), '> /mcp__offers__greet city=Bern')
      h.has(vim.json.encode(model.requests[1].messages), 'Say hello to Bern')
      h.same(child:lua("return require('codebot.mcp.prompts').complete('Ber')"), { 'Berlin', 'Bern' })
      -- Names of servers, models and providers complete on the command line.
      local function complete(line)
        return child:lua("return vim.fn.getcompletion((...), 'cmdline')", line)
      end
      h.same(complete('Codebot model te'), { 'test/m' })
      h.same(complete('Codebot key te'), { 'test' })
      h.same(complete('Codebot log of'), { 'offers' })
    end,
  },
  {
    "a server's form is filled in field by field, and a wrong value is asked for again",
    function()
      local child = with_offers()
      child:lua(answers, { ['Your name'] = '李雷', seats = { '12', '4' }, note = '' })
      child:lua([[
        local nth = 0
        vim.ui.select = function(items, o, done)
          nth = nth + 1
          table.insert(choices, o.prompt)
          done(nth == 1 and items[1] or items[2])
        end
      ]])
      child:lua([[
        require('codebot.mcp.tools').call({ server = 'offers', tool = 'book', name = 'book' }, vim.empty_dict())
      ]])
      local said = showing(child, 'booked: ')
      h.has(said, 'booked: accept')
      h.has(said, '李雷')
      h.has(said, '"seats":4')
      h.has(said, '"room":"hall"')
      h.lacks(said, 'note')
      h.has(child:lua('return choices[1]'), 'offers asks: Which table?')
      child:told('it must be at most 8')
      -- Who leaves has declined nothing and sent nothing.
      child:lua('vim.ui.select = function(_, _, done) done(nil) end')
      child:lua([[
        require('codebot.mcp.tools').call({ server = 'offers', tool = 'book', name = 'book' }, vim.empty_dict())
      ]])
      showing(child, 'booked: cancel')
    end,
  },
  {
    'a server asks the model only after it was shown what it would send',
    function()
      local w = h.world()
      local server = h.lua_server('offers')
      server.sampling = true
      local model = w:model({ { text = 'It is 42.' } }, { offers = server })
      local child = w:nvim()
      offered(child)
      local call = [[
        require('codebot.mcp.tools').call({ server = 'offers', tool = 'think', name = 'think' }, vim.empty_dict())
      ]]
      child:lua(call)
      child:wait('the question', "return vim.bo.filetype == 'codebot-float'")
      local text = showing(child, 'What is six times seven?')
      h.has(text, 'test/m, at most 77 tokens')
      h.lacks(text, '\226\128\174')
      child:keys('q')
      showing(child, 'it says: ')
      h.same(#model.requests, 0)
      child:lua(call)
      child:wait('the question', "return vim.bo.filetype == 'codebot-float'")
      child:keys('y')
      showing(child, 'It is 42.')
      h.same(#model.requests, 1)
    end,
  },
  {
    'a tool is kept from the agent and given back with a key, in the settings file',
    function()
      local w = h.world():user({ docs = h.demo('docs') })
      local child = w:nvim()
      child:ready('docs')
      child:cmd('Codebot mcp docs tools')
      on_line(child, 'search  ')
      child:keys('s')
      showing(child, '[kept from the agent]')
      h.has(h.read(w.settings_home .. '/settings.json'), '"deny"')
      child:cmd('Codebot mcp')
      showing(child, '1 tool ')
      child:cmd('Codebot mcp docs tools')
      on_line(child, 'search  ')
      child:keys('s')
      child:wait(
        'the tool',
        [[
        return not table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false)):find('kept from the agent', 1, true)
          and require('codebot.mcp').totals().tools == 2
      ]]
      )
    end,
  },
  {
    'a server is tried, added, and taken out again',
    function()
      local w = h.world():user({})
      local child = w:nvim()
      child:cmd('Codebot mcp')
      showing(child, 'n adds one.')
      child:lua(answers, { ['Name'] = 'mine', ['command'] = ('"%s" mcp demo docs'):format(h.server) })
      child:lua("wanted = 'Add it to your settings'")
      child:keys('n')
      child:state('mine', 'connected')
      local file = h.read(w.settings_home .. '/settings.json')
      h.has(file, '"mine"')
      h.has(file, '"docs"')
      -- One that does not run says so before it is kept.
      child:lua(answers, { ['Name'] = 'bad', ['command'] = 'no-such-program-here' })
      child:lua("wanted, prompts = 'never', {}")
      child:lua([[
        local select = vim.ui.select
        vim.ui.select = function(items, o, done) table.insert(prompts, o.prompt) select(items, o, done) end
      ]])
      child:cmd('Codebot add')
      child:wait('the question', "return prompts[1] and prompts[1]:find('no-such-program-here', 1, true)")
      h.lacks(h.read(w.settings_home .. '/settings.json'), '"bad"')
      child:lua("wanted = 'Take it out'")
      child:cmd('Codebot mcp mine remove')
      child:wait('it to go', "return #require('codebot.mcp').rows() == 0")
      h.lacks(h.read(w.settings_home .. '/settings.json'), '"mine"')
    end,
  },
  {
    'servers of another program are listed and those chosen are taken over',
    function()
      local w = h.world():user({})
      h.write(
        w.home .. '/.cursor/mcp.json',
        vim.json.encode({
          mcpServers = {
            theirs = { command = h.server, args = { 'mcp', 'demo', 'docs' } },
            other = { command = 'no-such-program-here' },
          },
        })
      )
      local child = w:nvim()
      child:ready()
      child:lua([[
        local step = 0
        vim.ui.select = function(items, o, done)
          step = step + 1
          local rows = vim.tbl_map(o.format_item, items)
          table.insert(choices, table.concat(rows, '\n'))
          for i, row in ipairs(rows) do
            -- First the other one is taken out of the choice, then that is all.
            if row:find(step == 1 and 'other' or 'Take over', 1, true) then return done(items[i], i) end
          end
        end
      ]])
      child:cmd('Codebot import')
      child:told('1 server was taken over')
      child:state('theirs', 'connected')
      h.has(child:lua('return choices[2]'), '[ ] other · Cursor')
      h.has(child:lua('return choices[2]'), '[x] theirs · Cursor')
      h.lacks(h.read(w.settings_home .. '/settings.json'), '"other"')
    end,
  },
  {
    'an MCP server that is killed comes back by itself, and the window and the status tell',
    function()
      local child = h.world():user({ docs = h.demo('docs'), offers = h.lua_server('offers') }):nvim()
      child:ready('docs', 'offers')
      child:cmd('Codebot mcp')
      showing(child, '2 connected')
      child:lua([[
        seen = {}
        require('codebot.mcp').listen(function()
          local row = require('codebot.mcp').named('offers')[1]
          if row and seen[#seen] ~= row.state then table.insert(seen, row.state) end
        end)
      ]])
      local pid = child:lua("return require('codebot.mcp').named('offers')[1].pid")
      vim.uv.kill(pid, 'sigkill')
      child:wait(
        'another process',
        [[
        local row = require('codebot.mcp').named('offers')[1]
        return row.state == 'connected' and row.pid ~= ...
      ]],
        pid
      )
      assert(
        vim.tbl_contains(child:lua('return seen'), 'reconnecting'),
        'nobody was told: ' .. vim.inspect(child:lua('return seen'))
      )
      showing(child, '2 connected')
      child:wait('the status', "return require('codebot').statusline() == 'codebot 2/2'")
    end,
  },
  {
    'from no settings at all: servers are written into the file, and the status follows',
    function()
      local w = h.world()
      local child = w:nvim()
      child:ready()
      child:wait('the status', "return require('codebot').statusline() ~= ''")
      h.has(child:lua('return vim.g.codebot_status.health'), 'inactive')
      child:cmd('Codebot settings')
      child:wait('the file', "return vim.fn.expand('%:t') == 'settings.json'")
      child:lua(
        'vim.api.nvim_buf_set_lines(0, 0, -1, false, { (...) })',
        vim.json.encode({ mcp_servers = { docs = h.demo('docs'), deploy = h.demo('deploy') } })
      )
      child:cmd('silent write')
      child:wait('the status', "return require('codebot').statusline() == 'codebot 2/2'")
      h.same(child:lua('return vim.g.codebot_status.health'), 'ok')
      child:lua(
        'vim.api.nvim_buf_set_lines(0, 0, -1, false, { (...) })',
        vim.json.encode({
          mcp_servers = { docs = h.demo('docs'), bad = { command = 'no-such-program-here' } },
        })
      )
      child:cmd('silent write')
      child:wait('the status', "return require('codebot').statusline() == 'codebot 1/2 !'")
    end,
  },
  {
    'a settings file has completion, hover, lenses and hints, of the native client',
    function()
      local w = h.world()
      h.write(
        w.settings_home .. '/settings.json',
        '{\n  "mcp_servers": {\n    "docs": '
          .. vim.json.encode(h.demo('docs'))
          .. '\n  },\n  "permissions": {\n    "mode": "default"\n  }\n}\n'
      )
      local child = w:nvim()
      child:ready('docs')
      child:cmd('Codebot settings')
      child:wait('the client', "return #vim.lsp.get_clients({ bufnr = 0, name = 'codebot_ls' }) == 1")
      child:wait(
        'a lens',
        [[
        for _, lens in ipairs(vim.lsp.codelens.get(vim.fn.has('nvim-0.12') == 1 and { bufnr = 0 } or 0)) do
          local command = (lens.lens or lens).command
          if command and command.title:lower():find('stop') then return command.title end
        end
      ]]
      )
      child:wait(
        'a hint',
        [[
        for _, hint in ipairs(vim.lsp.inlay_hint.get({ bufnr = 0 })) do
          local label = hint.inlay_hint.label
          local text = type(label) == 'string' and label or label[1].value
          if text:find('2') then return text end
        end
      ]]
      )
      child:lua('vim.api.nvim_win_set_cursor(0, { 6, 8 })')
      child:cmd('lua vim.lsp.buf.hover()')
      child:wait(
        'the hover',
        [[
        for _, win in ipairs(vim.api.nvim_list_wins()) do
          if vim.api.nvim_win_get_config(win).relative ~= '' then
            local lines = vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(win), 0, -1, false)
            return table.concat(lines, '\n'):find('accept_edits', 1, true) and true
          end
        end
      ]]
      )
      child:keys('$F"vi"c<C-x><C-o>')
      child:wait(
        'the values',
        [[
        for _, item in ipairs(vim.fn.complete_info({ 'items' }).items) do
          if item.word:find('accept_edits', 1, true) then return true end
        end
      ]]
      )
    end,
  },
  {
    'lenses start and stop a server, and one of a project leads to its approval',
    function()
      local w = h.world():user({})
      local entry = h.demo('docs')
      entry.trust_annotations = nil
      h.write(
        w.folder .. '/.codebot/settings.json',
        '{\n  "mcp_servers": {\n    "mine": ' .. vim.json.encode(entry) .. '\n  }\n}\n'
      )
      local child = w:nvim()
      child:ready()
      child:cmd('Codebot settings project')
      child:state('mine', 'untrusted')
      --- Runs the lens with these words as soon as it is there.
      local function run(words)
        child:wait(
          'the lens ' .. words,
          [[
          for _, lens in ipairs(vim.lsp.codelens.get(vim.fn.has('nvim-0.12') == 1 and { bufnr = 0 } or 0)) do
            local it = lens.lens or lens
            if it.command and it.command.title:find((...), 1, true) then
              vim.api.nvim_win_set_cursor(0, { it.range.start.line + 1, 0 })
              return true
            end
          end
        ]],
          words
        )
        child:lua('wanted = ...', words)
        child:lua('vim.lsp.codelens.run()')
      end
      run('Trust...')
      child:wait('the question', "return vim.bo.filetype == 'codebot-float'")
      child:keys('y')
      child:state('mine', 'connected')
      child:wait('the file', "return vim.fn.expand('%:t') == 'settings.json'")
      run('Stop')
      child:state('mine', 'stopped')
      run('Start')
      child:state('mine', 'connected')
    end,
  },
  {
    'a mistake in the settings has a code action that mends it',
    function()
      local w = h.world()
      h.write(w.settings_home .. '/settings.json', '{\n  "mcp_serves": {}\n}\n')
      local child = w:nvim()
      child:ready()
      child:cmd('Codebot settings')
      child:wait('the diagnostic', 'return #vim.diagnostic.get(0) > 0')
      child:lua('vim.api.nvim_win_set_cursor(0, { vim.diagnostic.get(0)[1].lnum + 1, 4 })')
      child:lua("wanted = 'mcp_servers'")
      child:lua('vim.lsp.buf.code_action()')
      child:wait('the change', "return vim.fn.getline(2):find('mcp_servers', 1, true)")
      child:wait('the diagnostic to go', 'return #vim.diagnostic.get(0) == 0')
      child:cmd('undo')
      h.has(child:lua('return vim.fn.getline(2)'), 'mcp_serves')
    end,
  },
}
