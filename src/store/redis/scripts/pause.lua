-- pause: no task of a queue is claimed any more; submissions and what runs go on.
-- Keys:    the shard's; six for the queue
-- Args:    the queue's name
-- Returns: 'ok', now | 'already', now
-- Cost:    O(1)
-- Needs:   lib_there lib_paused
free_first()
call('HSETNX', counts, 'q:' .. name_of(1), ARGV[1])
return {call('HSETNX', stale, pause_field(1), now) == 1 and 'ok' or 'already', now}
