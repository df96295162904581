-- What most calls of work do without, made once in a call: a function costs more to make than to run. So there are few where few
-- suffice; who asks these for another one is given all. From then on nobody uses the few: what they have seen is theirs, and written.
-- Needs: lib_few lib_carried
-- Within: everything work_everything
-- Within: few_functions work_gates
local all, few
seldom = function()
  if all then return all end
  if few_suffice and few then return few end
  if few_suffice then
    few = setmetatable(few_functions(), {__index = function(_, name)
      few_suffice = false
      return seldom()[name]
    end})
    return few
  end
  all = everything()
  for name in pairs(few or {}) do few[name] = nil end
  return all
end
return seldom()
