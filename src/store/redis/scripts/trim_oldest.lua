-- trim, what goes first, and what stays.
-- Needs: lib_queues lib_record lib_listed clean_drop
local limit, awaited_ms = tonumber(ARGV[2]), 60000

-- Whoever awaits its end and was not told of it yet (lib_end.lua) finds it, if he comes within a minute. Tasks that depend on
-- it hear of its end all the same, but items of a bundle need its outcome.
local function is_awaited(id, value)
  if is_untold(id, value) then return true end
  local who = any_watched and finished_at(value) > now - awaited_ms and call('HGET', watched, id)
  return who and who ~= '>\n'
end

-- ---- history lists ----
local moved = 0  -- tasks that stay, out of their history list among those outside of one

local function drop_unless_awaited(id, value)
  if not is_awaited(id, value) then return drop(id, value, 1) end
  call('ZADD', buried, finished_at(value) + number_at(value, 26, 6), id)
  call('ZADD', listed_of(1), digits(finished_at(value)), id)
  moved, passed = moved + 1, true
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

-- By how many ranks a call begins behind the oldest: earlier ones have passed all up to a task, which they left in `control`.
-- Once all of these have had their minute it begins with the oldest again.
local function passed_of(key, band)
  local text = call('HGET', control, band.field)
  band.known = text
  local began, score, id = string.match(text or '', '^(%d+) (%d+) (.*)$')
  if not began or tonumber(began) + awaited_ms <= now or tonumber(began) > now then return 0 end
  band.began = began
  local behind = call('ZSCORE', key, id)
  if behind and tonumber(behind) == tonumber(score) then return call('ZRANK', key, id) + 1 - band.first end
  return call('ZCOUNT', key, digits(band.from), '(' .. score)
end

-- The queue's tasks that ended so, by rank: from `at` on, behind those that earlier calls have passed.
local function band_of(letter)
  local key, from = listed_of(1), bands[letter] * listed_band
  local band = {first = call('ZCOUNT', key, '-inf', '(' .. digits(from)), from = from}
  band.size = call('ZCOUNT', key, digits(from), '(' .. digits(from + listed_band))
  band.past = band.first + band.size
  band.field = 'passed:' .. letter .. ':' .. sub(key, #prefix + 8)
  band.at = band.first + passed_of(key, band)
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
  local last = over and spent >= limit and band.at > band.first
    and call('ZRANGE', listed_of(1), band.at - 1, band.at - 1, 'WITHSCORES')
  if last and last[1] then
    local began = band.began or digits(now)
    call('HSET', control, band.field, began .. ' ' .. digits(tonumber(last[2])) .. ' ' .. last[1])
    passed = true
  elseif band.known then
    call('HDEL', control, band.field)
  end
end
