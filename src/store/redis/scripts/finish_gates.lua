-- finish, usual successes of tasks that held gates (finish.lua says which).
-- Needs: lib_let_go lib_many lib_queues
local function report(spec, _, claim, count, at, ids, holders)
  local kept, fields, n = {}, {}, 0
  for i = 1, count do
    if holders[i] == claim then
      n = n + 1
      kept[n], fields[2 * n - 1], fields[2 * n] = ids[i], ids[i], ARGV[at + 2 + 2 * i]
    end
  end
  -- Also of one that is lost: it was cancelled, and its attempt has ended only now.
  free_slots(ids, claim)
  many('HDEL', own, kept, 1, n)
  many('HSET', tasks, fields, 1, 2 * n)
  local q, noted, expires = string.match(spec, '^%a+ (%d+) %d+ %d+ (%d) (%d)', 6)
  local unusual = n > 0 and (noted == '1' or expires == '1')
  return kept, unusual and {kind = 'end', q = tonumber(q), noted = noted == '1', expires = expires == '1'}
end

-- What else was kept of tasks that have ended.
local function forget_ends(run, ids)
  if run.noted then many('HDEL', notes, ids, 1, #ids) end
  if run.expires then many('ZREM', expiry_of(run.q), ids, 1, #ids) end
end
