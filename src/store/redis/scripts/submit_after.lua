-- submit, tasks that depend on others: what they wait for is decided before the first write.

-- Larger searches for a cycle are made from outside, page by page.
local most_steps = 1000

local function is_written(run, i)
  local word = run.words and run.words[i]
  return not word or word == 'again' or word == 'replaced'
end

-- The parents of all items that will be written, and whom somebody of this call waits for.
local function parents_in(runs)
  local batch, wanted = {}, {}
  for _, run in ipairs(runs) do
    for i = 1, run.rule and #run.ids or 0 do
      if is_written(run, i) then
        local parents = {}
        for at = 1, #run.parents[i], 17 do
          local parent = sub(run.parents[i], at, at + 15)
          parents[#parents + 1], wanted[parent] = parent, true
        end
        batch[run.ids[i]] = parents
      end
    end
  end
  return batch, wanted
end

-- Adds words for what is refused, and what is to be known of the rest. Returns whether any was refused.
local function weigh_runs(runs, reply)
  local batch, wanted = parents_in(runs)
  local refused, steps = false, most_steps
  local function refuse(run, i, word, ids)
    run.words = run.words or {}
    run.words[i], refused = word, true
    local n = #reply
    reply[n + 1], reply[n + 2], reply[n + 3] = run.first + i, word, ids
  end
  local function judge_item(run, i)
    local id, weight = run.ids[i], weigh(run.rule, run.parents[i])
    run.weights[i] = weight
    if weight.gone then return refuse(run, i, 'gone', weight.gone) end
    local cycle, far = nil, run.partial
    local waits = #weight.unmet > 0 or (#weight.failed > 0 and run.rule == 'w')
    if waits and not far and (wanted[id] or any_link('c', id)) then
      cycle, far = find_cycle(id, batch, steps)
      if cycle then return refuse(run, i, 'cycle', cycle) end
    end
    weight.registering = far
    if far then
      local n = #reply
      reply[n + 1], reply[n + 2], reply[n + 3] = run.first + i, 'registering', ''
    end
  end
  for _, run in ipairs(runs) do
    for i = 1, run.rule and #run.ids or 0 do
      if is_written(run, i) then judge_item(run, i) end
    end
  end
  return refused
end
