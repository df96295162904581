-- audit_rest: looks at a page of what is kept beside tasks: claims, notes, stages, waiting records.
-- Keys:    the shard's; six for each queue
-- Args:    1 to repair, which (own, leases, notes, stages, waiting), cursor ('0' to begin), about how many
-- Returns: 'ok', now, cursor ('0': the end), then findings
-- Cost:    O(entries)
-- Needs:   lib_finding
local which = ARGV[2]
local key = ({own = own, notes = notes, stages = stages, waiting = waiting})[which]

local function without_body(id)
  return #id == 16 and call('HEXISTS', tasks, id) == 0
end

local function holds_a_task(claim)
  local line = call('HGET', claims, claim) or '\n'
  for at = string.find(line, '\n', 1, true) + 1, #line, 16 do
    if call('HGET', own, sub(line, at, at + 15)) == claim then return true end
  end
  return false
end

if which == 'leases' then
  -- A worker may be about to take what it just claimed: only what ran out a minute ago is damage.
  for _, claim in ipairs(call('ZRANGE', leases, '-inf', now - 60000, 'BYSCORE', 'LIMIT', 0, ARGV[4])) do
    if not holds_a_task(claim) and finding('idle_lease', claim, 'a lease that holds no task') then
      call('ZREM', leases, claim)
      call('HDEL', claims, claim)
    end
  end
  return {'ok', now, '0', unpack(findings)}
end

local page = call('HSCAN', key, ARGV[3], 'COUNT', ARGV[4])
for i = 1, #page[2], 2 do
  local id = page[2][i]
  if without_body(id) and finding('no_body', id, 'there are ' .. which .. ' of it, but it has no body') then
    call('HDEL', key, id)
  end
end
return {'ok', now, page[1], unpack(findings)}
