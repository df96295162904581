-- work, fifth step: who waits, and who is woken.
-- Sets:    look: when this worker is to look again (ms, '': when it is woken)
-- Needs: lib_few
local look, may_be_idle = '', byte(ARGV[7]) == 49
if limit > 0 then
  local due = false
  for q = 1, queues do
    local idle = KEYS[16 + 6 * q]
    if popped < limit then
      -- A worker that got less than it asked for waits in the idle sets of its queues.
      call('SADD', idle, sub(ARGV[7], 2))
      if voids and closely.any_ready(q) and closely.is_open(q) then
        look = string.format('%d', now)
      end
      due = due or #call('ZRANGE', KEYS[15 + 6 * q], 0, 0) > 0
    else
      -- One that is busy takes itself off, and wakes the next where it leaves a backlog.
      if may_be_idle then call('SREM', idle, sub(ARGV[7], 2)) end
      if call('SCARD', idle) > 0 and (not voids or closely.is_open(q))
          and (call('LLEN', KEYS[13 + 6 * q]) > 0 or call('ZCARD', KEYS[14 + 6 * q]) > 0
            or gated and closely.any_ready(q)) then
        few_suffice = true
        seldom().wake(q, 1)
      end
    end
  end
  -- What was put back is there to be claimed, as likely by this worker as by another.
  if left_in then
    seldom().wake(left_in, 1)
    look = string.format('%d', now)
  end
  if gated then closely.wake_late(popped < limit) end
  if gated and popped < limit and call('EXISTS', prefix .. 'opens') == 1 then due = true end
  if due and look == '' then
    local next_due = look_later()(ARGV[3], 1, queues)
    look = next_due and string.format('%.0f', next_due) or ''
  end
end
