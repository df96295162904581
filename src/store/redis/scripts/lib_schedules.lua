-- Where schedules are kept: `schedules` id -> when it is to be looked at (ms), `schedule` id -> its record, `names` all of them
-- in the order of lists. A record is opaque but for its front: stamp (8), id of the last run (16, zeros before the first).
-- Needs: lib_many lib_record
local schedules, records, names = KEYS[#KEYS - 2], KEYS[#KEYS - 1], KEYS[#KEYS]

-- How the last run that a record names stands: '' nobody knows, 'o' it has not ended, 'e' and its end (ms).
local function last_run_of(record)
  local value = call('HGET', tasks, sub(record, 9, 24))
  -- What is left of a success (lib_remnant.lua) says no attempts.
  if not value or (is_ended(value) and state_letter(value) == 's' and byte(value, 38) == 0) then return '' end
  return is_ended(value) and 'e' .. sub(value, 2, 14) or 'o'
end

-- Who looks at the schedule that is next sleeps until then; the others ask half a second later whether it has been done: before the next
-- second's tick.
local function post()
  local when, who = string.match(call('HGET', control, 'scheduler') or '', '^(%d+) (.*)$')
  return tonumber(when), who
end
