-- audit, of a task that works: its lease.
-- Needs: lib_finding

local function audit_lease(id)
  local claim = call('HGET', own, id)
  if call('ZSCORE', leases, claim) then return end
  if not finding('no_lease', id, 'it is working, and no lease will ever run out') then return end
  local line = call('HGET', claims, claim) or 'nobody\n'
  if not string.find(line, id, 1, true) then line = line .. id end
  call('HSET', claims, claim, line)
  call('ZADD', leases, now, claim)
end
