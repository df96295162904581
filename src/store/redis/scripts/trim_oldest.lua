-- trim, what goes first, and what stays.
-- Needs: lib_queues lib_record lib_listed clean_drop
local limit = tonumber(ARGV[2])

-- Whoever awaits its end and was not told of it yet (lib_end.lua) finds it, if he comes within a minute. Tasks that depend on
-- it hear of its end all the same.
local function is_awaited(id, value)
  local who = any_watched and finished_at(value) > now - 60000 and call('HGET', watched, id)
  return who and who ~= '>\n'
end

-- ---- history lists ----
local moved = 0  -- tasks that stay, out of their history list among those outside of one

local function drop_unless_awaited(id, value)
  if not is_awaited(id, value) then return drop(id, value, 1) end
  if call('ZADD', buried, finished_at(value) + number_at(value, 26, 6), id) == 1 then
    call('ZADD', listed_of(1), digits(finished_at(value)), id)
    moved, passed = moved + 1, true
  else
    spent = spent - 63 / 64  -- an earlier call has moved it
  end
  return true
end

-- By list: its oldest entry, and of when that is.
local entries, times = {}, {}
local function look(key)
  entries[key] = call('LINDEX', key, 0) or nil
  times[key] = entries[key] and number_at(entries[key], #entries[key] - 5, 6)
end

local function oldest_list()
  local oldest
  for key, time in pairs(times) do
    if not oldest or time < times[oldest] then oldest = key end
  end
  return oldest
end

-- ---- those outside of history lists ----

-- The queue's tasks that ended so, by rank: from `at` on, behind those that earlier calls have passed.
local function band_of(letter)
  local key, from = listed_of(1), bands[letter] * listed_band
  local band = {first = call('ZCOUNT', key, '-inf', '(' .. digits(from)), from = from}
  band.size = call('ZCOUNT', key, digits(from), '(' .. digits(from + listed_band))
  band.past = band.first + band.size
  band.field = 'passed:' .. letter .. ':' .. sub(key, #prefix + 8)
  band.known = call('HGET', control, band.field)
  band.at = band.first + tonumber(band.known or 0)
  return band
end

-- The oldest one that nobody awaits: its id, what `tasks` holds, its end.
local function oldest_of(band)
  while band.at < band.past and spent < limit do
    local got = call('ZRANGE', listed_of(1), band.at, band.at, 'WITHSCORES')
    local value = got[1] and call('HGET', tasks, got[1])
    if value and is_ended(value) and not is_awaited(got[1], value) then
      return got[1], value, tonumber(got[2]) - band.from
    end
    spent, band.at = spent + 1, band.at + 1
  end
end

local function drop_listed(band, id, value)
  spent = spent + 1
  call('ZREM', buried, id)
  if drop(id, value, 1) then
    band.past = band.past - 1
  else
    call('ZADD', buried, now, id)
    band.at = band.at + 1
  end
end

-- The next call goes on there when this one was too short for it, else from the oldest on.
local function leave(band, over)
  local behind = band.at - band.first
  if over and spent >= limit and behind > 0 then
    call('HSET', control, band.field, behind)
    passed = true
  elseif band.known then
    call('HDEL', control, band.field)
  end
end
