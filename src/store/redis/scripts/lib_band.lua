-- Tasks of one priority leave in the order of their sequence: so far are priorities apart among the urgent.
-- Needs: lib_base
local band = 2 ^ 46
