-- list: a page of tasks in one state, in order.
-- Keys:    the shard's; six for the queue; a history list
-- Args:    which: urgent, ready, held (in groups), delayed, aside, retry, history, or `listed:` and a letter; 1 when the newest come
--          first, the cursor of the last one seen, a place (list_sorted.lua) or '', how many at most
-- Returns: 'ok', now, 1 when there may be more, the cursor of the last one looked at, then for each: cursor,
--          order (ms; of ready ones 0), id, what `tasks` holds, notes
-- Cost:    O(tasks given + log all)
-- Needs:   lib_record lib_entry lib_earliest lib_listed lib_most list_sorted list_lines list_held
local which, newest, after, limit = ARGV[1], ARGV[2] == '1', ARGV[3], tonumber(ARGV[4])

-- The newest are claimed last: what is urgent is ordered the other way round than by time alone.
local pages = {
  urgent = function() return sorted_page(urgent_of(1), '-inf', '+inf', newest, after, limit) end,
  held = function() return held_page(newest, after, limit) end,
  ready = function() return ready_page(ready_of(1), newest, after, limit) end,
  delayed = function() return sorted_page(due_of(1), '0', digits(retry_band), newest, after, limit) end,
  retry = function() return sorted_page(due_of(1), digits(retry_band), digits(aside_band), newest, after, limit) end,
  aside = function() return sorted_page(due_of(1), digits(aside_band), '+inf', newest, after, limit) end,
  history = function() return history_page(KEYS[first_queue_key + 6], newest, after, limit) end,
}
local function listed_page()
  local from = bands[sub(which, 8)] * listed_band
  return sorted_page(listed_of(1), digits(from), digits(from + listed_band), newest, after, limit)
end

-- Of a task of which an entry of the ready list is void.
local function is_ready(id, body)
  return call('HEXISTS', own, id) == 0 and call('HEXISTS', waiting, id) == 0
    and not call('ZSCORE', due_of(1), entry_of(id, body, call('HEXISTS', notes, id) == 1))
end

local page = (pages[which] or listed_page)()
local reply, bytes, letter = {'ok', now, #page >= limit and 1 or 0, after}, 0, sub(which, 8)
local want = which == 'history' and 's' or sub(which, 1, 6) == 'listed' and letter ~= 'w' and letter
for i = 1, #page do
  local one = page[i]
  local id = sub(one.member, 1, 16)
  local value = call('HGET', tasks, id)
  -- What stands there may be void, or of an earlier life of the id.
  local ended = value and is_ended(value)
  local right = value and (want and ended and state_letter(value) == want or not want and not ended)
  if right and which == 'history' then right = finished_at(value) <= one.order end
  if right and which == 'ready' and call('HEXISTS', stale, name_of(1) .. '\n' .. id) == 1 then
    right = is_ready(id, value)
  end
  if right and which == 'held' then right = queue_of(value) == 1 end
  if right then
    local n, noted = #reply, call('HGET', notes, id) or ''
    reply[n + 1], reply[n + 2], reply[n + 3] = one.cursor, digits(one.order % listed_band), id
    reply[n + 4], reply[n + 5] = value, noted
    bytes = bytes + #value + #noted
  end
  reply[4] = one.cursor
  if bytes > most_bytes then
    reply[3] = 1
    break
  end
end
return reply
