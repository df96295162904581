-- What is remembered of tasks that were deleted: whoever awaits one is told that it is gone, not that it was lost.
--
-- `deleted` in control (ms): tasks submitted up to then may have ended and been deleted. What is deleted one by one and young
-- leaves its id and life in `buried` first, until it is so old that the mark says enough.
-- Needs: lib_queues lib_many
local trace_ms = 3600000

local function mark_deleted(up_to)
  if up_to > tonumber(call('HGET', control, 'deleted') or 0) then
    call('HSET', control, 'deleted', digits(up_to))
  end
end

local function leave_trace(id, life)
  local began = number_at(life, 1, 6)
  if began <= now - trace_ms then return mark_deleted(began) end
  call('ZADD', buried, began + trace_ms, id .. life)
end

-- When the task began of which a member of `buried` is the trace; nil when it is a task.
local function traced(member) return #member == 24 and number_at(member, 17, 6) or nil end

local function was_deleted(id, life)
  if life == '' then return false end
  return number_at(life, 1, 6) <= tonumber(call('HGET', control, 'deleted') or -1)
    or call('ZSCORE', buried, id .. life) ~= false
end
