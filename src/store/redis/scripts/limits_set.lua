-- limits_set: the rules of limits, and what they let go on.
-- Keys:    the shard's
-- Args:    'declare', 'set', 'clear', or with a version and the server that is meant 'share', 'shut' (a share of a limit that lets
--          nothing through anywhere) or 'unshare'; then of each: limit (8 bytes), name, rule: how many run, starts, in (ms), at once,
--          spacing and tolerance of starts (us), '-' for what is not limited
-- Returns: 'ok', now
-- Cost:    O(gates of these at which somebody waits), 200 of each at most: the others are let go by later calls
-- Needs:   lib_there lib_groups
-- A share of a limit that holds over several shards is set like a rule, unless it or a newer one was told to this server
-- (core/limit_shares.hpp).
free_first()
local changed = {}
local what, version, server = string.match(ARGV[1], '^(%l+) ?(%d*) ?(%x*)$')
local field = {declare = 'd', set = 's', share = 's', shut = 's'}

local function is_newer(limit)
  if version == '' then return true end
  -- Sent before a fail-over, after which it may be newer than what has been heard, and older than what was.
  if server ~= rules.server() then return false end
  local newest, share = unpack(call('HMGET', limits, 'f' .. limit, 'o' .. limit))
  newest = tonumber(newest or 0)
  if tonumber(version) < newest or tonumber(version) == newest and not rules.is_old(share) then return false end
  call('HSET', limits, 'f' .. limit, version)
  return true
end

-- What starts under the rule before have used goes on to count. Keys may be very many: what each has used is told when it is looked at.
local function keep_starts(limit, before, spacing, tolerance, per)
  local kept = {}
  for number in string.gmatch(call('HGET', limits, 'q' .. limit) or '', '%S+') do kept[#kept + 1] = tonumber(number) end
  local last_spacing, last_tolerance, till, more, from, since, series = unpack(kept)
  local its_spacing, its_tolerance = string.match(before or '', '^%S+ ([%d.]+) ([%d.]+)$')
  if its_spacing then last_spacing, last_tolerance = tonumber(its_spacing), tonumber(its_tolerance) end
  if not last_spacing then return end
  from = math.max(from or 0, micros)
  if not till or till + more < micros then till, more, series = 0, 0, micros end
  spacing, tolerance = tonumber(spacing), tonumber(tolerance)
  if spacing then
    local grown = tolerance - last_tolerance
    till = math.max(till, from + last_tolerance + last_spacing)
    more = math.max(0, more + grown)
    if grown < 0 then from = math.min(from - grown, micros + math.max(0, per - spacing)) end
    last_spacing, last_tolerance = spacing, tolerance
  end
  if spacing and more == 0 and from <= micros then
    call('HDEL', limits, 'q' .. limit)
  else
    call('HSET', limits, 'q' .. limit,
      string.format('%.2f %.2f %.2f %.2f %.2f %.2f %.0f', last_spacing, last_tolerance, till, more, from, micros, series))
  end
end

local function change(limit, name, rule)
  local before, before_kind = unpack(call('HMGET', limits, 'r' .. limit, 'o' .. limit))
  call('HSET', limits, 'n' .. limit, name)
  if field[what] then
    call('HSET', limits, field[what] .. limit, rule)
  else
    call('HDEL', limits, 's' .. limit)
  end
  local in_force = call('HGET', limits, 's' .. limit) or call('HGET', limits, 'd' .. limit)
  local most, starts, per, spacing, tolerance = string.match(in_force or '', '^(%S+) (%S+) (%S+) %S+ (%S+) (%S+)$')
  if version ~= '' and field[what] then
    call('HSET', limits, 'o' .. limit, what .. ' ' .. server .. ' ' .. most)
  elseif what ~= 'declare' then
    call('HDEL', limits, 'o' .. limit)
  end
  -- No share of a rate: none starts.
  if starts == '0' then most, spacing, tolerance = '0', '-', '-' end
  if in_force then
    keep_starts(limit, before, spacing, tolerance, (tonumber(per) or 0) * 1000)
    call('HSET', limits, 'r' .. limit, most .. ' ' .. spacing .. ' ' .. tolerance)
  else
    call('HDEL', limits, 'r' .. limit, 'n' .. limit, 'w' .. limit, 'z' .. limit, 'q' .. limit)
  end
  local after, kind = unpack(call('HMGET', limits, 'r' .. limit, 'o' .. limit))
  if after ~= before or kind ~= before_kind then changed[#changed + 1] = limit end
end

for at = 2, #ARGV, 3 do
  if is_newer(ARGV[at]) then change(ARGV[at], ARGV[at + 1], ARGV[at + 2]) end
end
-- Who is let go may have gates of several limits: when all rules are there.
for _, limit in ipairs(changed) do
  for _, kind in ipairs({'b', 'm', 's'}) do
    returns.let_all_run(kind .. limit)
    let_go_from('[p' .. kind .. limit, kind .. limit)
  end
end
return {'ok', now}
