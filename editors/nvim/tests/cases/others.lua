-- Logins, the building of the server, and other plug-ins.
local h = require('harness')
local http = require('http')

--- The plug-in as somebody has it who cloned the repository.
local function clone(w)
  local root = w.base .. '/clone'
  vim.fn.mkdir(root .. '/editors/nvim', 'p')
  for _, name in ipairs({ 'lua', 'plugin', 'lsp' }) do
    local done = vim.system({ 'cp', '-R', h.plugin .. '/' .. name, root .. '/editors/nvim/' }):wait()
    assert(done.code == 0, done.stderr)
  end
  return root
end

return {
  needs = 'curl',
  {
    'a login from a machine that the browser is not on: the address is pasted',
    function()
      local oauth = h.owned(http.oauth())
      local w = h.world():user({ private = { url = oauth.url .. '/mcp' } })
      local child = w:nvim()
      child:ready()
      child:state('private', 'needs_auth')
      child:wait('the status', "return require('codebot').statusline() == 'codebot 0/1 !'")
      child:lua('opened = {}; vim.ui.open = function(url) table.insert(opened, url) end')
      child:cmd('Codebot mcp private login')
      child:wait('the page', "return vim.bo.filetype == 'codebot-float'")
      local text = table.concat(child:lines(), '\n')
      h.has(text, oauth.url .. '/authorize?')
      local state = assert(text:match('state=([^&%s]+)'), 'no state in ' .. text)
      local back = vim.uri_decode(assert(text:match('redirect_uri=([^&%s]+)'), 'no address to come back to'))
      -- Nothing opens a browser by itself.
      h.same(child:lua('return opened'), {})
      child:keys('y')
      child:wait('the yank', "return vim.fn.getreg('\"'):find('/authorize?', 1, true)")
      child:keys('o')
      child:wait('the browser', 'return #opened == 1')
      child:lua(
        'local back = ...; vim.ui.input = function(_, done) done(back) end',
        ('  %s?code=the-code&state=%s '):format(back, state)
      )
      child:keys('p')
      child:state('private', 'connected')
      h.same(oauth.tokens, 1)
      child:wait('the float to close', "return vim.bo.filetype ~= 'codebot-float'")
      child:wait('the status', "return require('codebot').statusline() == 'codebot 1/1'")
      child:cmd('Codebot mcp private logout')
      child:state('private', 'needs_auth')
    end,
  },
  {
    'a login that is closed is cancelled, and another one can begin',
    function()
      local oauth = h.owned(http.oauth())
      local w = h.world():user({ private = { url = oauth.url .. '/mcp' } })
      local child = w:nvim()
      child:ready()
      child:state('private', 'needs_auth')
      for _ = 1, 2 do
        child:cmd('Codebot mcp private login')
        child:wait('the page', "return vim.bo.filetype == 'codebot-float'")
        child:keys('q')
        child:wait('the float to close', "return vim.bo.filetype ~= 'codebot-float'")
      end
      child:state('private', 'needs_auth')
      h.same(oauth.tokens, 0)
    end,
  },
  {
    'the server is built with Go where its source is beside the plug-in',
    function()
      local w = h.world()
      local root = clone(w)
      h.write(root .. '/go.mod', 'module example.test/x\n\ngo 1.26\n')
      h.write(root .. '/cmd/codebot-ls/main.go', 'package main\n\nfunc main() { println("built") }\n')
      -- Go's own cache: what of the standard library is needed is there.
      local cache = vim.trim(vim.system({ 'go', 'env', 'GOCACHE' }, { text = true }):wait().stdout)
      local child = w:nvim({ plugin = root .. '/editors/nvim', env = { GOCACHE = cache } })
      child:cmd('Codebot build')
      child:told('building with Go')
      h.has(child:told(':Codebot restart uses it'), root .. '/bin/codebot-ls')
      local done = vim.system({ root .. '/bin/codebot-ls' }, { text = true }):wait()
      h.same(done.stderr, 'built\n')
      h.write(root .. '/cmd/codebot-ls/main.go', 'package main\n\nfunc main() { nonsense }\n')
      child:cmd('Codebot build')
      child:told('undefined: nonsense')
    end,
  },
  {
    'a release is taken when its sum is right, and else nothing of it is kept',
    function()
      local w = h.world()
      local root = clone(w)
      local name = require('codebot.build').archive(vim.uv.os_uname())
      assert(name, 'this machine is not known')
      h.write(w.base .. '/release/codebot-ls', '#!/bin/sh\necho from a release\n')
      local done = vim.system({ 'tar', '-czf', name, 'codebot-ls' }, { cwd = w.base .. '/release' }):wait()
      assert(done.code == 0, done.stderr)
      local archive = h.read(w.base .. '/release/' .. name)
      local sum = assert(require('codebot.build').sha256(w.base .. '/release/' .. name))
      local sums = ('%s  %s\n'):format(('0'):rep(64), name)
      local server = h.owned(http.start(function(request)
        local body = request.path:find('SHA256SUMS', 1, true) and sums or archive
        return 200, {}, body
      end))
      local child = w:nvim({ plugin = root .. '/editors/nvim' })
      local run = "require('codebot.build').run({ go = false, url = ... })"
      child:lua(run, server.url)
      child:told('is not what its sum says')
      h.same(vim.uv.fs_stat(root .. '/editors/nvim/bin/codebot-ls'), nil)
      sums = ('%s  %s\n'):format(sum, name)
      child:lua(run, server.url)
      child:told(':Codebot restart uses it')
      done = vim.system({ root .. '/editors/nvim/bin/codebot-ls' }, { text = true }):wait()
      h.same(done.stdout, 'from a release\n')
      child:lua(run, 'http://127.0.0.1:9')
      child:told('curl: ')
    end,
  },
  {
    'nvim-cmp and blink.cmp complete files and commands in the prompt',
    function()
      local w = h.world():user({})
      w:write('src/main.go', 'package main\n')
      local child = w:nvim()
      child:ready()
      child:lua([[
        -- What the two plug-ins offer to a source, and call of it.
        package.preload.cmp = function()
          return { register_source = function(name, s) source, source_name = s, name end,
            setup = { filetype = function(filetype, config) cmp_filetype, cmp_config = filetype, config end } }
        end
        require('codebot.integrations').cmp()
        blink = require('codebot.blink').new()
      ]])
      h.same(
        child:lua('return { source_name, cmp_filetype, source:is_available(), blink:enabled() }'),
        { 'codebot', 'codebot-prompt', true, true }
      )
      local found = child:lua([[
        source:complete({ context = { cursor_before_line = '看 @src/m', cursor = { row = 1 } } }, function(r) answer = r end)
        return answer.items[1]
      ]])
      h.same(found.label, '@src/main.go')
      local edit = child:lua([[
        blink:get_completions({ line = '看 @src/m and more', cursor = { 1, 10 } }, function(r) answer = r end)
        return answer.items[1].textEdit
      ]])
      h.same(edit, {
        newText = '@src/main.go',
        range = { start = { line = 0, character = 4 }, ['end'] = { line = 0, character = 10 } },
      })
      local commands = child:lua([[
        blink:get_completions({ line = '/comp', cursor = { 1, 5 } }, function(r) answer = r end)
        return vim.tbl_map(function(i) return i.label end, answer.items)
      ]])
      h.same(commands, { '/compact' })
      child:lua([[
        blink:get_completions({ line = 'plain text', cursor = { 1, 5 } }, function(r) answer = r end)
      ]])
      h.same(child:lua('return #answer.items'), 0)
      child:cmd('wincmd t')
      h.same(child:lua('return { source:is_available(), blink:enabled() }'), { false, false })
    end,
  },
  {
    'the health check names the plug-ins that go with this one, and both protocol versions',
    function()
      local w = h.world():user({})
      h.write(w.folder .. '/pack/lua/cmp/init.lua', 'error("a health check loads nobody")')
      local child = w:nvim()
      child:cmd('set runtimepath+=' .. w.folder .. '/pack')
      child:cmd('Codebot health')
      local text = table.concat(child:lines(), '\n')
      h.has(text, 'nvim-cmp: its source codebot completes')
      h.lacks(text, 'blink.cmp')
      h.has(text, 'both speak protocol version 1')
    end,
  },
}
