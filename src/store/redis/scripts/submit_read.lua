-- submit, first half: reads all items and decides what becomes of each, before anything is written.
-- Needs: lib_record
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

local function read_runs(reply, missing)
  local runs, at, position, rejected = {}, 5, 0, false
  while at <= #ARGV do
    local run, count = read_spec(ARGV[at]), tonumber(ARGV[at + 1])
    local step = run.rule and 3 or 2
    run.first, run.from, run.to, run.ids = position, at + 2, at + 1 + step * count, {}
    run.parents, run.weights, at = {}, {}, run.to + 1
    for i = 1, count do
      local item = run.from + step * (i - 1)
      run.ids[i] = ARGV[item]
      if run.rule then run.parents[i] = ARGV[item + 2] end
    end
    run.held = hmget(tasks, run.ids)
    local came = run.again and arrivals_of(run)
    for i = 1, count do
      local held = run.held[i]
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
