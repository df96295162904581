-- clean, history lists.
-- Needs: lib_many lib_histories lib_untold clean_drop

local function drop_over(id, value, q)
  if is_untold(id, value) then return false end
  if not drop(id, value, q) then return false end
  if is_young(value) and leave_untold(id, value) then spent = spent + 0.5 end
  return true
end

local function clean_history(key, retention, limit)
  local list = sub(key, #prefix + 9)
  while spent < limit do
    local entry = call('LINDEX', key, 0)
    local finished = entry and number_at(entry, #entry - 5, 6)
    if not entry or finished + retention > now or not drop_all(entry, limit, drop_over) then break end
    pop_entry(key, entry)
  end
  if call('EXISTS', key) == 0 then forget_list(list) end
end
