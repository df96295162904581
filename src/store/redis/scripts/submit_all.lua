-- submit, all of it.
-- Needs: lib_there lib_lane submit_step
local function submit() return submit_step(#ARGV) end

return once(ARGV[1], tonumber(ARGV[2]), submit, function(before) return before end)
