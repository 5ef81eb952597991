local h = require('harness')
local clean = require('codebot.clean')
local json = require('codebot.json')
local config = require('codebot.config')
local render = require('codebot.chat.render')

--- All Lua files of the plug-in.
local function sources()
  return vim.fn.globpath(h.plugin, '{lua,plugin,lsp}/**/*.lua', false, true)
end

return {
  {
    'what cannot be seen is dropped or written out',
    function()
      h.same(clean.text('a\27[31mb\0c\226\128\174d\n\te\194\133'), 'abcd\n\te')
      h.same(clean.visible('rm \226\128\174x\27'), 'rm \\u{202e}x\\u{1b}')
      h.same(clean.text('中文 👩‍👩‍👧 é'), '中文 👩‍👩‍👧 é')
      h.same(clean.text('\243\160\129\136hidden'), 'hidden')
      h.same(clean.line('  a\n b\t\tc '), 'a b c')
      h.same(clean.lines('a\r\nb\226\128\168c'), { 'a', 'b', 'c' })
    end,
  },
  {
    'JSON for people has sorted keys and no needless escapes',
    function()
      h.same(json.lines({ b = { 1, 2.5 }, a = 'x/y "z"', c = vim.empty_dict(), d = {} }), {
        '{',
        '  "a": "x/y \\"z\\"",',
        '  "b": [',
        '    1,',
        '    2.5',
        '  ],',
        '  "c": {},',
        '  "d": []',
        '}',
      })
      h.same(json.line({ query = '中文', n = { 1 } }), '{"n": [1], "query": "中文"}')
      h.same(json.line(vim.NIL), 'null')
    end,
  },
  {
    'a wrong option is named and left at its default',
    function()
      local got, problems = config.resolve({
        window = { layout = 'middle', size = 0.5, sise = 1 },
        notify = 3,
        keys = { submit = false, dance = 'x' },
        cmd = 'codebot-ls',
        colour = true,
      })
      h.same(got.window.layout, 'right')
      h.same(got.window.size, 0.5)
      h.same(got.keys.submit, false)
      h.same(got.cmd, nil)
      local all = table.concat(problems, '\n')
      for _, words in ipairs({
        'window.layout must be one of right',
        'window.sise is not',
        'notify must be a table',
        'keys.dance',
        'cmd must be a list',
        'colour is not',
      }) do
        h.has(all, words)
      end
      h.same(#problems, 6)
      local _, none = config.resolve(nil)
      h.same(none, {})
    end,
  },
  {
    'output cannot leave its fence, nor a prompt its quote',
    function()
      local block = {
        kind = 'tool',
        text = '',
        done = true,
        call = {
          toolCallId = '1',
          title = 'a\nb',
          status = 'completed',
          content = {
            { type = 'content', content = { type = 'text', text = '```\n````\n# vim: set ft=lua:' } },
          },
        },
      }
      local lines = render.block(block).lines
      h.same(lines, { '✓ a b', '`````', '```', '````', '# vim: set ft=lua:', '`````', '' })
      h.same(render.block({ kind = 'user', text = '```\nx' }).lines, { '> ```', '> x', '' })
      h.same(
        render.block({ kind = 'agent', text = '```lua\nx', done = true }).lines,
        { '```lua', 'x', '```', '' }
      )
      h.same(
        render.block({ kind = 'agent', text = '```lua\nx\n```\n\n', done = true }).lines,
        { '```lua', 'x', '```', '' }
      )
    end,
  },
  {
    'long output is cut and counted',
    function()
      local block = {
        kind = 'tool',
        text = '',
        call = {
          toolCallId = '1',
          title = 'x',
          status = 'completed',
          content = { { type = 'content', content = { type = 'text', text = ('line\n'):rep(1000) } } },
        },
      }
      local lines = render.block(block).lines
      assert(#lines < 300, #lines .. ' lines')
      h.has(table.concat(lines, '\n'), '800')
    end,
  },
  {
    'wide characters are cut and counted by cells',
    function()
      h.same(render.shorten('中文字符很长', 7), '中文字…')
      h.same(render.shorten('short', 7), 'short')
      local rows = {
        {
          name = '文档',
          state = 'connected',
          toolCount = 2,
          transport = 'stdio',
          source = 'file:///a',
          scope = 'user',
          resourceCount = 1,
          promptCount = 0,
        },
        {
          name = 'deploy',
          state = 'connected',
          toolCount = 10,
          transport = 'stdio',
          source = 'file:///a',
          scope = 'user',
          resourceCount = 0,
          promptCount = 3,
        },
      }
      local lines = require('codebot.mcp.window').render(rows, { connected = 2, failed = 0, tools = 12 })
      local function column(line)
        return vim.fn.strdisplaywidth(line:match('^(.-)connected'))
      end
      h.same(column(lines[3]), column(lines[4]))
    end,
  },
  {
    'a diff is shown as one, of a new file too',
    function()
      local lines = render.diff_lines({ path = '/a b.txt', oldText = 'one\ntwo\n', newText = 'one\n2' })
      h.same(lines, { '+++ /a b.txt', '@@ -1,2 +1,2 @@', ' one', '-two', '+2' })
      h.same(render.diff_lines({ path = '/n', newText = 'x' }), { '+++ /n', '@@ -0,0 +1 @@', '+x' })
    end,
  },
  {
    'consent shows the exact command, one argument a line, nothing hidden',
    function()
      local lines = require('codebot.mcp.consent').render({
        name = 'x',
        source = 'file:///p/.codebot/settings.json',
        consent = {
          hash = 'h',
          argv = { 'sh', '-c', 'rm -rf ~ #\226\128\174', '' },
          cwd = '/p',
          envNames = { 'A' },
          variables = { 'GITHUB_TOKEN' },
          url = '',
        },
      })
      local text = table.concat(lines, '\n')
      h.has(text, '    sh\n    -c\n    "rm -rf ~ #\\u{202e}"\n    ""\n')
      h.has(text, 'GITHUB_TOKEN')
    end,
  },
  {
    'the line of an entry is found in its settings file',
    function()
      local w = h.world()
      local path = w:write(
        's.json',
        '{\n  // "docs": a comment before\n  "model": "docs",\n  "mcp_servers": {\n    "x": {},\n    "docs" : {}\n  }\n}\n'
      )
      h.same(require('codebot.mcp.window').entry_line(path, 'docs'), 6)
      h.same(require('codebot.mcp.window').entry_line(path, 'none'), nil)
    end,
  },
  {
    'arguments begin with what the schema requires',
    function()
      local template = require('codebot.mcp.tools').template({
        required = { 'a', 'b', 'c' },
        properties = {
          a = { type = 'string' },
          b = { type = 'integer', default = 7 },
          c = { enum = { 'x', 'y' } },
        },
      })
      h.same({ a = template.a, b = template.b, c = template.c }, { a = '', b = 7, c = 'x' })
    end,
  },
  {
    'every text has its Chinese, and no translation is left over',
    function()
      local zh = require('codebot.text_zh')
      local seen = {}
      local function formats(s)
        local out = {}
        for spec in s:gmatch('%%[%d.]*%a') do
          out[#out + 1] = spec
        end
        return out
      end
      for _, path in ipairs(sources()) do
        local code = h.read(path)
        if not path:find('text_zh') then
          for key in pairs(zh) do
            if code:find("'" .. key .. "'", 1, true) then
              seen[key] = true
            end
          end
          for _, pattern in ipairs({
            "[^%w_]t%(%s*'(.-)'",
            "require%('codebot%.text'%)%(%s*'(.-)'",
            "t%.count%('(.-)'",
            "t%.count%('.-', '(.-)'",
          }) do
            for key in code:gmatch(pattern) do
              assert(zh[key], ('%s has no Chinese for %q'):format(path, key))
            end
          end
        end
      end
      for key, text in pairs(zh) do
        assert(seen[key], ('%q is translated and used nowhere'):format(key))
        h.same(formats(text), formats(key))
      end
    end,
  },
  {
    'methods are named by the generated file alone',
    function()
      for _, path in ipairs(sources()) do
        if not path:find('protocol_gen') then
          for line in h.read(path):gmatch('[^\n]+') do
            if not line:find('^%s*%-%-') and line:find('[\'"]codebot/') then
              error(path .. ': ' .. line)
            end
          end
        end
      end
    end,
  },
  {
    'what is installed by LuaRocks is all that the plug-in is made of',
    function()
      local spec = {}
      setfenv(assert(loadfile(h.plugin .. '/codebot.nvim-scm-1.rockspec')), spec)()
      local copied = vim.list_extend({ 'lua' }, spec.build.copy_directories)
      for name, kind in vim.fs.dir(h.plugin) do
        if kind == 'directory' and name ~= 'tests' and name ~= 'scripts' and name ~= 'bin' then
          assert(vim.tbl_contains(copied, name), name .. ' is left out')
        end
      end
      assert(spec.package .. '-' .. spec.version == 'codebot.nvim-scm-1')
    end,
  },
  {
    'the archive of a release is named for the machine, and its sum is found',
    function()
      local build = require('codebot.build')
      local function archive(sysname, machine)
        return build.archive({ sysname = sysname, machine = machine })
      end
      h.same(archive('Linux', 'x86_64'), 'codebot-ls_linux_amd64.tar.gz')
      h.same(archive('Darwin', 'arm64'), 'codebot-ls_darwin_arm64.tar.gz')
      h.same(archive('Windows_NT', 'x86_64'), 'codebot-ls_windows_amd64.tar.gz')
      h.same(archive('Linux', 'riscv64'), nil)
      local sum = ('a1'):rep(32)
      local sums = ('0'):rep(64) .. '  other.tar.gz\n' .. sum:upper() .. ' *mine.tar.gz\r\n'
      h.same(build.sum(sums, 'mine.tar.gz'), sum)
      h.same(build.sum(sums, 'tar.gz'), nil)
    end,
  },
  {
    'words of a command are taken apart as a shell would',
    function()
      local add = require('codebot.mcp.add')
      h.same(
        add.entry('npx -y "a b" c\\ d \'$HOME "x"\''),
        { command = 'npx', args = { '-y', 'a b', 'c d', '$HOME "x"' } }
      )
      h.same(add.entry('server'), { command = 'server' })
      h.same(add.entry(' https://example.test/mcp '), { url = 'https://example.test/mcp' })
      h.same(add.entry('a "b'), nil)
      h.same(add.words('a "" b'), { 'a', '', 'b' })
    end,
  },
  {
    'the components of status lines show text and colour of the status, and load nothing else',
    function()
      local child = h.world():nvim()
      child:lua([[
        vim.g.codebot_status = { text = 'codebot 1/2', health = 'warning', busy = false }
        package.preload['lualine.component'] = function()
          local base = { init = function(self, options) self.options = options end }
          base.__index = base
          function base:extend() return setmetatable({ super = base }, base) end
          return base
        end
        lualine = require('lualine.components.codebot')
        self = setmetatable({}, { __index = lualine })
        lualine.init(self, {})
        heirline = require('codebot.heirline')
      ]])
      h.same(child:lua('return { heirline.condition(), heirline.provider(), heirline.hl() }'), {
        true,
        'codebot 1/2 !',
        'DiagnosticWarn',
      })
      h.same(
        child:lua('return { lualine.update_status(self), self.options.color() }'),
        { 'codebot 1/2 !', 'DiagnosticWarn' }
      )
      child:lua('vim.g.codebot_status = nil')
      h.same(child:lua('return { heirline.condition(), heirline.provider(), lualine.update_status(self) }'), {
        false,
        '',
        '',
      })
      local loaded = child:lua([[
        local names = {}
        for name in pairs(package.loaded) do
          if name:find('^codebot') then names[#names + 1] = name end
        end
        table.sort(names)
        return names
      ]])
      h.same(loaded, { 'codebot', 'codebot.heirline' })
      child:lua('self.options.on_click()')
      child:wait('the window', "return vim.bo.filetype == 'codebot-mcp'")
    end,
  },
  {
    'the reference of the help is as the code has it, and names every event',
    function()
      local help = h.read(h.plugin .. '/doc/codebot.txt')
      local doc = h.world().base .. '/doc'
      h.write(doc .. '/codebot.txt', help)
      vim.cmd.helptags(doc) -- fails for a tag that is there twice
      h.has(h.read(doc .. '/tags'), 'codebot-permission')
      local reference = dofile(h.plugin .. '/scripts/help.lua')
      assert(reference.render(h.plugin, help) == help, 'doc/codebot.txt is stale: run make generate')
      for _, path in ipairs(sources()) do
        for name in h.read(path):gmatch("fire%('(%w+)'") do
          h.has(help, 'Codebot' .. name)
        end
      end
    end,
  },
}
