-- submit, first half: reads all items and decides what becomes of each, before anything is written.
local function read_spec(text)
  local run = {q = tonumber(text), priority = 0, when = 'ready', value = 0, expires = -1, conflict = 'keep'}
  if not run.q then
    local q, priority, when, value, expires, conflict =
      string.match(text, '^(%d+) (%d+) (%a+) (%d+) (-?%d+) (%a+)$')
    run = {q = tonumber(q), priority = tonumber(priority), when = when, value = tonumber(value),
      expires = tonumber(expires), conflict = conflict}
  end
  if run.when == 'in' then run.due = upper + run.value elseif run.when == 'at' then run.due = run.value end
  if run.due and run.due <= now then run.due = nil end
  return run
end

-- Whether an attempt was ever made: its notes count it or know when it began.
local function started(id)
  if call('HEXISTS', own, id) == 1 then return true end
  local noted = call('HGET', notes, id)
  return noted and (byte(noted, 3) ~= 0 or byte(noted, 2) >= 2)
end

-- What becomes of an item whose id is held by what `tasks` holds.
local function judge(id, held, conflict, missing)
  if is_ended(held) then
    if finished_at(held) + unique_for(held) <= now then return 'again' end
    return conflict == 'keep' and 'duplicate' or 'rejected'
  end
  if conflict == 'keep' then return 'duplicate' end
  if conflict == 'reject' or started(id) then return 'rejected' end
  local q, queue = queue_of(held)
  if not q then missing[#missing + 1] = queue end
  return 'replaced'
end

local function read_runs(reply, missing)
  local runs, at, position, rejected = {}, 4, 0, false
  while at <= #ARGV do
    local run, count = read_spec(ARGV[at]), tonumber(ARGV[at + 1])
    run.from, run.to, run.ids, at = at + 2, at + 1 + 2 * count, {}, at + 2 + 2 * count
    for i = 1, count do run.ids[i] = ARGV[run.from + 2 * i - 2] end
    run.held = hmget(tasks, run.ids)
    for i = 1, count do
      local held = run.held[i]
      if held then
        run.words = run.words or {}
        run.words[i] = judge(run.ids[i], held, run.conflict, missing)
        if run.words[i] == 'rejected' then rejected = true end
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
