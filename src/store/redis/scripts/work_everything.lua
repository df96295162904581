-- All that most calls of work do without.
-- Needs: lib_carried lib_groups lib_wake lib_paused lib_again lib_carry finish_wait finish_join finish_trace claim_void claim_turns claim_back
-- Who claims with its reports comes before others that would be woken.
wakes_late, strangers.claims_from = tonumber(ARGV[4]) > 0, tonumber(ARGV[6])
if carried then
  seen.woken, seen.opening, seen.promised = carried.seen.woken, carried.seen.opening, carried.seen.promised
  strangers.heard, strangers.calls, gated_of = carried.strangers.heard, carried.strangers.calls, carried.gated_of
end
return {report = report, free_slots = free_slots, end_claim = end_claim, held_by = held_by, forget_ends = forget_ends, is_open = is_open, pop_valid = pop_valid, put_back = put_back,
  without_lost = without_lost, wake = wake, taken_before = taken_before, notes_within = notes_within, open_gates = open_gates, pop_turns = pop_turns,
  any_ready = any_ready, take_slots = take_slots, wake_late = wake_late, tell_strangers = tell_strangers}
