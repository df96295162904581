-- submit, of a queue that this connection has not submitted to before, or on a lane that is not known.
-- Needs: lib_names

-- So that queues are seen that no worker serves.
local function name_queues()
  for q = 1, (#KEYS - first_queue_key + 1) / 6 do
    local name = name_of(q)
    call('HSETNX', counts, 'q:' .. name, (string.gsub(name, '%%(%x%x)', function(hex)
      return char(tonumber(hex, 16))
    end)))
  end
end
