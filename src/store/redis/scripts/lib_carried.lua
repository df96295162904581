-- What those few functions know that all others are to know as well, when these are needed after all (work_everything.lua).
-- Needs: lib_base
local carried
