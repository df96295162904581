-- running: a page of the tasks that workers run, in no order.
-- Keys:    the shard's
-- Args:    cursor ('0' to begin; one of another server begins anew), about how many
-- Returns: 'ok', now, cursor ('0': the end), then for each: id, claim, worker, what `tasks` holds, notes; these two empty
--          once the reply is full: a cursor of Redis has no place within a page
-- Cost:    O(tasks given)
-- Needs:   lib_most lib_base lib_server
local server, at = string.match(ARGV[1], '^(%x*):(%d+)$')
local page = call('HSCAN', own, server == rules.scans_as() and at or '0', 'COUNT', ARGV[2])
local reply, bytes = {'ok', now, page[1] == '0' and '0' or rules.scans_as() .. ':' .. page[1]}, 0
for i = 1, #page[2], 2 do
  local id, claim = page[2][i], page[2][i + 1]
  local full = bytes > most_bytes
  local value = #id == 16 and (full and '' or call('HGET', tasks, id))
  if value then
    local line, n = call('HGET', claims, claim) or '\n', #reply
    local noted = not full and call('HGET', notes, id) or ''
    reply[n + 1], reply[n + 2] = id, claim
    reply[n + 3] = sub(line, 1, string.find(line, '\n', 1, true) - 1)
    reply[n + 4], reply[n + 5] = value, noted
    bytes = bytes + #value + #noted
  end
end
return reply
