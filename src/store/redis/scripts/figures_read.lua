-- figures_read: a page of what is counted of handlers in a period.
-- Keys:    the shard's; `figures:<period>`
-- Args:    where the page begins ('0' to begin), about how many
-- Returns: 'ok', now, where the next page begins ('0': there is none), then field and number of each; one may come again
-- Cost:    O(page)
-- Needs:   lib_there
local page = call('HSCAN', KEYS[#KEYS], ARGV[1], 'COUNT', ARGV[2])
local reply = {'ok', now, page[1]}
for i = 1, #page[2] do reply[i + 3] = page[2][i] end
return reply
