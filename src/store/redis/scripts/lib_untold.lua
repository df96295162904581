-- A trace of what is deleted young where its submitter cannot tell by himself that its retention is over: his body does not say
-- how long it is kept, or longer than it was. A submitter who knows of less than an hour says so (client/prepared_submission).
-- Needs: lib_record lib_deleted lib_body
local function leave_untold(id, value)
  local said = retention_of(body_of(value))
  if not said or said > number_at(value, 26, 6) then leave_trace(id, life_of(value)) end
end

local function is_young(value) return number_at(life_of(value), 1, 6) > now - trace_ms end
