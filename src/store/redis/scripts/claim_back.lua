-- claim, what is left undone of it.
-- Needs: lib_entry lib_ready lib_slots

-- Of one that does not come with this claim after all: back to the head of its group. False when it has no gates.
local function hold_again(q, id)
  local text = gated_of[id]
  if not text then return false end
  gated_of[id] = nil
  undo(text)
  local body = call('HGET', tasks, id)
  if body then hold(q, id, body, true) end
  let_all_go(text)
  return true
end

-- Back to the heads of their queues, the last first: what does not fit into the reply. Returns the queue of the first.
local function put_back(got, last, first)
  local function from_queue(i)
    for q = 1, #last do
      if i <= last[q] then return q end
    end
  end
  for i = #got, first, -1 do
    local q, text = from_queue(i), got[i]
    if not hold_again(q, sub(text, 1, 16)) then make_ready(q, text, true) end
    got[i] = nil
  end
  return from_queue(first)
end

-- Deleted by hand: what has no body is never handed out. Returns what is left of ids and bodies, and of the notes those
-- that are of them.
local function without_lost(ids, bodies, remarks)
  local kept, theirs, places, said = {}, {}, {}, {}
  for i = 1, #ids do
    if bodies[i] then
      local n = #kept + 1
      kept[n], theirs[n], places[i] = ids[i], bodies[i], n
    end
  end
  for i = 1, #remarks, 2 do
    local place = places[remarks[i]]
    if place then said[#said + 1], said[#said + 2] = place, remarks[i + 1] end
  end
  return kept, theirs, said
end
