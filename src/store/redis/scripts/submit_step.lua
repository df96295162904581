-- submit, the whole of it, for items that end with ARGV[last]. Returns what is answered, and what a repeat is to be answered.
-- Everything is decided before the first write, and the first write is one that a full Redis refuses.
-- Needs: lib_wake lib_news submit_read submit_after submit_write
-- Gives: submit_step

function submit_step(last)
  local reply, missing = {'ok', now}, {}
  local runs, rejected = read_runs(reply, missing, last)
  if #missing > 0 then
    table.insert(missing, 1, 'elsewhere')
    return missing
  end
  if weigh_runs(runs, reply) then rejected = true end
  if rejected and ARGV[3] == 'all' then
    reply[1] = 'rejected'
    return reply, reply
  end
  if ARGV[3] == 'ask' then
    reply[1] = rejected and 'rejected' or 'ok'
    return reply
  end
  local news = {}
  for _, run in ipairs(runs) do
    if run.words or run.rule then
      write_items(run, news)
    else
      many('HSET', tasks, ARGV, run.from, run.to)
      local bodies = run.priority >= early.mark and {}
      for i = 1, bodies and #run.ids or 0 do bodies[i] = ARGV[run.from + 2 * i - 1] end
      place(run, run.ids, bodies)
    end
    if run.again then remember(run) end
  end
  -- A lane that is not known: what the caller remembers to have named may be gone.
  if ARGV[4] == '1' or call('HEXISTS', lanes, ARGV[1]) == 0 then name_queues() end
  for _, run in ipairs(runs) do
    if run.wakes then wake(run.q, run.wakes) end
  end
  announce(news)
  return reply, reply
end
