-- What most calls of work do without.
return {report = report, pop_valid = pop_valid, put_back = put_back, without_lost = without_lost, wake = wake,
  taken_before = taken_before, notes_of = notes_of}
