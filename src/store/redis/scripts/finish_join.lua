-- finish, reports of items: each waits in the open bundle of its key, or begins one.
-- A record: key (16), carrier of a new one (16), digits: 5 items at most, 13 longest wait (ms), 13 grace (ms), 8 bytes of
-- arguments; the body of that carrier (core/bundles.hpp).
-- Needs: lib_record lib_counts lib_wake lib_entry lib_earliest lib_ready lib_listed lib_news lib_bundles
local most_item_bytes = 1048576

-- One that is due takes items until a worker takes it, but none that is more urgent: it has its place among the ready.
local function open_bundle(q, key, priority)
  local text = call('HGET', bundle.open, 'k' .. key)
  if not text then return end
  local one = {carrier = sub(text, 1, 16), begun = tonumber(sub(text, 17, 29)), joined = tonumber(sub(text, 30, 35)),
    bytes = tonumber(sub(text, 36, 44))}
  one.body = call('HGET', tasks, one.carrier)
  local begun = not one.body or is_ended(one.body) or call('HEXISTS', own, one.carrier) == 1
    or call('HEXISTS', notes, one.carrier) == 1
  if not begun then
    one.entry = entry_of(one.carrier, one.body)
    local due = tonumber(call('ZSCORE', due_of(q), one.entry) or -1)
    one.ready = due < 0
    if due < retry_band and (due >= 0 or priority <= priority_of(one.body)) then return one end
  end
  bundle.close(one.carrier)
end

local function begin_bundle(record)
  local carrier = sub(record, 17, 32)
  mark_awaited({carrier})
  return {carrier = carrier, begun = upper, joined = 0, bytes = 0}
end

-- The carrier's body: with the highest priority of its items, and the gates of the first one's.
local function carrier_body(one, record)
  local body, before = sub(record, 72), one.body
  if not before then return body end
  local old, new = byte(before, 3), byte(body, 3) % 128
  if new <= old % 128 then return before end
  return sub(before, 1, 2) .. char(old - old % 128 + new) .. sub(before, 4)
end

local function join_bundle(run, id, record)
  local q, key, item = run.q, sub(record, 1, 16), call('HGET', tasks, id)
  if not item then return end
  local before = earliest(q)
  local one = open_bundle(q, key, byte(record, 74) % 128) or begin_bundle(record)
  local body = carrier_body(one, record)
  if body ~= one.body then call('HSET', tasks, one.carrier, body) end
  local text = entry_of(one.carrier, body)
  if one.entry and one.entry ~= text then call('ZREM', due_of(q), one.entry) end

  local _, queue = queue_of(item)
  call('HSET', waiting, id, 'wb' .. string.format('%013d', one.joined) .. priority_mark(item) .. life_of(item) .. queue)
  list_as(q, 'w', id)
  add_links({'n' .. id .. one.carrier, 'c' .. one.carrier .. id})
  local bytes = one.bytes + tonumber(sub(record, 64, 71))

  -- Some may have left it: only then they are counted.
  local most, items = tonumber(sub(record, 33, 37)), one.joined + 1
  if items >= most then items = count_links('c', one.carrier) end
  if items >= most or bytes >= most_item_bytes then
    bundle.close(one.carrier)
    if one.ready then return end
    call('ZREM', due_of(q), text)
    make_ready(q, text)
    wake(q, 1)
    return
  end
  call('HSET', bundle.open, 'k' .. key, one.carrier .. string.format('%013.0f%06d%09d', one.begun, one.joined + 1, bytes),
    'c' .. one.carrier, key)
  if one.ready then return end
  local due = math.min(one.begun + tonumber(sub(record, 38, 50)), upper + tonumber(sub(record, 51, 63)))
  call('ZADD', due_of(q), digits(due), text)
  if due < before then wake(q, 1) end
end

local function join_run(run, ids, records)
  for i = 1, #ids do join_bundle(run, ids[i], records[i]) end
end
