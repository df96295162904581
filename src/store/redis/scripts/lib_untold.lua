-- A trace of what is deleted young where its submitter cannot tell by himself that its retention is over: his body does not say
-- how long it is kept, or longer than it was. A submitter who knows of less than an hour says so (client/prepared_submission).
-- Needs: lib_record lib_deleted lib_body
-- Gives: leave_untold is_young
-- Of very many the mark says it: of what was submitted up to then nobody can tell any more whether it was lost.
local most_untold = 100000
-- True when it left one, or the mark.
function leave_untold(id, value)
  local said, life = retention_of(body_of(value)), life_of(value)
  if said and said <= number_at(value, 26, 6) then return false end
  if call('ZCARD', buried) < most_untold then leave_trace(id, life) else mark_deleted(number_at(life, 1, 6)) end
  return true
end

function is_young(value) return number_at(life_of(value), 1, 6) > now - trace_ms end
