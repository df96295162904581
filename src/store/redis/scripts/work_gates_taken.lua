-- What calls of work need that report tasks with gates as usual, or take such, and nothing else that is unusual.
-- Needs: lib_carried lib_wake lib_paused finish_gates claim_void claim_turns
wakes_late, strangers.claims_from = tonumber(ARGV[4]) > 0, tonumber(ARGV[6])
local few = {report = report, free_slots = free_slots, forget_ends = forget_ends, is_open = is_open, pop_valid = pop_valid, wake = wake, open_gates = open_gates,
  pop_turns = pop_turns, any_ready = any_ready, take_slots = take_slots, wake_late = wake_late}
tell_strangers = function(queue, real, handler) return few.tell_strangers(queue, real, handler) end
carried = {seen = seen, strangers = strangers, gated_of = gated_of}
return few
