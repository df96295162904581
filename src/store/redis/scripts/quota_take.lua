-- quota_take: what the quota of the namespace lets through of what is to be submitted; core/quota_rules.cpp says the same.
-- Keys:    the shard's; `quota`
-- Args:    tasks, 1 when all of them or none, the most that may be queued ('': any number), how many were counted just now
--          ('': nobody has counted), for how long a count is good (us), and of a rate: size of its bucket, tasks that come
--          back, in this time (us)
-- Returns: 'ok', now, how many are let through, what keeps the others (0 nothing, 1 first somebody is to count, 2 too many are
--          queued, 3 the rate), how many are queued, in how many us there can be another answer
-- Cost:    O(1)
-- `quota` is a hash: `tokens` of the bucket (millionths of a task) at `filled` (us), `queued` as counted at `counted` (us) and
-- taken since.
-- Needs:   lib_there lib_queues
local quota, tasks_asked, whole = KEYS[#KEYS], tonumber(ARGV[1]), ARGV[2] == '1'
local most, counted, lasts = tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local bucket, refills, per = tonumber(ARGV[6]), tonumber(ARGV[7]), tonumber(ARGV[8])
local kept = call('HMGET', quota, 'tokens', 'filled', 'queued', 'counted')
local tokens, filled = tonumber(kept[1] or 0), tonumber(kept[2] or 0)
local queued, at = tonumber(kept[3] or 0), tonumber(kept[4] or 0)
local may, why, opens = tasks_asked, 0, 0
if most then
  if counted then queued, at = counted, micros end
  local age = micros - at
  if age < 0 or age >= lasts then return {'ok', now, 0, 1, 0, 0} end
  local room = math.max(most - queued, 0)
  if room < may then may, why, opens = room, 2, lasts - age end
end
local held = 0
if bucket then
  -- A clock that was set back gives nothing, and takes nothing.
  local full, since = bucket * 1000000, math.max(micros - filled, 0)
  -- A task whose time has come is not to be kept by how a fraction is rounded.
  held = filled == 0 and full or math.min(full, math.floor(tokens + since * refills / per * 1000000 + 0.001))
  local whole_tasks = math.floor(held / 1000000)
  if whole_tasks < may then may, why = whole_tasks, 3 end
end
local admitted = (whole and may < tasks_asked) and 0 or may
queued = queued + admitted
held = held - admitted * 1000000
-- What gives nothing changes nothing: rounded again and again, the bucket would lose by being asked.
-- But from a clock that was set back time counts anew: else an empty bucket would wait until it has caught up.
if bucket and (admitted > 0 or micros < filled) then tokens, filled = held, micros end
if why == 3 then
  local lacking = (whole and tasks_asked or 1) * 1000000 - held
  opens = math.ceil(lacking / 1000000 * per / refills)
end
free_first()
call('HSET', quota, 'tokens', digits(tokens), 'filled', digits(filled), 'queued', digits(queued), 'counted', digits(at))
return {'ok', now, admitted, why, digits(queued), digits(opens)}
