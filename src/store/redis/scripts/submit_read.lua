-- submit, first half: reads all items and decides what becomes of each whose id is known, before anything is written.
-- Needs: lib_record lib_started lib_entry lib_links lib_many
-- Gives: read_runs remember

-- More edges than one call forgets: then the caller does it in steps, and submits again.
local most_forgotten = 500
local function is_tangled(id)
  return count_links('n', id) + count_links('f', id) > most_forgotten
end

-- What becomes of an item whose id is held by what `tasks` holds.
local function judge(id, held, conflict, missing)
  local keeps = conflict ~= 'replace' and conflict ~= 'reject'
  if is_ended(held) then
    if conflict == 'free' then return 'duplicate' end
    local holds = unique_for(held)
    -- The child of a stage is taken up for as long as its result is there.
    if conflict == 'adopt' and state_letter(held) == 's' then
      holds = math.max(holds, number_at(held, 26, 6))
    end
    -- Those that wait for that success hear of it before another life begins.
    if finished_at(held) + holds <= now then
      local q, queue = queue_of(body_of(held))
      if not q then missing[#missing + 1] = queue end
      if is_tangled(id) then return 'tangled' end
      return call('ZSCORE', outbox, id .. 's') and 'busy' or 'again'
    end
    return keeps and 'duplicate' or 'rejected'
  end
  if string.find(call('HGET', waiting, id) or '', '^[rg]') then return 'busy' end
  if keeps then return 'duplicate' end
  if conflict == 'reject' or started(id) or is_tangled(id) then return 'rejected' end
  local q, queue = queue_of(held)
  if not q then missing[#missing + 1] = queue end
  return 'replaced'
end

-- ---- items that may come again: from the outbox of a database ----

-- id .. life -> when it came (ms). It stays until forget, whatever becomes of the task.
local arrived = KEYS[#KEYS]

local function arrival(run, i)
  local step = run.rule and 3 or 2
  return run.ids[i] .. sub(ARGV[run.from + step * (i - 1) + 1], 4, 11)
end

-- Of each item of the run when it came before, false when it did not.
local function arrivals_of(run)
  local members = {}
  for i = 1, #run.ids do members[i] = arrival(run, i) end
  return hmget(arrived, members)
end

-- What was answered now is what a repeat is about.
local undecided = {busy = true, tangled = true, cycle = true, gone = true, recalled = true}
function remember(run)
  local pairs_of, n = {}, 0
  for i = 1, #run.ids do
    if not undecided[run.words and run.words[i] or ''] then
      pairs_of[n + 1], pairs_of[n + 2] = arrival(run, i), now
      n = n + 2
    end
  end
  many('HSET', arrived, pairs_of, 1, n)
end

-- ---- items as they came ----

local function read_spec(text)
  local run = {q = tonumber(text), priority = 0, when = 'ready', value = 0, expires = -1, conflict = 'keep'}
  if not run.q then
    local q, priority, when, value, expires, conflict, rule, again =
      string.match(text, '^(%d+) (%d+) (%a+) (%d+) (-?%d+) (%a+) ([%a-])(!?)$')
    run = {q = tonumber(q), priority = tonumber(priority), when = when, value = tonumber(value),
      expires = tonumber(expires), conflict = conflict, again = again == '!'}
    -- A capital says that more parents will follow.
    if rule ~= '-' then run.rule, run.partial = string.lower(rule), rule ~= string.lower(rule) end
  end
  if run.when == 'in' then run.due = upper + run.value elseif run.when == 'at' then run.due = run.value end
  if run.due and run.due <= now then run.due = nil end
  return run
end

-- Those that end with ARGV[last].
function read_runs(reply, missing, last)
  local runs, at, position, rejected = {}, 5, 0, false
  while at <= last do
    local run, count = read_spec(ARGV[at]), tonumber(ARGV[at + 1])
    local step = run.rule and 3 or 2
    run.first, run.from, run.to, run.ids = position, at + 2, at + 1 + step * count, {}
    run.parents, run.weights, at = {}, {}, run.to + 1
    local ids, parents, item = run.ids, run.rule and run.parents, run.from
    for i = 1, count do
      ids[i] = ARGV[item]
      if parents then parents[i] = ARGV[item + 2] end
      item = item + step
    end
    local held_there = hmget(tasks, ids)
    run.held = held_there
    local came = run.again and arrivals_of(run)
    for i = 1, count do
      local held = held_there[i]
      if came and came[i] then
        run.words = run.words or {}
        run.words[i] = 'recalled'
        local n = #reply
        reply[n + 1], reply[n + 2], reply[n + 3] = position + i, 'duplicate', sub(arrival(run, i), 17)
      elseif held then
        run.words = run.words or {}
        run.words[i] = judge(run.ids[i], held, run.conflict, missing)
        local word = run.words[i]
        if word == 'rejected' or word == 'busy' or word == 'tangled' then rejected = true end
        if run.words[i] ~= 'again' then
          local n = #reply
          reply[n + 1], reply[n + 2], reply[n + 3] = position + i, run.words[i], life_of(held)
        end
      end
    end
    position = position + count
    runs[#runs + 1] = run
  end
  return runs, rejected
end
