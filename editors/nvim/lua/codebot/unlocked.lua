--- While a completion function waits for the server, Neovim runs what is scheduled and lets
--- none of it change a text (E565, see textlock). Such things wait here, in their order.
local queue = {} ---@type fun()[]
local probe = -1

local function locked()
  if not vim.api.nvim_buf_is_valid(probe) then
    local ok, buf = pcall(vim.api.nvim_create_buf, false, true)
    if not ok then
      return true
    end
    probe = buf
  end
  return not pcall(vim.api.nvim_buf_set_lines, probe, 0, -1, false, {})
end

--- How long until it is tried again, in ms.
local pause_ms = 20

local function flush()
  if locked() then
    return vim.defer_fn(flush, pause_ms)
  end
  local actions = queue
  queue = {}
  for _, action in ipairs(actions) do
    action()
  end
end

--- Runs the action now, or as soon as texts may be changed again.
---@param action fun()
return function(action)
  if #queue == 0 and not locked() then
    return action()
  end
  queue[#queue + 1] = action
  if #queue == 1 then
    vim.defer_fn(flush, pause_ms)
  end
end
