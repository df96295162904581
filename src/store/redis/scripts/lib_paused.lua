-- A paused queue is a field of `stale` without an id: claims look there anyway before they take from a list
-- that may hold void entries, so a queue that is open costs nothing.
-- Needs: lib_names
local function pause_field(q) return name_of(q) .. '\n' end
local function is_open(q) return not call('HGET', stale, pause_field(q)) end
