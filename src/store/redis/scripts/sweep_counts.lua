-- sweep, what was counted.
-- Needs: lib_histories lib_names

-- Of a queue in which nothing is and happened for so long, ms, and which nobody has served meanwhile, the counters go. Whoever
-- submits names a queue anew after a third of that (submit.cpp).
local quiet = 1800000

local function mark_of(name) return 'quiet:' .. name end

-- Whose history is kept is known by the counters of its lists, which are passed in the same round.
local function is_quiet(name, queue)
  local there = call('EXISTS', prefix .. 'ready:' .. name, prefix .. 'urgent:' .. name, prefix .. 'due:' .. name,
    prefix .. 'idle:' .. name, prefix .. 'expiry:' .. name, prefix .. 'listed:' .. name)
  return there == 0 and tonumber(call('HGET', prefix .. 'groups', 'n' .. name) or 0) == 0
    and call('HEXISTS', stale, name .. '\n') == 0 and tonumber(call('HGET', control, 'looked:' .. queue) or 0) <= now - quiet
end

-- Returns how many counters went.
local function forget_queue(name, queue)
  local fields = {'s:' .. name, 'd:' .. name, 'c:' .. name, 'x:' .. name, 'f:' .. name}
  if not is_quiet(name, queue) then
    call('HDEL', control, mark_of(name))
    return 0
  end
  local happened = call('HMGET', counts, unpack(fields))
  for i = 1, #happened do happened[i] = happened[i] or '' end
  local so_far = table.concat(happened, ' ')
  local since, before = string.match(call('HGET', control, mark_of(name)) or '', '^(%d+) (.*)$')
  if before ~= so_far or tonumber(since) > now then
    call('HSET', control, mark_of(name), digits(now) .. ' ' .. so_far)
    return 0
  end
  if tonumber(since) + quiet > now then return 0 end
  call('HDEL', control, mark_of(name), 'looked:' .. queue, 'sleeper:' .. name, 'sweep_idle:' .. name)
  return call('HDEL', counts, 'q:' .. name, 'v:' .. name, unpack(fields))
end

-- Counters of history lists that are gone, and of queues.
function kinds.counts(cursor)
  local page, after = scan('HSCAN', counts, cursor, 200)
  local stay = #page / 2
  for i = 1, #page, 2 do
    local list = string.match(page[i], '^[sp%-]:(.+:%d+)$')
    local kind, name = string.match(page[i], '^(%a):(.*)$')
    if list and call('SISMEMBER', histories, list) == 0 then
      forget_list(list)
      stay = stay - 1
    elseif list then
      call('HDEL', control, mark_of(string.match(list, '^(.*):%d+$')))
    elseif kind == 'q' then
      stay = stay - forget_queue(name, page[i + 1])
    elseif kind and call('HEXISTS', counts, page[i]) == 1 then
      -- What happened to a task that was in nobody's sight.
      call('HSETNX', counts, 'q:' .. name, queue_named(name))
    end
  end
  return math.max(stay, 0), after, call('HLEN', counts)
end

-- What is remembered of single queues, and for how long, ms: where a pass over too many ended tasks was to go on
-- (trim_oldest.lua), of queues that have had no more of them since; and what is remembered of queues that may be gone.
local remembered = {passed = 60000, looked = 3600000, sleeper = 3600000, sweep_idle = 3600000, quiet = 7200000}

function kinds.passed(cursor)
  local page, after = scan('HSCAN', control, cursor, 200)
  local stay = #page / 2
  for i = 1, #page, 2 do
    local what, at = string.match(page[i], '^(%a+_?%a*):'), tonumber(string.match(page[i + 1], '^%d+') or 0)
    local old = remembered[what] and at < now - remembered[what]
    if old then stay = stay - call('HDEL', control, page[i]) end
  end
  return stay, after, call('HLEN', control)
end

-- Days of more than a year ago.
function kinds.tallies(cursor)
  local key, oldest = KEYS[#KEYS], math.floor(now / 86400000) - 400
  local page, after = scan('HSCAN', key, cursor, 100)
  local stay = #page / 2
  for i = 1, #page, 2 do
    local day = tonumber(string.match(page[i], '^d(%d+)$'))
    if day and day < oldest then stay = stay - call('HDEL', key, page[i]) end
  end
  return stay, after, call('HLEN', key)
end
