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
-- The end as watchers and finders get it: 13 digits, outcome.
local function end_of(value) return sub(value, 2, 14) .. sub(value, 19, body_at(value) - 1) end
