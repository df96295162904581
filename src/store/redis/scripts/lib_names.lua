-- Names as they stand in keys and sets.
-- Needs: lib_queues

-- The names of a process's connections are its own name, a colon and a number.
local function process_of(name) return string.match(name, '^(.+):%d+$') or name end

-- The queue's name as it stands in keys.
local function name_of(q) return sub(ready_of(q), #prefix + 7) end

-- A queue's name as users write it, by its name in keys.
local function queue_named(name)
  return (string.gsub(name, '%%(%x%x)', function(hex) return char(tonumber(hex, 16)) end))
end
