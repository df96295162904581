-- What stands in ready, urgent and due: the id, and one byte more when the task has a priority or notes.
-- Needs: lib_names
local function entry(id, priority, noted)
  if priority == 0 and not noted then return id end
  return id .. char(48 + priority + (noted and 64 or 0))
end

local function priority_of(body) return byte(body, 3) end

-- Tasks of one priority leave in the order of their sequence; `front` gives one before all others.
local band = 2 ^ 46
local function place_urgent(q, entry_text, priority, front)
  local sequence = front and -call('HINCRBY', control, 'front', 1) or call('HINCRBY', control, 'back', 1)
  call('ZADD', urgent_of(q), digits((9 - priority) * band + sequence), entry_text)
end

-- A queue's name as it stands in keys.
local function key_name(queue)
  return (string.gsub(queue, '[^%w_.%-]', function(c) return string.format('%%%02X', byte(c)) end))
end

-- The position of a queue among the keys; nil when its keys were not given.
local function position_of(queue)
  local key = prefix .. 'ready:' .. key_name(queue)
  for at = first_queue_key, #KEYS, 6 do
    if KEYS[at] == key then return (at - first_queue_key) / 6 + 1 end
  end
end

-- A text of a body, and where what follows it begins.
local function text_at(body, at)
  local length, from = byte(body, at), at + 1
  if length >= 128 then length, from = length - 128 + byte(body, from) * 128, from + 1 end
  return sub(body, from, from + length - 1), from + length
end

-- The position of the queue that a body names, and its name.
local function queue_of(body)
  local queue = text_at(body, 12)
  return position_of(queue), queue
end

-- How the tasks of its queue and handler that stand aside begin in `links` (lib_links.lua), and the handler.
local function aside_front(body)
  local queue, at = text_at(body, 12)
  local handler = text_at(body, at)
  return 'h' .. key_name(queue) .. '\n' .. key_name(handler) .. '\n', handler
end
local function aside_member(id, body) return aside_front(body) .. 9 - priority_of(body) .. id end

-- Takes the entry of a task that is not working out of wherever it waits. In a ready list it is voided:
-- finding it there would cost the length of the list.
local function take_out(q, id, body, noted)
  if call('HDEL', waiting, id) == 1 then
    call('ZREM', listed_of(q), id)
    return
  end
  local priority = priority_of(body)
  local text = entry(id, priority, noted)
  if call('ZREM', due_of(q), text) == 1 then
    call('ZREM', links, aside_member(id, body), 'a' .. id)
    return
  end
  if priority > 0 then
    call('ZREM', urgent_of(q), text)
  else
    call('HINCRBY', stale, name_of(q) .. '\n' .. id, 1)
    call('HINCRBY', counts, 'v:' .. name_of(q), 1)
  end
end
