-- work, fourth step: what was taken comes under a claim.
-- Sets:    ids, id_text (all of them), bodies, lengths (of these, in one text), remarks (notes as (position, notes)
--          pairs), claim (its number, '0': none; of several the first), kept (what is remembered of it)
-- Cost:    O(claimed + queues)
-- Tables that Redis answered with are used as they are where they can be: one that grows costs more than its content.
-- Needs: lib_most lib_take lib_many
local ids, noted = got, {}
for i = 1, popped do
  local id = got[i]
  if #id > 16 then
    if byte(id, 17) >= 112 then noted[#noted + 1] = i end
    if ids == got then
      ids = {}
      for k = 1, popped do ids[k] = sub(got[k], 1, 16) end
    end
  end
end

-- As many notes and bodies as a reply carries; of one task at least. Not many are read at once where they are large.
local remarks, room, fit = {}, most_bytes, popped
if #noted > 0 then remarks, room, fit = seldom().notes_within(ids, noted) end
local bodies, bytes, size, alike, gone, full, left_in, step = {}, 0, 0, true, false, false, nil, 64
if fit > 16 and call('HSTRLEN', tasks, ids[1]) > most_bytes / 64 then step = 8 end
for from = 1, fit, step do
  local part = call('HMGET', tasks, unpack(ids, from, math.min(from + step - 1, fit)))
  if popped <= step then bodies = part end
  if from == 1 then size = part[1] and #part[1] or 0 end
  for i = 1, #part do
    local body, i_of = part[i], from + i - 1
    local length = body and #body or 0
    bytes = bytes + length
    if bytes > room and i_of > 1 then
      fit, full = i_of - 1, true
      break
    end
    if bodies ~= part then bodies[i_of] = body end
    if not body then gone = true elseif length ~= size then alike = false end
  end
  if full then break end
end
if fit < popped then
  closely = closely or seldom()
  left_in = closely.put_back(got, last, fit + 1)
  for i = popped, fit + 1, -1 do ids[i], bodies[i] = nil, nil end
  while #remarks > 0 and remarks[#remarks - 1] > fit do remarks[#remarks], remarks[#remarks - 1] = nil, nil end
  popped = fit
end
if gone then
  ids, bodies, remarks = seldom().without_lost(ids, bodies, remarks)
  alike = false
end

local id_text, claim, claim_of = table.concat(ids), '0', nil
local lengths
if alike then
  lengths = string.rep(string.format('%d ', size), #ids)
else
  -- A number costs Lua more to write than to look up.
  local numbers, words = {}, {}
  for i = 1, #bodies do
    local length = #bodies[i]
    words[length] = words[length] or string.format('%d', length)
    numbers[i] = words[length]
  end
  lengths = table.concat(numbers, ' ')
end
local lease = tonumber(ARGV[5])
if #ids > 0 and ARGV[10] == '0' then
  claim = take(ARGV[3], ids, lease, id_text, ARGV[8], ARGV[9], last_claim)
elseif #ids > 0 then
  -- As `take`, once for each task: their numbers follow each other.
  local last = math.max(tonumber(last_claim or call('HGET', control, 'claim') or 0), tonumber(ARGV[9]))
  local first, holders, ends, lines = math.max(last + 1, micros), {}, {}, {}
  call('HSET', control, 'claim', string.format('%d', first + #ids - 1))
  claim_of = {}
  for i = 1, #ids do
    local id, number, value, field = ids[i], string.format('%d', first + i - 1) .. ARGV[8], 2 * i, 2 * i - 1
    claim_of[i] = number
    holders[field], holders[value] = id, number
    ends[field], ends[value] = upper + lease, number
    lines[field], lines[value] = number, ARGV[3] .. '\n' .. id
  end
  many('HSET', own, holders, 1, #holders)
  many('ZADD', leases, ends, 1, #ends)
  many('HSET', claims, lines, 1, #lines)
  claim = claim_of[1]
end
local kept = claim_of and claim .. '+' .. #ids or claim
if gated then closely.take_slots(ids, claim, claim_of) end
