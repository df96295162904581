-- resume: tasks of a paused queue are claimed again.
-- Keys:    the shard's; six for the queue
-- Args:    none
-- Returns: 'ok', now | 'already', now
-- Cost:    O(1)
-- Needs:   lib_wake lib_paused
free_first()
local was_paused = call('HDEL', stale, pause_field(1)) == 1
if was_paused then wake(1, chain) end
return {was_paused and 'ok' or 'already', now}
