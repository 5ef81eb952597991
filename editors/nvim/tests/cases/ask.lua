local h = require('harness')
local elicit = require('codebot.mcp.elicit')
local prompts = require('codebot.mcp.prompts')

return {
  {
    'the fields of a form come in one order, the required ones first',
    function()
      local fields = elicit.fields({
        properties = { zeta = { type = 'string' }, alpha = { type = 'string' }, name = { type = 'string' } },
        required = { 'name', 'gone' },
      })
      h.same(
        vim.tbl_map(function(field)
          return field.name .. (field.required and '!' or '')
        end, fields),
        { 'name!', 'alpha', 'zeta' }
      )
      h.same(elicit.fields({}), {})
      h.same(elicit.fields({ properties = 5 }), {})
    end,
  },
  {
    'what is typed into a field is read by its type, or the mistake is named',
    function()
      for _, case in ipairs({
        { { type = 'integer', minimum = 1, maximum = 9 }, '7', 7 },
        { { type = 'integer' }, '7.5', nil, 'no whole number' },
        { { type = 'integer', minimum = 1 }, '0', nil, 'at least 1' },
        { { type = 'number', maximum = 2 }, '2.5', nil, 'at most 2' },
        { { type = 'number' }, 'many', nil, 'no number' },
        { { type = 'string', minLength = 3 }, '你好', nil, 'at least 3 characters' },
        { { type = 'string', maxLength = 2 }, '你好', '你好' },
        { { type = 'string', format = 'email' }, 'a@b.test', 'a@b.test' },
        { { type = 'string', format = 'email' }, 'nobody', nil, 'form email' },
        { { type = 'string', format = 'date' }, '2026-12-01', '2026-12-01' },
        { { type = 'string', format = 'made-up' }, 'anything', 'anything' },
      }) do
        local value, problem = elicit.parse(case[1], case[2])
        h.same(value, case[3])
        if case[4] then
          h.has(problem or 'no problem', case[4])
        end
      end
    end,
  },
  {
    'the choices of a field are read in all the ways that servers write them',
    function()
      local want = { { value = 'a', name = 'First' }, { value = 'b', name = 'Second' } }
      h.same(elicit.choices({ enum = { 'a', 'b' }, enumNames = { 'First', 'Second' } }), want)
      h.same(
        elicit.choices({ oneOf = { { const = 'a', title = 'First' }, { const = 'b', title = 'Second' } } }),
        want
      )
      h.same(elicit.choices({ enum = { 'a' } }), { { value = 'a', name = 'a' } })
      h.same(elicit.choices({ type = 'string' }), nil)
    end,
  },
  {
    'the host of a page is what stands behind a user name, not the name',
    function()
      h.same(elicit.host('https://good.test@evil.test/login?x=1'), 'evil.test')
      h.same(elicit.host('https://good.test:8443/a'), 'good.test:8443')
    end,
  },
  {
    'arguments of a prompt stand on its line so that they are one word each',
    function()
      local prompt = {
        command = 'mcp__docs__review',
        arguments = { { name = 'path' }, { name = 'focus' }, { name = 'left_out' } },
      }
      h.same(
        prompts.command(prompt, { path = 'src/a.go', focus = 'say "hi" to $HOME' }),
        '/mcp__docs__review path=src/a.go focus="say \\"hi\\" to \\$HOME"'
      )
    end,
  },
}
