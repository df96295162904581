-- What stands in ready, urgent and due: the id, and one byte more when the task has a priority, notes or gates: 48 and the
-- priority, 10 for a head start (lib_ahead.lua); 64 more with notes, 128 with gates.
-- Needs: lib_names lib_band
local early = {mark = 10}
local function entry(id, priority, noted)
  if priority == 0 and not noted then return id end
  return id .. char(48 + priority + (noted and 64 or 0))
end

local function priority_of(body) return byte(body, 3) % 128 end
-- Among those of a group, and of those that stand aside: 9 and less the higher the priority is.
function early.rank_of(body) return 9 - priority_of(body) % early.mark end
-- Its gates count as well.
local function entry_of(id, body, noted) return entry(id, byte(body, 3), noted) end

-- Both in one character, and back.
local function priority_mark(body)
  local priority = byte(body, 3)
  return char(priority >= 128 and priority - 64 or priority + 48)
end
local function marked_priority(mark) return mark >= 64 and mark + 64 or mark - 48 end

-- Tasks of one priority leave in the order of their sequence; `front` gives one before all others.
function early.place_urgent(q, entry_text, priority, front)
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
local function aside_member(id, body) return aside_front(body) .. early.rank_of(body) .. id end
