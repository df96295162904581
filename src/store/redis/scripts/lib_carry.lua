-- How claimed tasks reach their worker.
--
-- The most that one reply carries, give or take one body: Redis closes a subscribed connection whose
-- unread replies outgrow its output buffer (8 MB for a minute, 32 MB at once).
local most_bytes = 4000000

-- The bodies of as many of these ids as one reply carries, at least one; their lengths, or nil when one is
-- missing; how many.
local function bodies_of(ids)
  local bodies, lengths, bytes, n = {}, {}, 0, #ids
  for from = 1, n, 64 do
    local part = call('HMGET', tasks, unpack(ids, from, math.min(from + 63, n)))
    for i = 1, #part do
      local at, body = from + i - 1, part[i]
      local size = body and #body or 0
      bytes = bytes + size
      if bytes > most_bytes and at > 1 then return bodies, lengths, at - 1 end
      bodies[at] = body
      if not body then lengths = nil elseif lengths then lengths[at] = size end
    end
  end
  return bodies, lengths, n
end

-- The part of a reply that carries claimed tasks: ids in one text, lengths of their bodies, these in one
-- text, and notes as (position, notes) pairs. `noted` are the positions of ids that may have notes; nil:
-- all of them.
local function carry(ids, lengths, bodies, noted)
  if not noted then
    noted = {}
    for i = 1, #ids do noted[i] = i end
  end
  local found = {}
  if #noted > 0 then
    local asked = {}
    for i = 1, #noted do asked[i] = ids[noted[i]] end
    local values = hmget(notes, asked)
    for i = 1, #asked do
      if values[i] then found[#found + 1], found[#found + 2] = noted[i], values[i] end
    end
  end
  return table.concat(ids), table.concat(lengths, ' '), table.concat(bodies), found
end
