-- What most calls of work do without.
return {end_run = end_run, held_only = held_only, later = later_run, give = give_run, pop_valid = pop_valid,
  put_back = put_back, without_lost = without_lost, wake = wake, taken_before = taken_before,
  notes_of = notes_of}
