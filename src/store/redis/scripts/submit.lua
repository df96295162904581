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
-- Needs:   lib_there lib_lane submit_step

local function submit() return submit_step(#ARGV) end

return once(ARGV[1], tonumber(ARGV[2]), submit, function(before) return before end)
