--- Waits within a handler of a request. Neovim runs such a handler in a coroutine of its
--- own, so nothing is held up.
---@generic T
---@param begin fun(done: fun(result: T))
---@return T
return function(begin)
  local co = assert(coroutine.running())
  local answered = false
  -- Whoever is asked may answer at once; the coroutine has to wait by then.
  vim.schedule(function()
    begin(function(result)
      if not answered then
        answered = true
        local ok, err = coroutine.resume(co, result)
        if not ok then
          error(err)
        end
      end
    end)
  end)
  return coroutine.yield()
end
