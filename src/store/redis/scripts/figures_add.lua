-- figures_add: adds to what is counted of handlers in a period.
-- Keys:    the shard's; `figures:<period>`
-- Args:    for how long the period is kept (s), then of each number: its field, how much is added
-- Returns: 'ok', now
-- Cost:    O(numbers)
-- Needs:   lib_there lib_queues
local figures = KEYS[#KEYS]
free_first()
for i = 2, #ARGV, 2 do call('HINCRBY', figures, ARGV[i], ARGV[i + 1]) end
call('EXPIRE', figures, ARGV[1])
return {'ok', now}
