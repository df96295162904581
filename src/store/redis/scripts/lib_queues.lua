-- The keys of queues, and what is said in few words everywhere.
-- Needs: lib_base

-- Numbers above 14 digits lose some in Lua's own tostring.
local function digits(number) return string.format('%.0f', number) end

-- Queues are numbered from 1 in the order in which their keys came.
local function ready_of(q) return KEYS[13 + 6 * q] end
local function urgent_of(q) return KEYS[14 + 6 * q] end
local function due_of(q) return KEYS[15 + 6 * q] end
local function idle_of(q) return KEYS[16 + 6 * q] end
local function expiry_of(q) return KEYS[17 + 6 * q] end
local function listed_of(q) return KEYS[18 + 6 * q] end

-- The first write of what must work on a full Redis: after a write that frees, Redis lets a script add.
local function free_first() call('HDEL', control, 'none') end
