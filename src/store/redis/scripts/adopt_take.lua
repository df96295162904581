-- adopt, what is taken: what stands aside of the queues and handlers that the caller serves and knows. One whose gate is closed
-- waits from then on in a group of strangers (adopt_turns.lua).
-- Needs: lib_record lib_entry lib_earliest lib_most lib_groups lib_slots
local limit, known, queues = tonumber(ARGV[4]), {}, {}
local ids, bodies, lengths, remarks, bytes, room, more = {}, {}, {}, {}, 0, 1000, false
local all_but = ARGV[9] == '1'
for i = 10, #ARGV do known[key_name(ARGV[i])] = true end
for at = first_queue_key, #KEYS, 6 do queues[sub(KEYS[at], #prefix + 7)] = (at - first_queue_key) / 6 + 1 end

local function serves(handler) return (known[handler] ~= nil) ~= all_but end

-- A task's body and notes, false for each that is not there; nil: the reply is full.
local function read_one(id)
  local body, noted = call('HGET', tasks, id), call('HGET', notes, id)
  local size = (body and #body or 0) + (noted and #noted or 0)
  if #ids > 0 and bytes + size > most_bytes then return nil end
  return body, noted
end

local function add_one(id, body, noted)
  local n = #ids + 1
  ids[n], bodies[n], lengths[n], bytes = id, body, #body, bytes + #body + (noted and #noted or 0)
  if noted then remarks[#remarks + 1], remarks[#remarks + 2] = n, noted end
end

local function start_one(id, text)
  go_through(text)
  write_counts()
  gated_of[id] = text
end

-- One of them; what has gone on in another way since is struck off only. False: the reply is full.
local function take_one(q, member)
  local id = sub(member, -16)
  local body, noted = read_one(id)
  if body == nil then return false end
  call('ZREM', links, member)
  if not body or is_ended(body) then return true end
  local text = entry_of(id, body, noted)
  if tonumber(call('ZSCORE', due_of(q), text) or 0) < aside_band then return true end
  call('ZREM', due_of(q), text)
  if is_gated(body) then
    local theirs = gates_of(body)
    if first_closed(theirs) then
      if strangers.hold(q, id, body) then wake(q, 1) end
      strangers.came_for(strangers.queue_of(body), ARGV[3])
      room = room - 19
      return true
    end
    start_one(id, theirs)
  end
  add_one(id, body, noted)
  return true
end

-- What stands aside of one queue and handler; `more` when some is left.
local function take_group(q, front)
  repeat
    local found = call('ZRANGE', links, '[' .. front, '[' .. front .. '\255', 'BYLEX', 'LIMIT', 0,
      math.min(limit - #ids + 1, 100))
    for i = 1, #found do
      more = #ids == limit or room <= 0 or not take_one(q, found[i])
      if more then return end
      room = room - 1
    end
  until #found == 0
end
