-- submit, tasks that depend on others: what they wait for is decided before the first write. What one call writes matters for
-- all of the call.
-- Needs: lib_depend lib_walk
-- Gives: weigh_runs

local function is_written(run, i)
  local word = run.words and run.words[i]
  return not word or word == 'again' or word == 'replaced'
end

-- What this call writes, and the parents of those that have any; also these in order.
local function written_by(runs)
  local batch, written, order = {}, {}, {}
  for _, run in ipairs(runs) do
    for i = 1, #run.ids do
      if is_written(run, i) then
        written[run.ids[i]] = true
        local parents = {}
        for at = 1, run.rule and #run.parents[i] or 0, 17 do
          parents[#parents + 1] = sub(run.parents[i], at, at + 15)
        end
        if run.rule then batch[run.ids[i]], order[#order + 1] = parents, run.ids[i] end
      end
    end
  end
  return batch, written, order
end

-- Cycles among the tasks of one call: id -> the ids on its cycle, in one text.
-- Depth first: `way` leads from a task to what it waits for, `place` is where on it a task stands.
local function cycles_in(batch, order)
  local place, done, found = {}, {}, {}
  for _, start in ipairs(order) do
    local way, nexts = {}, {}
    if not done[start] then way[1], nexts[1], place[start] = start, 1, 1 end
    while #way > 0 do
      local top = #way
      local id = way[top]
      local parent = batch[id][nexts[top]]
      nexts[top] = nexts[top] + 1
      if not parent then
        place[id], done[id], way[top] = nil, true, nil
      elseif place[parent] then
        local ids = table.concat(way, '', place[parent])
        for at = place[parent], top do found[way[at]] = ids end
      elseif batch[parent] and not done[parent] then
        way[top + 1], nexts[top + 1], place[parent] = parent, 1, top + 1
      end
    end
  end
  return found
end

-- Larger searches for a cycle are made from outside, page by page.
local most_steps = 1000

-- What this call cannot decide yet; nil: it decides all.
local function busy_in(runs)
  local busy
  for _, run in ipairs(runs) do
    for i, word in pairs(run.words or {}) do
      if word == 'busy' or word == 'tangled' then
        busy = busy or {}
        busy[run.ids[i]] = true
      end
    end
  end
  return busy
end

local function any_waits(runs)
  for _, run in ipairs(runs) do
    if run.rule then return true end
  end
  return false
end

-- Adds words for what is refused, and what is to be known of the rest. Returns whether any was refused.
function weigh_runs(runs, reply)
  if not any_waits(runs) then return false end
  local refused, busy, batch, written, cycles = false, busy_in(runs)
  local steps = most_steps
  local function answer(run, i, word, rest)
    local n = #reply
    reply[n + 1], reply[n + 2], reply[n + 3] = run.first + i, word, rest
  end
  local function refuse(run, i, word, rest)
    run.words = run.words or {}
    run.words[i], refused = word, true
    answer(run, i, word, rest)
  end
  local function judge_item(run, i)
    local id, weight = run.ids[i], weigh(run.rule, run.parents[i], written)
    run.weights[i] = weight
    if weight.gone then return refuse(run, i, 'gone', weight.gone) end
    local cycle, far = cycles[id], run.partial
    local waits = #weight.unmet > 0 or (#weight.failed > 0 and run.rule == 'w')
    -- Only who is waited for by a task in store can close a cycle with it.
    if waits and not cycle and not far and any_link('c', id) then
      cycle, far, steps = find_cycle(id, batch, steps)
    end
    if cycle then return refuse(run, i, 'cycle', cycle) end
    if not far then return end
    -- Taking that back would take the task back that was accepted before.
    if run.words and run.words[i] == 'replaced' then
      return refuse(run, i, 'rejected', life_of(run.held[i]))
    end
    weight.registering = true
    answer(run, i, 'registering', '')
  end
  local function each_waiting(act)
    for _, run in ipairs(runs) do
      for i = 1, run.rule and #run.ids or 0 do
        if is_written(run, i) then act(run, i) end
      end
    end
  end
  -- Nor what waits for such a one: its other life may begin.
  while busy do
    local more
    each_waiting(function(run, i)
      for at = 1, #run.parents[i], 17 do
        if busy[sub(run.parents[i], at, at + 15)] then
          more, busy[run.ids[i]] = true, true
          return refuse(run, i, 'busy', '')
        end
      end
    end)
    busy = more and busy
  end
  local order
  batch, written, order = written_by(runs)
  cycles = cycles_in(batch, order)
  each_waiting(judge_item)
  -- What was refused begins no new life: who was weighed with that is weighed again.
  local again = refused
  while again do
    again, written = false, select(2, written_by(runs))
    each_waiting(function(run, i)
      local weight = weigh(run.rule, run.parents[i], written)
      weight.registering, run.weights[i] = run.weights[i].registering, weight
      if not weight.gone then return end
      again = true
      refuse(run, i, 'gone', weight.gone)
    end)
  end
  return refused
end
