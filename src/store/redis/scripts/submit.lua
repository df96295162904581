-- submit: puts new tasks into their queues, all of a batch in one step.
-- Keys:    the shard's; six for each queue named; with items that may come again: arrived
-- Args:    lane, number, 'each', 'all' or 'ask' (as all, but writes nothing), 1 when the queues are to be
--          named, then runs of items alike: spec, count, (id, body) x count
--          spec: queue alone, or 'queue priority when value expires conflict rule'; when: ready, in, at; with a '!'
--          behind the rule the items may come again;
--          expires: -1 for never; rule: '-', or what items that depend on others do when one of those fails
--          (c w r g; a capital: more parents follow), and then they are (id, body, parents) x count
-- Returns: 'ok', now, then for each item that was not simply accepted: position, word, life of the holder (of
--          cycle: the ids on it; of gone: the parent) | 'rejected', … (nothing was written)
--          | 'elsewhere', queues whose keys are needed (nothing was written) | 'late'
-- Cost:    O(items + parents); a conflict costs about three lookups more, a search for cycles 1000 steps each
-- Everything is decided before the first write, and the first write is one that a full Redis refuses.
-- Needs:   lib_there lib_lane lib_wake lib_news submit_read submit_after submit_write

local function submit()
  local reply, missing = {'ok', now}, {}
  local runs, rejected = read_runs(reply, missing, #ARGV)
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
      place(run, run.ids)
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

return once(ARGV[1], tonumber(ARGV[2]), submit, function(before) return before end)
