local h = require('harness')

--- The process of the server: the one child of Neovim.
local function server_pid(child)
  return vim.api.nvim_get_proc_children(child.pid)[1]
end

--- Well below what Neovim or the server would wait for one that does not end, and
--- enough for a busy machine.
local at_once_ms = 1500

return {
  {
    'nothing is loaded before it is used, and sourcing takes less than 1 ms',
    function()
      local child = h.world():nvim()
      h.same(child:lua('return require("codebot").statusline()'), '')
      h.same(
        child:lua([[
        local loaded = {}
        for name in pairs(package.loaded) do
          if name:find('^codebot') then loaded[#loaded + 1] = name end
        end
        return loaded
      ]]),
        { 'codebot' }
      )
      h.same(child:lua('return #vim.lsp.get_clients()'), 0)
      -- As a person has it, in a Neovim that starts; the best of several, for the machine
      -- may be busy with other things.
      local ms = math.huge
      for i = 1, 7 do
        local log = child.world.base .. '/startup' .. i
        local cmd = { vim.v.progpath, '--headless', '--clean', '--cmd', 'set rtp+=' .. h.plugin }
        vim.system(vim.list_extend(cmd, { '--startuptime', log, '+qa' })):wait()
        for self in h.read(log):gmatch('([%d.]+): sourcing [^\n]*plugin/codebot%.lua') do
          ms = math.min(ms, tonumber(self))
        end
      end
      io.stdout:write(('# sourcing takes %.2f ms\n'):format(ms))
      assert(ms < 1, ('sourcing took %.2f ms'):format(ms))
    end,
  },
  {
    'a killed server is started again and the conversation goes on',
    function()
      local child = h.world():user({ docs = h.demo('docs') }):nvim()
      child:ready('docs')
      child:cmd('Codebot ask Search the docs for the worktree cleanup policy.')
      child:see('[docs] Found 3 results')
      child:settled()
      local pid = assert(server_pid(child), 'no server')
      vim.uv.kill(pid, 'sigkill')
      local chat = child:see('The server was started again.')
      h.has(chat, '> Search the docs for the worktree cleanup policy.')
      h.has(chat, '[docs] Found 3 results')
      assert(server_pid(child) ~= pid)
      child:state('docs', 'connected')
      child:cmd('Codebot ask Search the docs for the release notes.')
      child:see('> Search the docs for the release notes.')
      child:settled()
      h.same(select(2, child:chat():gsub('✓ docs › search', '')), 2)
    end,
  },
  {
    'a server killed in the middle of a turn ends it, says so, and the next prompt runs',
    function()
      local child = h.world():user({ docs = h.demo('docs'), deploy = h.demo('deploy') }):nvim()
      child:ready('docs', 'deploy')
      child:cmd('Codebot ask Deploy the current project')
      child:see('May it run?')
      vim.uv.kill(assert(server_pid(child)), 'sigkill')
      child:wait('the end of the turn', "return vim.tbl_contains(events, 'CodebotTurnEnd')")
      local chat = child:see('The server was started again.')
      h.lacks(chat, 'May it run?')
      child:state('docs', 'connected')
      child:cmd('Codebot ask Search the docs for the worktree cleanup policy.')
      child:see('[docs] Found 3 results')
    end,
  },
  {
    'a server that dies at once is not started for ever, and the way out is told',
    function()
      local w = h.world()
      local program = w:write('dies', '#!/bin/sh\nexit 3\n')
      vim.uv.fs_chmod(program, 493)
      local child = w:nvim({ server = program })
      child:cmd('silent! Codebot chat')
      child:told('the server ended with code 3')
      child:told(':Codebot restart tries again')
    end,
  },
  {
    'without the program the way out is told',
    function()
      local child = h.world():nvim({ server = '/nonexistent/codebot-ls' })
      child:cmd('Codebot chat')
      h.has(child:told('there is no program'), 'make build')
      child:cmd('Codebot health')
      h.has(table.concat(child:lines(), '\n'), 'run make build in the repository')
    end,
  },
  {
    'restart brings the session back by itself',
    function()
      local child = h.world():user({ docs = h.demo('docs') }):nvim()
      child:ready('docs')
      child:cmd('Codebot ask Search the docs for the worktree cleanup policy.')
      child:settled()
      local pid = server_pid(child)
      child:cmd('Codebot restart')
      child:see('The server was started again.')
      assert(server_pid(child) ~= pid)
    end,
  },
  {
    'a session of an earlier Neovim is listed and loaded, and goes on',
    function()
      local w = h.world():user({ docs = h.demo('docs') })
      local first = w:nvim()
      first:ready('docs')
      first:cmd('Codebot ask 查一下文档里的 worktree 清理策略。')
      first:see('[docs] Found 3 results')
      first:settled()
      first:quit('<Esc>:qa!<CR>')
      first:gone()
      -- A newer one of another project stands behind those of this one.
      local other = w:nvim()
      vim.fn.mkdir(w.base .. '/work/other/.git', 'p')
      other:cmd('cd ' .. w.base .. '/work/other')
      other:ready('docs')
      other:cmd('Codebot ask Search the docs for another project.')
      other:see('[docs] Found')
      other:settled()
      local child = w:nvim()
      child:cmd('Codebot sessions')
      child:wait('the list', 'return #choices > 0')
      h.same(child:lua('return #choices'), 2)
      h.has(child:lua('return choices[1]'), 'worktree 清理策略')
      h.has(child:lua('return choices[2]'), 'another project')
      child:lua("wanted = 'worktree 清理策略'")
      child:cmd('Codebot sessions')
      local chat = child:see('[docs] Found 3 results')
      -- What was asked in it comes back with the key for it.
      child:cmd('Codebot chat')
      child:wait('the prompt', "return vim.bo.filetype == 'codebot-prompt'")
      child:keys('<C-Up>')
      child:wait('what was asked', "return vim.api.nvim_get_current_line():find('清理策略', 1, true)")
      child:cmd('normal! ggdG')
      h.has(chat, '> 查一下文档里的 worktree 清理策略。')
      h.has(chat, '✓ docs › search')
      child:wait(
        'the session',
        [[
        local session = require('codebot.session').current()
        return session and not session.lost and session.model ~= ''
      ]]
      )
      child:state('docs', 'connected')
      child:cmd('Codebot ask Search the docs for the release notes.')
      child:see('> Search the docs for the release notes.')
      child:settled()
      -- A new session starts with nothing of it.
      child:cmd('Codebot new')
      child:wait('the new session', "return #require('codebot.session').current().blocks == 0")
    end,
  },
  {
    'a session that another Neovim has open is opened as soon as that lets go',
    function()
      local w = h.world():user({ docs = h.demo('docs') })
      local first = w:nvim()
      first:ready('docs')
      first:cmd('Codebot ask Search the docs for the worktree cleanup policy.')
      first:see('[docs] Found 3 results')
      first:settled()
      local id = first:lua("return require('codebot.session').current().id")
      local child = w:nvim()
      child:ready('docs')
      child:lua(
        [[
        tries = 0
        local client, method = require('codebot.client'), require('codebot.protocol_gen').methods.session_load
        local request = client.request
        client.request = function(m, ...)
          tries = tries + (m == method and 1 or 0)
          return request(m, ...)
        end
        require('codebot.chat').load(...)
      ]],
        id
      )
      child:wait('another try', 'return tries >= 2')
      h.same(child:lua('return notified'), {})
      first:quit('<Esc>:qa!<CR>')
      first:gone()
      h.has(child:see('[docs] Found 3 results'), '> Search the docs')
      -- One that stays open elsewhere says so in the end.
      local third = w:nvim()
      third:ready('docs')
      third:lua("require('codebot.chat').load(...)", id)
      third:wait('the message', 'return #notified > 0')
      third:wait('the session of its own', "return require('codebot.session').current().id ~= ...", id)
    end,
  },
  {
    'a session in another project brings that project along',
    function()
      local w = h.world():user({})
      local other = w.base .. '/work/other'
      local entry = h.demo('docs')
      entry.trust_annotations = nil
      h.write(other .. '/.codebot/settings.json', vim.json.encode({ mcp_servers = { theirs = entry } }))
      local child = w:nvim()
      child:ready()
      child:cmd('cd ' .. other)
      child:cmd('Codebot new')
      child:state('theirs', 'untrusted')
      child:wait('the session', "return require('codebot.session').current().cwd == (...)", other)
    end,
  },
  {
    'a question in a session that is not shown is told, and the chat goes there',
    function()
      local child = h.world():user({ deploy = h.demo('deploy') }):nvim()
      child:ready('deploy')
      child:cmd('Codebot ask Deploy the current project')
      child:see('May it run?')
      local id = child:lua("return require('codebot.session').current().id")
      child:cmd('Codebot new')
      child:wait('the new session', "return require('codebot.session').current().id ~= (...)", id)
      child:cmd('Codebot chat')
      child:wait('the session that asks', "return require('codebot.session').current().id == (...)", id)
      child:see('May it run?')
    end,
  },
  {
    'closing one window of the chat closes the other, and files open elsewhere',
    function()
      local w = h.world():user({})
      local child = w:nvim()
      child:ready()
      child:cmd('Codebot settings project')
      child:wait('the file', "return vim.fn.expand('%:t') == 'settings.json'")
      h.same(child:lua("return require('codebot.chat').visible()"), true)
      child:cmd('silent write')
      h.has(h.read(w.folder .. '/.codebot/settings.json'), 'mcp_servers')
      child:cmd('Codebot chat')
      child:cmd('quit')
      child:wait('the chat to close', "return not require('codebot.chat').visible()")
    end,
  },
  {
    'the client stopped by hand stays stopped until it is needed',
    function()
      local child = h.world():user({ docs = h.demo('docs') }):nvim()
      child:ready('docs')
      child:lua('vim.lsp.stop_client(vim.lsp.get_clients())')
      child:wait('the end', 'return #vim.lsp.get_clients() == 0 and vim.g.codebot_status == nil')
      h.same(child:lua("return require('codebot.client').active()"), false)
      h.same(child:lua("return require('codebot').statusline()"), '')
      child:cmd('Codebot mcp')
      child:state('docs', 'connected')
    end,
  },
  {
    'mode and model are chosen from a list and by name',
    function()
      local child = h.world():user({ deploy = h.demo('deploy') }):nvim()
      child:ready('deploy')
      child:lua("wanted = 'Plan'")
      child:cmd('Codebot mode')
      child:wait('the mode', "return require('codebot.session').current().mode == 'plan'")
      h.has(child:screen(), 'codebot · Plan')
      child:cmd('Codebot ask Deploy the current project')
      child:settled()
      h.lacks(child:chat(), '[deploy] Triggered')
      child:cmd('Codebot mode auto')
      child:wait('the mode', "return require('codebot.session').current().mode == 'auto'")
      child:cmd('Codebot ask Deploy the current project')
      child:see('[deploy] Triggered: shop')
      child:lua("wanted = 'offline'")
      child:cmd('Codebot model')
      child:wait(
        'the list',
        "return vim.iter(choices):any(function(c) return c:find('* offline', 1, true) end)"
      )
      child:cmd('Codebot mode dance')
      child:told('The modes are default, accept_edits, plan and auto')
    end,
  },
  {
    'an edit is shown as a diff before it may run, and the buffer follows the file',
    function()
      local w = h.world():user({})
      local path = w:write('notes.txt', 'one\n')
      local child = w:nvim({ args = { path } })
      child:ready()
      child:lua("require('codebot.chat.question').guard_ms = 0")
      child:cmd('Codebot ask write "two" to notes.txt')
      local chat = child:see('May it run?')
      h.has(chat, '```diff')
      h.has(chat, '+two')
      child:cmd('Codebot chat')
      child:keys('d')
      child:wait('the diff tab', 'return #vim.api.nvim_list_tabpages() == 2 and vim.wo.diff')
      child:keys('a')
      child:wait('the tab to close', 'return #vim.api.nvim_list_tabpages() == 1')
      child:settled()
      h.has(h.read(path), 'two')
      child:wait(
        'the buffer',
        [[return vim.api.nvim_buf_get_lines(vim.fn.bufnr('notes.txt'), 0, 1, false)[1] == 'two']]
      )
    end,
  },
  {
    ':qa returns at once, with a stubborn MCP server and a stopped codebot-ls',
    function()
      local w = h.world():user({ docs = h.demo('docs'), stubborn = h.lua_server('stubborn') })
      local child = w:nvim()
      child:ready('docs')
      child:state('stubborn', 'starting')
      local pid = assert(server_pid(child))
      -- Each of its threads has children of its own.
      local descendants = {}
      for _, path in ipairs(vim.fn.glob(('/proc/%d/task/*/children'):format(pid), false, true)) do
        for p in (h.read(path) or ''):gmatch('%d+') do
          table.insert(descendants, tonumber(p))
        end
      end
      assert(#descendants >= 2 or vim.uv.os_uname().sysname ~= 'Linux', 'no MCP servers')
      child:quit(':qa<CR>')
      local took = child:gone()
      assert(took < at_once_ms, ('it took %d ms'):format(took))
      -- Nothing of it is left.
      for _, p in ipairs({ pid, unpack(descendants) }) do
        assert(
          vim.wait(h.patience, function()
            return not h.alive(p)
          end, 10),
          'process ' .. p .. ' is left'
        )
      end

      child = h.world():user({ docs = h.demo('docs') }):nvim()
      child:ready('docs')
      pid = assert(server_pid(child))
      vim.uv.kill(pid, 'sigstop')
      child:quit(':qa<CR>')
      took = child:gone()
      vim.uv.kill(pid, 'sigcont')
      assert(took < at_once_ms, ('with a stopped server it took %d ms'):format(took))
    end,
  },
  {
    'a server that never answers holds up neither restart nor :qa',
    function()
      local w = h.world()
      local program = w:write('hangs', '#!/bin/sh\nexec sleep 600\n')
      vim.uv.fs_chmod(program, 493)
      local child = w:nvim({ server = program })
      child:cmd('Codebot chat')
      local pid = assert(server_pid(child))
      child:cmd('Codebot restart')
      child:told('the server')
      assert(
        vim.wait(h.patience, function()
          return not h.alive(pid) and server_pid(child) ~= nil
        end, 10),
        'it was not restarted'
      )
      child:quit(':qa<CR>')
      local took = child:gone()
      assert(took < at_once_ms, ('it took %d ms'):format(took))
    end,
  },
  {
    'setup() changes the options, also after their first use',
    function()
      local child = h.world():nvim()
      h.same(child:lua("return require('codebot.config').get().window.layout"), 'right')
      child:lua("require('codebot').setup({ window = { layout = 'tab' } })")
      h.same(child:lua("return require('codebot.config').get().window.layout"), 'tab')
      h.same(child:lua("return require('codebot.config').get().locale"), 'en')
    end,
  },
  {
    'sub-commands, servers and their actions are completed',
    function()
      local child = h.world():user({ docs = h.demo('docs') }):nvim()
      local function complete(line)
        return child:lua("return vim.fn.getcompletion((...), 'cmdline')", line)
      end
      h.same(complete('Codebot se'), { 'session', 'sessions', 'settings' })
      h.same(complete('Codebot mode p'), { 'plan' })
      child:ready('docs')
      h.same(complete('Codebot mcp '), { 'docs' })
      h.same(complete('Codebot mcp docs st'), { 'start', 'stop' })
      child:cmd('Codebot dance')
      child:told('there is no :Codebot dance; there are add, ask')
      child:cmd('Codebot mcp docs dance')
      child:told('there is no action dance')
    end,
  },
  {
    'the health check runs the program and says what to do',
    function()
      local w = h.world():user({ docs = h.demo('docs'), broken = { command = 'no-such-program-here' } })
      local entry = h.demo('deploy')
      entry.trust_annotations = nil
      w:project({ mine = entry })
      local child = w:nvim({ options = { colour = 'red' } })
      child:cmd('Codebot health')
      local text = table.concat(child:lines(), '\n')
      h.has(text, 'vim.g.codebot.colour is not an option')
      h.has(text, 'it answers')
      h.has(text, 'docs: connected, 2 tools')
      h.has(text, 'broken: failed')
      h.has(text, ':Codebot mcp broken restart tries again')
      h.has(text, ':Codebot mcp mine approve')
    end,
  },
  {
    'the LSP client can be enabled by vim.lsp.enable on 0.11 and newer',
    function()
      if vim.fn.has('nvim-0.11') == 0 then
        return
      end
      local w = h.world():user({ docs = h.demo('docs') })
      local path = w:write('main.lua', 'local x\n')
      local child = w:nvim({ args = { path } })
      child:lua("vim.lsp.enable('codebot_ls')")
      child:cmd('doautocmd FileType')
      child:cmd('edit')
      child:wait('the client', "return #vim.lsp.get_clients({ name = 'codebot_ls', bufnr = 0 }) == 1")
      child:cmd('Codebot chat')
      child:state('docs', 'connected')
      h.same(child:lua("return #vim.lsp.get_clients({ name = 'codebot_ls' })"), 1)
    end,
  },
}
