-- promote, what was not started in time.
-- Needs: lib_started lib_entry lib_out lib_body lib_bury
-- Gives: room expire

-- What this call may still do: one that expires counts as twenty that fall due.
room = tonumber(ARGV[2])

-- An id may stand in the expiry set for a life that has ended or is in another queue: the body counts.
local function expires(id, body, q)
  return body and not is_ended(body) and math.floor(byte(body, 2) / 8) % 2 == 1 and queue_of(body) == q
    and not started(id)
end

function expire(q)
  local most = math.ceil(room / 20)
  local ids, count = call('ZRANGE', expiry_of(q), '-inf', now, 'BYSCORE', 'LIMIT', 0, most), 0
  room = math.max(room - 20 * #ids, 0)
  for i = 1, #ids do
    local body = call('HGET', tasks, ids[i])
    call('ZREM', expiry_of(q), ids[i])
    if expires(ids[i], body, q) then
      take_out(q, ids[i], body, call('HEXISTS', notes, ids[i]) == 1)
      bury(q, ids[i], body, kept_as(ARGV[3], body))
      count = count + 1
    end
  end
  return count
end
