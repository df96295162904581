-- work, first step: a call that is repeated is answered again; lib_lane.lua says how lanes remember. What
-- follows is one text without functions: making them would cost a lone task more than all else.
-- Needs: lib_base
local number = tonumber(ARGV[2])
local memory = call('HGET', lanes, ARGV[1])
if memory then
  local last = tonumber(sub(memory, 1, 15))
  if number == last then
    local claimed, look, positions = string.match(memory, '^(%S+) (%d*) (.*)$', 29)
    local lost = {}
    for position in string.gmatch(positions, '%d+') do lost[#lost + 1] = tonumber(position) end
    return {'ok', now, lost, claimed, look, seldom().taken_before(claimed)}
  end
  if number < last then return {'late'} end
elseif call('HEXISTS', control, 'format') == 0 then
  -- As lib_there.lua, only where it can be: every call leaves a memory.
  return {'unmade', now}
end
