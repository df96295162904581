-- stage: keeps the result of a stage with the task, from the claim that holds it.
-- Keys:    the shard's
-- Args:    id, claim, life (8 bytes), record: 4 bytes (length of what follows), format, length of the name,
--          the name, then what only clients read
-- Returns: 'ok', now | 'lost', now
-- Cost:    O(what the task has stored)
-- Needs:   lib_queues lib_many
local id, life, record = ARGV[1], ARGV[3], ARGV[4]
if call('HGET', own, id) ~= ARGV[2] then return {'lost', now} end
free_first()

local front = sub(record, 5, 6 + byte(record, 6))
local kept = call('HGET', stages, id)
-- What an earlier life of the id has left counts no more.
if not kept or sub(kept, 1, 8) ~= life then kept = life end
local at = 9
while at <= #kept do
  -- A repeat: the same call was made before, and its answer was lost.
  if sub(kept, at + 4, at + 3 + #front) == front then return {'ok', now} end
  at = at + 4 + number_at(kept, at, 4)
end
call('HSET', stages, id, kept .. record)
return {'ok', now}
