-- What `tasks` holds of a task that has ended: 'E', 13 digits (its end, ms), 4 bytes (length of the outcome),
-- the outcome, the body. Of one that has not: the body, which begins otherwise.
-- Needs: lib_base
local mark = 'E' .. string.format('%013d', now)
