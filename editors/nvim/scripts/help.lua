-- Writes the reference sections of doc/codebot.txt from the code: commands, keys, options,
-- the status variable, events and highlights. What is between them is written by hand.
-- Plain Lua: it runs in Neovim, where a test compares, and without it in `make generate`.
local M = {}

local width = 78

---@param path string
local function read(path)
  local file = assert(io.open(path, 'rb'))
  local text = file:read('*a')
  file:close()
  return (text:gsub('\r\n', '\n'))
end

--- The words of a text; what stands in backticks is one.
---@param text string
local function words(text)
  local out, open = {}, nil
  for word in text:gmatch('%S+') do
    if open then
      open = open .. ' ' .. word
    else
      open = word
    end
    local _, ticks = open:gsub('`', '')
    if ticks % 2 == 0 then
      out[#out + 1] = open
      open = nil
    end
  end
  if open then
    out[#out + 1] = open
  end
  return out
end

--- Lines of a text that begin at a column, in tabs of eight.
---@param text string
---@param column integer
---@return string[]
local function wrap(text, column)
  local lines, line = {}, ''
  for _, word in ipairs(words(text)) do
    if line ~= '' and column + #line + 1 + #word > width then
      lines[#lines + 1] = line
      line = ''
    end
    line = line == '' and word or line .. ' ' .. word
  end
  if line ~= '' then
    lines[#lines + 1] = line
  end
  return lines
end

--- Pads a text with tabs to a column that is a multiple of eight.
---@param s string
---@param column integer
local function pad(s, column)
  local tabs = math.max(1, math.ceil((column - #s) / 8))
  return s .. ('\t'):rep(tabs)
end

---@param out string[]
---@param head string
---@param text string
---@param column integer
local function entry(out, head, text, column)
  local lines = wrap(text, column)
  if #head >= column then
    out[#out + 1] = head
  else
    out[#out + 1] = pad(head, column) .. table.remove(lines, 1)
  end
  for _, line in ipairs(lines) do
    out[#out + 1] = ('\t'):rep(column / 8) .. line
  end
end

---@param title string
---@param tag string
local function heading(title, tag)
  tag = '*' .. tag .. '*'
  return { ('='):rep(width), pad(title, 56) .. tag }
end

---@param t table
---@return string[]
local function sorted(t)
  local keys = {}
  for key in pairs(t) do
    keys[#keys + 1] = key
  end
  table.sort(keys)
  return keys
end

--- The sub-commands in the order in which they stand in the code.
---@param dir string
---@param known table<string, any>
local function in_order(dir, known)
  local order, seen = {}, {}
  local code = read(dir .. '/lua/codebot/command.lua')
  code = code:sub((assert(code:find('local commands = {', 1, true))))
  for name in code:gmatch('\n  ([%w_]+) = {\n') do
    if known[name] and not seen[name] then
      seen[name] = true
      order[#order + 1] = name
    end
  end
  return order
end

---@param dir string
local function commands(dir)
  local out = heading('COMMANDS', ':Codebot')
  local all = require('codebot.command').commands
  out[#out + 1] = ''
  for _, name in ipairs(in_order(dir, all)) do
    local command = all[name]
    entry(out, (':Codebot %s %s'):format(name, command.args):gsub(' $', ''), command.help, 32)
  end
  for _, line in ipairs({
    '',
    '\t\t\t\t\t\t\t*codebot-plug*',
    "There are no keys outside the plug-in's own buffers. Map these: >lua",
    "    vim.keymap.set('n', '<leader>cc', '<Plug>(codebot-toggle)')",
    "    vim.keymap.set({ 'n', 'x' }, '<leader>ca', '<Plug>(codebot-ask)')",
    '<',
  }) do
    out[#out + 1] = line
  end
  local code, maps = read(dir .. '/plugin/codebot.lua'), {}
  for list in code:gmatch('in ipairs%(%{(.-)%}%)') do
    for name in list:gmatch("'(%w+)'") do
      maps['<Plug>(codebot-' .. name .. ')'] = true
    end
  end
  for map in code:gmatch("'(<Plug>%(codebot%-%w+%))'") do
    maps[map] = true
  end
  for _, line in ipairs(wrap(table.concat(sorted(maps), ', '), 0)) do
    out[#out + 1] = line
  end
  return out
end

local function keys()
  local out = heading('KEYS', 'codebot-keys')
  for _, line in ipairs({
    '',
    'Each key has a name, by which `vim.g.codebot.keys` changes it or, with false,',
    'takes it away.',
    '',
    pad('name', 16) .. pad('default', 16) .. 'where and what ~',
  }) do
    out[#out + 1] = line
  end
  for _, key in ipairs(require('codebot.config').keys) do
    entry(out, pad(key[1], 16) .. key[2], key[3] .. ': ' .. key[4], 32)
  end
  return out
end

--- The fields of a class as its annotations have them.
---@param code string
---@param class string
---@return {name: string, type: string, text: string}[]
function M.fields(code, class)
  local at =
    assert(code:find('%-%-%-@class [^\n]-' .. class:gsub('%.', '%%.') .. '\n'), class .. ' is not there')
  local fields = {}
  for line in code:sub(at):gmatch('([^\n]*)\n') do
    local name, rest = line:match('^%-%-%-@field ([%w_]+)%??%s+(.*)$')
    if name then
      -- A type ends at the first space that is not within brackets.
      local depth, stop = 0, #rest + 1
      for i = 1, #rest do
        local c = rest:sub(i, i)
        if c:find('[<({]') then
          depth = depth + 1
        elseif c:find('[>)}]') then
          depth = depth - 1
        elseif c == ' ' and depth == 0 and rest:sub(i - 1, i - 1) ~= ',' then
          stop = i
          break
        end
      end
      fields[#fields + 1] = { name = name, type = rest:sub(1, stop - 1), text = rest:sub(stop + 1) }
    elseif not line:find('^%-%-%-@class') then
      break
    end
  end
  return fields
end

---@param out string[]
---@param code string
---@param class string
---@param prefix string
local function options_of(out, code, class, prefix)
  for _, field in ipairs(M.fields(code, class)) do
    local inner = field.type:match('^codebot%.%w+Options$')
    out[#out + 1] = pad(prefix .. field.name, 40) .. '*g:codebot.' .. prefix .. field.name .. '*'
    if not inner then
      out[#out + 1] = '    ' .. field.type:gsub('"', '')
    end
    for _, line in ipairs(wrap(field.text, 4)) do
      out[#out + 1] = '    ' .. line
    end
    out[#out + 1] = ''
    if inner then
      options_of(out, code, inner, prefix .. field.name .. '.')
    end
  end
end

---@param dir string
local function options(dir)
  local out = heading('OPTIONS', 'codebot-options')
  for _, line in ipairs({
    '',
    'All are optional, in one table: >lua',
    "    vim.g.codebot = { window = { layout = 'float' }, keys = { yank = 'Y' } }",
    '<',
    'A wrong option is told once and by `:checkhealth codebot`, and left at its',
    'default.',
    '',
  }) do
    out[#out + 1] = line
  end
  options_of(out, read(dir .. '/lua/codebot/config.lua'), 'codebot.Options', '')
  out[#out] = nil
  return out
end

---@param dir string
local function status(dir)
  local out = heading('STATUS LINE AND EVENTS', 'codebot-status')
  out[#out + 1] = ''
  out[#out + 1] = '`vim.g.codebot_status` is nil while no server runs, and else has:'
  for _, field in ipairs(M.fields(read(dir .. '/lua/codebot/status.lua'), 'codebot.StatusVar')) do
    local text = field.type .. (field.text ~= '' and ', ' .. field.text or '')
    entry(out, '    ' .. field.name, text, 24)
  end
  for _, line in ipairs({
    '',
    'One text of it, which loads nothing: >vim',
    "    set statusline+=%{%v:lua.require'codebot'.statusline()%}",
    '<',
    'lualine.nvim and heirline.nvim have it as a component, in the colour of the',
    'health; a click opens the MCP servers: >lua',
    "    require('lualine').setup({ sections = { lualine_x = { 'codebot' } } })",
    "    require('heirline').setup({ statusline = { require('codebot.heirline') } })",
    '<',
    '\t\t\t\t\t\t\t*codebot-events*',
    '|User| autocommands, with `data` as named:',
  }) do
    out[#out + 1] = line
  end
  for _, event in ipairs(require('codebot.event').events) do
    entry(out, 'Codebot' .. event[1], table.concat(event[2], ', ') .. ': ' .. event[3], 24)
  end
  return out
end

local function highlights()
  local out = heading('HIGHLIGHTS', 'codebot-highlights')
  out[#out + 1] = ''
  out[#out + 1] = 'Linked to groups that every colour scheme has:'
  local links = require('codebot.highlight').links
  for _, name in ipairs(sorted(links)) do
    out[#out + 1] = pad(name, 24) .. links[name]
  end
  return out
end

--- The help as it should be.
---@param dir string folder of the plug-in
---@param text string the help as it is
---@return string
function M.render(dir, text)
  local made = {
    [':Codebot'] = commands(dir),
    ['codebot-keys'] = keys(),
    ['codebot-options'] = options(dir),
    ['codebot-status'] = status(dir),
    ['codebot-highlights'] = highlights(),
  }
  local out, bar, at = {}, ('='):rep(width) .. '\n', 1
  while at <= #text do
    local stop = text:find(bar, at + 1, true) or #text + 1
    local section = text:sub(at, stop - 1)
    local tag = section:sub(1, #bar) == bar and section:match('^=+\n[^\n]-%*([^%s*]+)%*\n')
    if tag and made[tag] then
      section = table.concat(made[tag], '\n') .. '\n\n'
      made[tag] = nil
    end
    out[#out + 1] = section
    at = stop
  end
  for tag in pairs(made) do
    error('the help has no section ' .. tag)
  end
  return table.concat(out)
end

--- Writes the help anew.
---@param dir string
function M.write(dir)
  local path = dir .. '/doc/codebot.txt'
  local text = M.render(dir, read(path))
  local file = assert(io.open(path, 'wb'))
  file:write(text)
  file:close()
end

return M
