-- requests: counts one of those that go by a name, unless as many were counted in the time before it, or takes one back;
-- core/request_rules.cpp says the same.
-- Keys:    the shard's; `requests:<name>`
-- Args:    how many at most, in this time (us), how long the time of an entry is (us), mark of the one that is taken back (0: none)
-- Returns: 'ok', now, mark of the one that was counted (0: it would be one too many, or one was taken back), in how many us there
--          is room for another one
-- Cost:    O(entries), some 128 at most
-- `requests:<name>` is a hash: last us of a time, how many requests it had. It expires.
-- Needs:   lib_there lib_queues
local requests, most, per, width, back = KEYS[#KEYS], tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4]
free_first()
if back ~= '0' then
  local times = tonumber(call('HGET', requests, back) or 0)
  if times > 1 then
    call('HINCRBY', requests, back, -1)
  else
    call('HDEL', requests, back)
  end
  return {'ok', now, 0, 0}
end
local all, counted, kept, over = call('HGETALL', requests), 0, {}, {}
for i = 1, #all, 2 do
  local till, times = tonumber(all[i]), tonumber(all[i + 1])
  -- Of a clock that was set back by more than that time nothing counts either.
  if till <= micros - per or till - micros > per then
    over[#over + 1] = all[i]
  else
    kept[#kept + 1] = {till, times}
    counted = counted + times
  end
end
if #over > 0 then call('HDEL', requests, unpack(over)) end
if counted >= most then
  table.sort(kept, function(a, b) return a[1] < b[1] end)
  local opens = per
  for _, one in ipairs(kept) do
    counted = counted - one[2]
    if counted < most then
      opens = one[1] + per - micros
      break
    end
  end
  return {'ok', now, 0, digits(opens)}
end
local till = digits((math.floor(micros / width) + 1) * width - 1)
call('HINCRBY', requests, till, 1)
call('PEXPIRE', requests, digits(math.ceil((per + width) / 1000) + 1))
return {'ok', now, till, 0}
