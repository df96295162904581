-- What a task waits for.
-- Needs: lib_entry lib_links lib_news

-- How the parents stand that a submission names (17 bytes each: id, 'h' when it was accepted before, 'w' when
-- it begins with the same submission, 'f' when another shard keeps it, else 'r'): unmet, failed, met, away,
-- and in `gone` the first that was accepted and is no longer kept. Those in `written` are about to begin a
-- new life. Reads only.
local function weigh(rule, text, written)
  local ids, weight = {}, {unmet = {}, failed = {}, met = {}, away = {}}
  for at = 1, #text, 17 do ids[#ids + 1] = sub(text, at, at + 15) end
  local held = hmget(tasks, ids)
  for i = 1, #ids do
    local value, into, flag = held[i], weight.unmet, sub(text, 17 * i, 17 * i)
    if flag == 'f' then
      into = weight.away
    elseif written[ids[i]] or flag == 'w' then
      into = weight.unmet
    elseif not value then
      if flag == 'h' then weight.gone = weight.gone or ids[i] end
    elseif is_ended(value) then
      local well = rule == 'r' or state_letter(value) == 's'
      into = well and weight.met or weight.failed
    end
    into[#into + 1] = ids[i]
  end
  return weight
end

-- Writes the edges.
local function tie(id, weight)
  local edges = {}
  local function add(parents, up, down)
    for i = 1, #parents do
      if up then edges[#edges + 1] = up .. id .. parents[i] end
      if down then edges[#edges + 1] = down .. parents[i] .. id end
    end
  end
  add(weight.unmet, 'n', 'c')
  add(weight.failed, 'f', 'c')
  add(weight.met, nil, 's')
  add(weight.away, 'n', nil)
  add_links(edges)
  mark_awaited(weight.unmet)
  -- A later task of the same id may succeed.
  mark_awaited(weight.failed)
end

-- A task whose submission is not complete is given up after so long without a sign of its submitter (ms).
local patience = 15000

-- What `waiting` holds: phase (r registering, g such a one that is being taken back, w waits, f cancelled because of a parent),
-- rule, 13 digits (due, ms or 0), priority (a digit, : for a head start; with gates as much behind @), life, queue. So what waits is handled without its body, which names all parents.
local function waiting_text(phase, rule, due, body, life)
  local _, queue = queue_of(body)
  return phase .. rule .. string.format('%013.0f', due or 0) .. priority_mark(body) .. life .. queue
end
