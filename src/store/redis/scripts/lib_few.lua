-- Whether, of what a call does beyond the usual, the few functions suffice that tasks with gates need (work_seldom.lua).
-- Needs: lib_base
local few_suffice = false
