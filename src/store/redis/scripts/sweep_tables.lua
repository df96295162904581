-- sweep, tables that are far larger than what is left in them.
-- Needs: lib_base

-- Redis makes a table smaller a little with each access, so that one that hardly anybody uses stays as large as it ever was.
-- A copy has the size that it needs. The largest size seen is remembered until then.
local large, small, most_copied = 10000, 200, 500000
local measured = {
  {'HLEN', tasks}, {'HLEN', notes}, {'HLEN', own}, {'ZCARD', leases}, {'HLEN', claims}, {'HLEN', lanes},
  {'HLEN', watched}, {'HLEN', stale}, {'SCARD', histories}, {'HLEN', waiting}, {'ZCARD', links}, {'ZCARD', outbox},
  {'HLEN', stages}, {'HLEN', counts}, {'HLEN', KEYS[#KEYS - 1]}, {'HLEN', KEYS[#KEYS]},
  {'ZCARD', buried}, {'ZCARD', workers}, {'HLEN', cards}, {'HLEN', control}, {'HLEN', prefix .. 'gates'}}

local function fit_table(key, size, peak)
  if size == 0 then return true end
  -- What the old table takes is not copied.
  if call('MEMORY', 'USAGE', key, 'SAMPLES', 0) > most_copied + 64 * peak then return false end
  local fresh = prefix .. 'fresh'
  if call('COPY', key, fresh, 'REPLACE') == 1 then call('RENAME', fresh, key) end
  return true
end

function kinds.tables(cursor)
  local n = #measured
  for i = tonumber(cursor) + 1, n do
    local key = measured[i][2]
    local field = 'peak_' .. sub(key, #prefix + 1)
    local size, peak = call(measured[i][1], key), tonumber(call('HGET', control, field) or 0)
    if peak >= large and size <= small and fit_table(key, size, peak) then
      call('HDEL', control, field)
      return i - tonumber(cursor), i < n and tostring(i) or '', n
    end
    if size > math.max(peak, large) then call('HSET', control, field, size) end
  end
  return n - tonumber(cursor), '', n
end
