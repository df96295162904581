-- What every script begins with: its keys and the time.
--
-- KEYS of every script: the shard's own keys in the order below, then six for each queue, then others
-- the script names.
local KEYS, ARGV = KEYS, ARGV
local call, byte, sub, char = redis.call, string.byte, string.sub, string.char
local tasks, notes, own, leases, claims, lanes, watched = unpack(KEYS, 1, 7)
local stale, buried, histories, workers, cards, control = unpack(KEYS, 8, 13)
local waiting, links, outbox, stages, counts = unpack(KEYS, 14, 18)
-- Of queue q, counted from 1: KEYS[13 + 6q] ready, [14 + 6q] urgent, [15 + 6q] due, [16 + 6q] idle,
-- [17 + 6q] expiry, [18 + 6q] listed.
local first_queue_key = 19
local prefix = sub(tasks, 1, -6)

-- The time once per call: floored for "is it due?", rounded up for "due in", so that nothing is ever
-- early.
local clock = call('TIME')
local micros = clock[1] * 1000000 + clock[2]
local now, upper = math.floor(micros / 1000), math.ceil(micros / 1000)
