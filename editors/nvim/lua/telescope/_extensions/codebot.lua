-- :Telescope codebot lists the kept sessions; <CR> goes on with one.
local function sessions(opts)
  opts = opts or {}
  require('codebot.session').list(function(err, infos)
    if err then
      return require('codebot.client').complain(err)
    end
    local pick = require('codebot.pick')
    local actions, state = require('telescope.actions'), require('telescope.actions.state')
    require('telescope.pickers')
      .new(opts, {
        prompt_title = require('codebot.text')('Session'),
        finder = require('telescope.finders').new_table({
          results = infos,
          entry_maker = function(info)
            local text = pick.describe_session(info)
            return { value = info, display = text, ordinal = text }
          end,
        }),
        sorter = require('telescope.config').values.generic_sorter(opts),
        attach_mappings = function(prompt)
          actions.select_default:replace(function()
            local entry = state.get_selected_entry()
            actions.close(prompt)
            if entry then
              require('codebot.chat').load(entry.value.sessionId)
            end
          end)
          return true
        end,
      })
      :find()
  end)
end

return require('telescope').register_extension({ exports = { codebot = sessions, sessions = sessions } })
