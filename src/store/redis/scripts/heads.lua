-- heads: where the first task of each of some lists stands, without looking at any.
-- Keys:    the shard's; six for each queue; history lists
-- Args:    1 when the newest come first, then for each list: which, as in list.lua; its queue's position, of a history list that of
--          its key; a place (list_sorted.lua) or ''
-- Returns: 'ok', now, then for each: order (ms; of ready ones 0), '' when there is none
-- Cost:    O(lists x log all)
-- Needs:   lib_names lib_earliest lib_listed list_sorted list_lines
local newest, reply = ARGV[1] == '1', {'ok', now}

local function sorted_head(key, from, to, place)
  local order, behind = place_of(place)
  local low, high = from, '(' .. to
  if order then
    local at = (behind and '(' or '') .. digits(tonumber(from) + order)
    if newest then high = at else low = at end
  end
  local found = newest and call('ZRANGE', key, high, low, 'BYSCORE', 'REV', 'LIMIT', 0, 1, 'WITHSCORES')
    or call('ZRANGE', key, low, high, 'BYSCORE', 'LIMIT', 0, 1, 'WITHSCORES')
  return found[2] and digits(tonumber(found[2]) % listed_band) or ''
end

local function history_head(key, place)
  local order, behind = place_of(place)
  local at = order and line_at(key, newest, order, behind) or newest and call('LLEN', key) - 1 or 0
  local line = at >= 0 and call('LINDEX', key, at)
  return line and digits(time_of_line(line)) or ''
end

local function if_any(count) return count > 0 and '0' or '' end

local kinds = {
  urgent = function(q) return if_any(call('ZCARD', urgent_of(q))) end,
  ready = function(q) return if_any(call('LLEN', ready_of(q))) end,
  held = function(q) return if_any(tonumber(call('HGET', prefix .. 'groups', 'n' .. name_of(q)) or 0)) end,
  delayed = function(q, place) return sorted_head(due_of(q), '0', digits(retry_band), place) end,
  retry = function(q, place) return sorted_head(due_of(q), digits(retry_band), digits(aside_band), place) end,
  aside = function(q, place) return sorted_head(due_of(q), digits(aside_band), '+inf', place) end,
  history = function(at, place) return history_head(KEYS[at], place) end,
}

for i = 2, #ARGV, 3 do
  local which, at, place = ARGV[i], tonumber(ARGV[i + 1]), ARGV[i + 2]
  if kinds[which] then
    reply[#reply + 1] = kinds[which](at, place)
  else
    local from = bands[sub(which, 8)] * listed_band
    reply[#reply + 1] = sorted_head(listed_of(at), digits(from), digits(from + listed_band), place)
  end
end
return reply
