--- Several of a list, with vim.ui.select, which knows only one.
local t = require('codebot.text')

---@generic T
---@param items T[]
---@param opts {prompt: string, kind: string, done: string, format: fun(item: T): string}
---@param chosen table<T, true> what is chosen to begin with
---@param callback fun(chosen: T[]|nil) nil when the person left
return function(items, opts, chosen, callback)
  local all = {} ---@type {item: any, done: boolean}[]
  for _, item in ipairs(items) do
    all[#all + 1] = { item = item, done = false }
  end
  table.insert(all, 1, { done = true })
  local function again()
    vim.ui.select(all, {
      prompt = opts.prompt,
      kind = opts.kind,
      format_item = function(row)
        return row.done and t(opts.done) or (chosen[row.item] and '[x] ' or '[ ] ') .. opts.format(row.item)
      end,
    }, function(row)
      if not row then
        return callback(nil)
      elseif not row.done then
        chosen[row.item] = not chosen[row.item] or nil
        return again()
      end
      callback(vim.tbl_filter(function(item)
        return chosen[item] == true
      end, items))
    end)
  end
  again()
end
