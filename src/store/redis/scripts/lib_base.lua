-- What every script begins with: its keys and the time.
--
-- KEYS of every script: the shard's own keys in the order below, then five for each queue, then others
-- the script names.
local KEYS, ARGV = KEYS, ARGV
local call, byte, sub, char = redis.call, string.byte, string.sub, string.char
local tasks, notes, own, leases, claims, lanes, watched = unpack(KEYS, 1, 7)
local stale, buried, histories, workers, cards, control = unpack(KEYS, 8, 13)
local first_queue_key = 14
local prefix = sub(tasks, 1, -6)

-- The time once per call: floored for "is it due?", rounded up for "due in", so that nothing is ever
-- early.
local clock = call('TIME')
local micros = clock[1] * 1000000 + clock[2]
local now, upper = math.floor(micros / 1000), math.ceil(micros / 1000)

-- Numbers above 14 digits lose some in Lua's own tostring.
local function digits(number) return string.format('%.0f', number) end

-- Queues are numbered from 1 in the order in which their keys came.
local function ready_of(q) return KEYS[9 + 5 * q] end
local function urgent_of(q) return KEYS[10 + 5 * q] end
local function due_of(q) return KEYS[11 + 5 * q] end
local function idle_of(q) return KEYS[12 + 5 * q] end
local function expiry_of(q) return KEYS[13 + 5 * q] end

-- The first write of what must work on a full Redis: after a write that frees, Redis lets a script add.
local function free_first() call('HDEL', control, 'none') end
