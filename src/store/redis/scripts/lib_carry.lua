-- How claimed tasks reach their worker.

-- The most that one reply carries, give or take one body: Redis closes a subscribed connection whose
-- unread replies outgrow its output buffer (8 MB for a minute, 32 MB at once).
local most_bytes = 4000000

-- The bodies of as many of these ids as one reply carries; at least one.
local function bodies_of(ids)
  local bodies, bytes, n = {}, 0, #ids
  for from = 1, n, 32 do
    local part = call('HMGET', tasks, unpack(ids, from, math.min(from + 31, n)))
    for i = 1, #part do
      bytes = bytes + (part[i] and #part[i] or 0)
      if bytes > most_bytes and from + i > 2 then return bodies, from + i - 2 end
      bodies[from + i - 1] = part[i]
    end
  end
  return bodies, n
end

-- The part of a reply that carries claimed tasks: ids in one text, lengths of their bodies, these in one
-- text, and notes as (position, notes) pairs. `noted` are the positions of ids that may have notes; nil:
-- all of them.
local function carry(ids, bodies, noted)
  local asked, found = {}, {}
  if not noted then
    noted = {}
    for i = 1, #ids do noted[i] = i end
  end
  for i = 1, #noted do asked[i] = ids[noted[i]] end
  local values = hmget(notes, asked)
  for i = 1, #asked do
    if values[i] then
      found[#found + 1] = noted[i]
      found[#found + 1] = values[i]
    end
  end
  local lengths = {}
  for i = 1, #bodies do lengths[i] = #bodies[i] end
  return table.concat(ids), table.concat(lengths, ' '), table.concat(bodies), found
end

-- What a repeat of a claiming call is given: the tasks that are still under that claim.
local function taken_before(number)
  local line = number ~= '0' and call('HGET', claims, number)
  local ids, bodies = {}, {}
  if line then
    local from = string.find(line, '\n', 1, true) + 1
    for at = from, #line, 16 do
      local id = sub(line, at, at + 15)
      local body = call('HGET', own, id) == number and call('HGET', tasks, id)
      if body then
        ids[#ids + 1] = id
        bodies[#bodies + 1] = body
      end
    end
  end
  return carry(ids, bodies)
end
