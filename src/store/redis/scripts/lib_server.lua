-- The server that holds the data now: another one after each start and each fail-over.
-- Needs: lib_base
-- What gates go by (lib_gates.lua has most of it).
local rules = {}

-- '' where this user may not ask.
function rules.server()
  if not rules.this_server then
    local text = redis.pcall('INFO', 'server')
    rules.this_server = type(text) == 'string' and string.match(text, 'run_id:(%x+)') or ''
  end
  return rules.this_server
end

-- What a cursor of this server's scan begins with: another one goes through its tables in another order, and would pass over some.
function rules.scans_as() return sub(rules.server(), 1, 8) end
