-- sweep: looks through a page of what piles up when those die who would take it away, and drops what nobody will.
-- Keys:    the shard's; six for the queue (idle); arrived and tallies
-- Args:    what (a kind of sweep_kinds.lua), how long arrivals are remembered (ms)
-- Returns: 'ok', now, 1 when more is to be looked at now
-- Cost:    O(page)
-- Once in a round everything is looked at, in pages that are spread over it: so there are the more of them the more
-- there is, and whoever comes late catches up.
-- Needs:   lib_names sweep_kinds sweep_ties sweep_counts sweep_tables
local round = 600000
local field = 'sweep_' .. ARGV[1] .. (ARGV[1] == 'idle' and ':' .. name_of(1) or '')
local began, seen, cursor = string.match(call('HGET', control, field) or '', '^(%d+) (%d+) (.*)$')
began, seen = tonumber(began or 0), tonumber(seen or 0)
if (cursor or '') == '' or began > now then
  if cursor and began <= now and now < began + round then return {'ok', now, 0} end
  began, seen, cursor = now, 0, '0'
end
free_first()
local stay, after, size = kinds[ARGV[1]](cursor)
seen = seen + stay
call('HSET', control, field, digits(began) .. ' ' .. digits(seen) .. ' ' .. after)
return {'ok', now, after ~= '' and seen < size * math.min((now - began) / round, 1) and 1 or 0}
