-- submit, second half: writes what was decided.
-- Needs: lib_record lib_wake lib_entry lib_ahead lib_out lib_earliest lib_forget lib_listed lib_depend lib_names
-- Gives: place write_items name_queues

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

-- Puts ids (new, or with their old entry gone) into the run's queue. `bodies`: theirs, if the caller has them.
function place(run, ids, bodies)
  local q, n = run.q, #ids
  if n == 0 then return end
  if run.due then
    local before = earliest(q)
    local values = {}
    for i = 1, n do
      values[2 * i - 1] = run.due
      values[2 * i] = entry(ids[i], run.priority)
    end
    many('ZADD', due_of(q), values, 1, 2 * n)
    if run.due < before then run.wakes = 1 end
  else
    if run.priority == 0 then
      many('LPUSH', ready_of(q), ids, 1, n)
    elseif run.priority >= 128 then
      n = hold_all(q, ids, bodies or hmget(tasks, ids))
    elseif run.priority == early.mark then
      local texts = {}
      for i = 1, n do texts[i] = entry(ids[i], early.mark) end
      early.place(q, texts, bodies)
    else
      for i = 1, n do early.place_urgent(q, entry(ids[i], run.priority), run.priority) end
    end
    run.wakes = math.min(n, chain)
  end
  if run.expires >= 0 then
    for i = 1, #ids do call('ZADD', expiry_of(q), (run.due or upper) + run.expires, ids[i]) end
  end
end

-- A run in which some ids are held, or whose tasks depend on others: item by item.
function write_items(run, news)
  local placed, their_bodies, step = {}, {}, run.rule and 3 or 2
  for i = 1, #run.ids do
    local word, id, old = run.words and run.words[i], run.ids[i], run.held[i]
    local body = ARGV[run.from + step * (i - 1) + 1]
    local written = not word or word == 'again' or word == 'replaced'
    if not word or word == 'again' then
      call('HSET', tasks, id, body)
      if word then
        call('HDEL', notes, id)
        call('HDEL', stages, id)
        call('ZREM', buried, id)
        call('ZREM', listed_of(queue_of(body_of(old))), id)
      end
      -- An earlier task of this id of which nothing is kept may have left edges.
      if word or run.rule then forget_waiting(id) end
    elseif word == 'replaced' then
      -- The task stays the same one to those who hold a handle of it: it keeps its life.
      call('HSET', tasks, id, sub(body, 1, 3) .. sub(old, 4, 11) .. sub(body, 12))
      take_out(queue_of(old), id, old, call('HDEL', notes, id) == 1)
      forget_waiting(id)
    end
    local life = written and run.rule and life_of(word == 'replaced' and old or body)
    if written and (not life or enlist(run, i, body, life, news)) then
      placed[#placed + 1], their_bodies[#placed + 1] = id, body
    end
  end
  place(run, placed, their_bodies)
end

-- The queues that this connection has not submitted to before, or all on a lane that is not known: so that queues are seen that
-- no worker serves.
function name_queues()
  for q = 1, (#KEYS - first_queue_key + 1) / 6 do
    local name = name_of(q)
    call('HSETNX', counts, 'q:' .. name, queue_named(name))
    call('HDEL', control, 'quiet:' .. name)
  end
end
