-- Reading what `tasks` holds of a task that has ended; lib_mark.lua has its form.
-- Needs: lib_many

local function is_ended(value) return byte(value, 1) == 69 end
local function finished_at(value) return tonumber(sub(value, 2, 14)) end
local function state_letter(value) return sub(value, 19, 19) end
-- How long after its end an id goes on refusing duplicates (ms).
local function unique_for(value) return state_letter(value) == 's' and number_at(value, 20, 6) or 0 end
local function body_at(value) return is_ended(value) and 19 + number_at(value, 15, 4) or 1 end
local function body_of(value) return sub(value, body_at(value)) end
local function life_of(value)
  local at = body_at(value)
  return sub(value, at + 3, at + 10)
end
-- Where a body ends but for its gates (core/gates.hpp), and the schedule that a run names there.
local function end_before_gates(value)
  return byte(value, body_at(value) + 2) >= 128 and #value - 1 - 17 * byte(value, -1) or #value
end
local function schedule_of(value)
  local last = end_before_gates(value)
  return sub(value, last - 15, last)
end
-- The end as watchers and finders get it: 13 digits, outcome.
local function end_of(value) return sub(value, 2, 14) .. sub(value, 19, body_at(value) - 1) end
