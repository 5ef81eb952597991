--- Brings the server: made with Go where its source is beside the plug-in, else taken from
--- a release. Nothing is fetched unless a person or a plug-in manager asks for it.
local t = require('codebot.text')

local M = {}

--- Where releases are. An archive is named codebot-ls_<system>_<processor>.tar.gz, and
--- SHA256SUMS beside it has a line for each.
M.releases = 'https://github.com/codebot-ls/codebot-ls/releases/latest/download'

local plugin = vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p:h:h:h')

--- The name of this machine's archive, in Go's words; nil where there is none.
---@param uname {sysname: string, machine: string}
---@return string|nil
function M.archive(uname)
  local system = ({ Linux = 'linux', Darwin = 'darwin', Windows_NT = 'windows' })[uname.sysname]
    or uname.sysname:find('MINGW') and 'windows'
  local processor = ({ x86_64 = 'amd64', amd64 = 'amd64', aarch64 = 'arm64', arm64 = 'arm64' })[uname.machine]
  return system and processor and ('codebot-ls_%s_%s.tar.gz'):format(system, processor) or nil
end

--- The sum that a SHA256SUMS file gives for an archive.
---@param sums string
---@param name string
---@return string|nil
function M.sum(sums, name)
  for line in sums:gmatch('[^\r\n]+') do
    local sum, file = line:match('^(%x+)%s+%*?(%S+)$')
    if file == name and #sum == 64 then
      return sum:lower()
    end
  end
end

---@param text string
---@param level? integer
local function tell(text, level)
  vim.notify('codebot: ' .. text, level)
end

---@param cmd string[]
---@param cwd string
---@param done fun(problem: string|nil, out: string)
local function run(cmd, cwd, done)
  local ok, err = pcall(vim.system, cmd, { cwd = cwd, text = false }, function(result)
    vim.schedule(function()
      local problem = result.code ~= 0 and vim.trim(result.stderr or '') or nil
      done(problem and require('codebot.clean').line(('%s: %s'):format(cmd[1], problem)), result.stdout or '')
    end)
  end)
  if not ok then
    done(tostring(err), '')
  end
end

--- The SHA-256 of a file; nil where nothing here can tell it.
---@param path string
---@return string|nil
function M.sha256(path)
  -- Before 0.11 Neovim takes no bytes here, only text.
  local ok, sum = pcall(vim.fn.sha256, vim.fn.readblob(path))
  if ok then
    return sum
  end
  for _, cmd in ipairs({ { 'sha256sum' }, { 'shasum', '-a', '256' }, { 'openssl', 'dgst', '-sha256', '-r' } }) do
    if vim.fn.executable(cmd[1]) == 1 then
      local done = vim.system(vim.list_extend(cmd, { path }), { text = true }):wait()
      return done.code == 0 and done.stdout:match('^\\?(%x+)') or nil
    end
  end
end

--- The repository that the plug-in is in, when it is there with its source.
---@return string|nil
local function source()
  local root = vim.fs.dirname(vim.fs.dirname(plugin))
  local there = vim.uv.fs_stat(vim.fs.joinpath(root, 'go.mod'))
    and vim.uv.fs_stat(vim.fs.joinpath(root, 'cmd'))
  return there and root or nil
end

---@param url string
---@param done fun(problem: string|nil, path: string)
local function take(url, done)
  local name = M.archive(vim.uv.os_uname())
  if not name then
    return done(t('there is no release for this machine; build it with Go'), '')
  end
  local dir = vim.fn.tempname()
  vim.fn.mkdir(dir, 'p')
  local function get(file, after)
    run({ 'curl', '-fsSL', '--proto-redir', '=https', '-o', file, url .. '/' .. file }, dir, after)
  end
  local function finish(problem, path)
    vim.fn.delete(dir, 'rf')
    done(problem, path or '')
  end
  local function read(file)
    local handle = assert(io.open(vim.fs.joinpath(dir, file), 'rb'))
    local data = handle:read('*a')
    handle:close()
    return data
  end
  get('SHA256SUMS', function(problem)
    if problem then
      return finish(problem)
    end
    local want = M.sum(read('SHA256SUMS'), name)
    if not want then
      return finish(t('the release has no sum for %s', name))
    end
    get(name, function(get_problem)
      if get_problem then
        return finish(get_problem)
      elseif M.sha256(vim.fs.joinpath(dir, name)) ~= want then
        return finish(t('%s is not what its sum says; nothing was kept', name))
      end
      run({ 'tar', '-xzf', name }, dir, function(tar_problem)
        local program = vim.fn.has('win32') == 1 and 'codebot-ls.exe' or 'codebot-ls'
        local from, bin = vim.fs.joinpath(dir, program), vim.fs.joinpath(plugin, 'bin')
        if tar_problem or not vim.uv.fs_stat(from) then
          return finish(tar_problem or t('the archive has no %s in it', program))
        end
        vim.fn.mkdir(bin, 'p')
        local path = vim.fs.joinpath(bin, program)
        -- Beside it first: a program that runs is replaced whole.
        local copied, why = vim.uv.fs_copyfile(from, path .. '.new')
        if copied then
          vim.uv.fs_chmod(path .. '.new', 493) -- 0755
          copied, why = vim.uv.fs_rename(path .. '.new', path)
        end
        finish(not copied and why or nil, path)
      end)
    end)
  end)
end

--- Makes or takes the server, and says how it went.
---@param opts? {go?: boolean, url?: string} go = false takes a release where Go is there too
---@param done? fun(problem: string|nil, path: string)
function M.run(opts, done)
  opts = opts or {}
  -- The help is no file of the repository that a plug-in manager makes tags of.
  pcall(vim.cmd.helptags, vim.fs.joinpath(plugin, 'doc'))
  local function ended(problem, path)
    if problem then
      tell(problem, vim.log.levels.ERROR)
    else
      tell(t('%s is there; :Codebot restart uses it', path))
    end
    if done then
      done(problem, path)
    end
  end
  local root = opts.go ~= false and vim.fn.executable('go') == 1 and source()
  if not root then
    tell(t('taking a release...'))
    return take(opts.url or M.releases, ended)
  end
  tell(t('building with Go...'))
  local program = vim.fs.joinpath(root, 'bin', vim.fn.has('win32') == 1 and 'codebot-ls.exe' or 'codebot-ls')
  run({ 'go', 'build', '-trimpath', '-o', program, './cmd/codebot-ls' }, root, function(problem)
    ended(problem, program)
  end)
end

return M
