-- work, second step: takes workers' reports, each only from the claim that holds the task.
-- Keys:    the shard's; six for each queue reported on; history lists of (queue, retention)
-- Args:    from `at`: runs of reports alike: spec, claim, count, (id, record) x count
--          spec: 'u' for the usual success (kept, without notes and expiry, reported first), else '-'; four
--          digits: position of its history among KEYS, 0: none; then
--          'kind queue priority time noted expires again strange tells gated'; kind: end, later, retry, aside, give, join, regroup; time: retention or
--          delay (ms); noted: the store holds notes; expires: the task is in the expiry set; again: it may have
--          been taken before; strange: some workers do not know its handler (lib_aside.lua); tells: of an end: the
--          schedule whose run it is is to hear of it; gated: it holds gates (lib_gates.lua)
--          record: notes, of an end what `tasks` is to hold (lib_mark.lua), of a join see finish_join.lua, of a regroup the body
-- Sets:    lost: positions of the reports whose claim was lost
-- Cost:    O(reports)
-- Whatever takes a working task from its claim ends the claim (recover) or marks all claims up to now as torn
-- (lib_torn.lua): of one that stands whole nobody needs to ask who holds its tasks when they are reported first.
-- Needs: lib_many lib_few
local limit, closed, lost = tonumber(ARGV[4]), tonumber(ARGV[11]), {}
local at, position, total = 12 + closed, 0, #ARGV
local at_first = at
-- last_claim is for lib_take.lua.
local watched_too, torn, last_claim = false, 0, nil
if at <= total then
  local known = call('HMGET', control, 'torn', 'claim')
  watched_too, torn, last_claim = call('HLEN', watched) > 1, tonumber(known[1] or 0), known[2]
end
if limit == 0 then call('HDEL', control, 'none') end  -- a claim does it, or begins with a write that frees
while at <= total do
  local spec, claim, count, ids = ARGV[at], ARGV[at + 1], tonumber(ARGV[at + 2]), {}
  for i = 1, count do ids[i] = ARGV[at + 1 + 2 * i] end
  local history, unusual, held = tonumber(sub(spec, 2, 5)), false, 0
  -- Of tasks that held gates the usual ones are a success that is kept, and tells no schedule.
  local usual = byte(spec) == 117
  local gated = not usual and history > 0 and sub(spec, 6, 9) == 'end ' and sub(spec, -3) == '0 1'
  local whole = (usual or gated and sub(spec, -11, -7) == '0 0 0') and not watched_too and count <= 4000
    and (torn == 0 or tonumber(string.match(claim, '^%d+')) > torn) and call('HEXISTS', claims, claim) == 1
  if whole then held = many('HDEL', own, ids, 1, count) end
  if held == count then
    if gated then
      few_suffice = true
      seldom().free_slots(ids, claim)
    end
    -- Successes that nobody waits for, all of this claim. Their records stay as they came.
    many('HSET', tasks, ARGV, at + 3, at + 2 + 2 * count)
  else
    few_suffice = gated and not watched_too and not whole
    local holders = whole and seldom().held_by(claim, ids) or hmget(own, ids)
    for i = 1, count do
      if holders[i] ~= claim then lost[#lost + 1] = position + i end
    end
    ids, unusual = seldom().report(spec, history, claim, count, at, ids, holders)
  end
  if history > 0 and #ids > 0 then
    -- One entry for many tasks: their ids, and 6 bytes (a time not before the end of any, ms).
    local latest = math.max(now, tonumber(sub(ARGV[at + 2 + 2 * count], 2, 14)))
    local key, ending, pushed, length = KEYS[history], struct.pack('>I6', latest), 0, 0
    for from = 1, #ids, 256 do
      local part = table.concat(ids, '', from, math.min(from + 255, #ids))
      length, pushed = call('RPUSH', key, part .. ending), pushed + 1
    end
    local list = sub(key, #prefix + 9)
    if length == pushed then call('SADD', histories, list) end
    call('HINCRBY', counts, 's:' .. list, #ids)
  end
  if unusual then seldom().forget_ends(unusual, ids) end
  position, at = position + count, at + 3 + 2 * count
end

if closed > 0 then
  -- Only what was taken from its claim by another than its worker can be left.
  if total < at_first then torn = tonumber(call('HGET', control, 'torn') or 0) end
  if torn > 0 and call('HLEN', prefix .. 'slots') > call('HEXISTS', prefix .. 'slots', '.') then
    for i = 12, 11 + closed do
      if tonumber(string.match(ARGV[i], '^%d+')) <= torn then seldom().end_claim(ARGV[i]) end
    end
  end
  many('ZREM', leases, ARGV, 12, 11 + closed)
  many('HDEL', claims, ARGV, 12, 11 + closed)
end
