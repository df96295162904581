-- work, fourth step: what was taken comes under a claim.
-- Sets:    ids, id_text (all of them), bodies, lengths (of these), noted (positions of ids that may have
--          notes, nil: all), claim (its number, '0': none)
-- Cost:    O(claimed + queues)
local ids, noted = {}, {}
for i = 1, popped do
  local id = got[i]
  if #id > 16 then
    if byte(id, 17) >= 112 then noted[#noted + 1] = i end
    id = sub(id, 1, 16)
  end
  ids[i] = id
end

-- As many bodies as a reply carries; at least one.
local bodies, lengths, bytes, fit = {}, {}, 0, popped
for from = 1, popped, 64 do
  local part = call('HMGET', tasks, unpack(ids, from, math.min(from + 63, popped)))
  for i = 1, #part do
    local body, i_of = part[i], from + i - 1
    local size = body and #body or 0
    bytes = bytes + size
    if bytes > most_bytes and i_of > 1 then
      fit = i_of - 1
      break
    end
    bodies[i_of] = body
    if not body then lengths = nil elseif lengths then lengths[i_of] = size end
  end
  if fit < popped then break end
end
if fit < popped then
  seldom().put_back(got, last, fit + 1)
  for i = popped, fit + 1, -1 do ids[i] = nil end
  while #noted > 0 and noted[#noted] > fit do noted[#noted] = nil end
end
if not lengths then
  ids, bodies, lengths = seldom().without_lost(ids, bodies)
  noted = nil
end

local id_text, claim = table.concat(ids), '0'
if #ids > 0 then claim = take(ARGV[3], ids, tonumber(ARGV[5]), id_text) end
