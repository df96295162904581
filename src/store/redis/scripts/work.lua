-- work: finish and claim fused in one step and one round trip.
-- Keys:    the shard's; six for each queue (those to claim from first); history lists
-- Args:    lane, number, worker, limit, lease (ms), queues to claim from, '1' when it may be idle, else
--          '0', and as whom (lib_wake.lua), the process's mark and the greatest claim number it has seen
--          (lib_take.lua), '1' when each task comes under a claim of its own, else '0', count of closed claims, them,
--          then the reports as finish takes them
-- Returns: 'ok', now, positions of lost reports, claim ('0': none), when to look again (ms; '' when
--          all asked for were claimed or nothing is due), ids in one text, lengths of the bodies, these in
--          one text, notes as (position, notes) pairs; of a repeat, of tasks under claims of their own, which of these
--          claims each has | 'late'
-- Cost:    finish + claim
-- Needs:   lib_many lib_most lib_take lib_few
-- Within:  look_later work_later
-- Within:  seldom work_seldom
-- Needs:   work_lane finish claim_pop claim claim_wait
call('HSET', lanes, ARGV[1],
  string.format('%015d%013d', number, now) .. kept .. ' ' .. look .. ' ' .. table.concat(lost, ' '))
return {'ok', now, lost, claim, look, id_text, lengths, table.concat(bodies), remarks}
