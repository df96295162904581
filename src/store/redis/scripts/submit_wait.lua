-- submit, second half for tasks that depend on others.
-- Needs: lib_forget lib_listed lib_depend

-- Forgets what an earlier task of this id waited for.
local function forget_waiting(id)
  call('HDEL', waiting, id)
  repeat until forget_parents(id, 1000)
end

-- Writes what the i-th item of a run waits for; true when that is nothing and it is placed like any other.
local function enlist(run, i, body, life, news)
  local id, weight = run.ids[i], run.weights[i]
  tie(id, weight)
  local unmet, failed = #weight.unmet + #weight.away > 0, #weight.failed > 0
  if not weight.registering and not unmet and not failed and run.rule ~= 'g' then return true end
  list_as(run.q, 'w', id)
  call('HSET', waiting, id, waiting_text(weight.registering and 'r' or 'w', run.rule, run.due, body, life))
  if run.expires >= 0 then call('ZADD', expiry_of(run.q), (run.due or upper) + run.expires, id) end
  if weight.registering then
    call('ZADD', outbox, now + patience, id .. 'w')
  elseif failed or not unmet then
    news[#news + 1] = id .. 'k'
  end
  return false
end
