-- What most calls of work do without.
return {tell = tell, end_without_trace = end_without_trace, bury_run = bury_run, held_only = held_only,
  later = later_run, give = give_run, pop_valid = pop_valid, put_back = put_back, without_lost = without_lost,
  wake = wake, taken_before = taken_before}
