-- For a task that is taken from its claim by another than the claim's worker: claims up to now are torn from here on, and
-- finish asks who holds each of their tasks.
-- Needs: lib_base
local function tear() call('HSET', control, 'torn', call('HGET', control, 'claim') or '0') end
