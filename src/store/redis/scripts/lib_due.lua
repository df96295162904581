-- When this worker is to look at queues first..last again: at the next due time, or false when nothing is
-- due later.
--
-- One worker a queue has the post of sleeping until exactly then; the others look a second later, as a
-- backup, so that a due time does not wake the whole cluster. The post falls to another when its holder
-- is gone or has overslept.
-- Needs: lib_names lib_earliest
local function next_look(name, first, last)
  local look, worker = false, process_of(name)
  for q = first, last + 1 do
    -- Behind the queues, gates that a rate opens (lib_gates.lua).
    local opening = q > last and call('ZRANGE', prefix .. 'opens', 0, 0, 'WITHSCORES')
    local at = opening and tonumber(opening[2] or math.huge) or not opening and earliest(q)
    if at < math.huge then
      local field = 'sleeper:' .. (opening and '!' or name_of(q))
      local post = call('HGET', control, field)
      local theirs = false
      if post then
        local when, who = string.match(post, '^(%d+) (.*)$')
        when = tonumber(when)
        -- Who has slept until then and found nothing more knows nothing of what is due now.
        theirs = who ~= worker and when <= at + 50 and (when > now or when >= at) and at > now - 100
          and tonumber(call('ZSCORE', workers, who) or 0) > now
      end
      local mine = digits(at) .. ' ' .. worker
      if theirs then
        at = at + 1000
      elseif post ~= mine then
        call('HSET', control, field, mine)
      end
      if not look or at < look then look = at end
    end
  end
  return look
end
