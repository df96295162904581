-- Tasks with a head start: they have no priority, and stand in the ready list before all that became ready less than that before
-- them. Nobody has written when that was, so it is read of the tasks themselves, of as many as a search by halves looks at: what
-- core/head_start.hpp says. Bodies and entries say 10 in place of a priority; how long it is (ms) stands in 6 bytes behind the arguments.
-- Needs: lib_entry lib_many

-- In one call so many are passed, of several at once fewer, as all that they pass is pushed anew; and so many are looked at, of large
-- ones fewer. Whoever comes when that is used up passes none.
early.may_pass, early.may_look, early.may_read = 100000, 500, 300

-- What it takes to look at a task.
function early.price_of(id, noted)
  return 1 + math.floor(call('HSTRLEN', tasks, id) / 4096) + (noted and math.floor(call('HSTRLEN', notes, id) / 400) or 0)
end

-- Of these entries those that can be placed in this call, as each is read, and whether that is all.
function early.affordable(texts)
  local kept, all = {}, true
  for i = 1, #texts do
    local mark = #texts[i] > 16 and byte(texts[i], 17) or 48
    local is_early = mark < 176 and mark % 64 == 48 + early.mark
    if is_early and early.may_read <= 0 then
      all = false
    else
      kept[#kept + 1] = texts[i]
      if is_early then early.may_read = early.may_read - early.price_of(sub(texts[i], 1, 16)) end
    end
  end
  return kept, all
end

-- Entries of tasks that are ready now, in the order in which they came, and their bodies, if the caller has them. All that it takes is
-- defined in it, as most calls place none.
function early.place(q, texts, bodies)
  if #texts == 0 then return end
  local price_of_several, most_searches = 25, 32
  local list, any_void = ready_of(q), call('HLEN', stale) > 1

  local function number(record, at)
    local value, unit = 0, 1
    repeat
      local part = byte(record, at)
      value, unit, at = value + part % 128 * unit, unit * 128, at + 1
    until part < 128
    return value, at
  end
  local function instant(record, at)
    local value, after = number(record, at)
    return value % 2 == 0 and value / 2 or 0, after
  end
  local function after_numbers(record, at, count)
    for _ = 1, count do
      while byte(record, at) >= 128 do at = at + 1 end
      at = at + 1
    end
    return at
  end
  local function after_texts(record, at, count)
    for _ = 1, count do
      local length, from = number(record, at)
      at = from + length
    end
    return at
  end
  local function has(flags, bit) return flags % (2 * bit) >= bit end

  local function due_of_body(body)
    local flags, numbers = byte(body, 2), 0
    if not has(flags, 32) then return 0 end
    for _, bit in ipairs({2, 4, 8, 16}) do
      if has(flags, bit) then numbers = numbers + 1 end
    end
    local texts = has(flags, 1) and 3 or 2
    return (instant(body, after_numbers(body, after_texts(body, 12, texts), numbers)))
  end

  -- Of flow_notes (core/flow_notes.cpp): when its last run has put it off to, or was reported.
  local function since_last_run(record, at)
    local flags, count, since = byte(record, at), nil, 0
    at = after_numbers(record, after_texts(record, at + 1, 1), has(flags, 2) and 4 or 3)
    count, at = number(record, after_texts(record, at, flags % 2))
    for _ = 1, count do at = after_numbers(record, after_texts(record, at, 1), 3) end
    count, at = number(record, at)
    for _ = 1, count do
      at = after_numbers(record, at, 1)
      local how = byte(record, at)
      since, at = instant(record, after_numbers(record, at + 1, 1))
      at = after_texts(record, after_numbers(record, after_texts(record, at, 1), 2), 4)
      if how >= 128 then since, at = instant(record, at) end
      at = after_numbers(record, at, 1)
    end
    return since
  end

  -- Of task_notes (core/record.cpp): the same, or when its last attempt began.
  local function since_notes(record)
    local flags, since, count = byte(record, 2), 0, nil
    local at = after_texts(record, after_numbers(record, 3, 4) + 8, 1)
    if has(flags, 2) then since, at = instant(record, at) end
    if not has(flags, 32) or has(flags, 8) then return since end
    count, at = number(record, after_texts(record, at, 1))
    for _ = 1, count do
      at = after_texts(record, after_numbers(record, at, 2), 2)
      at = after_texts(record, after_numbers(record, at, 1), 1)
    end
    count, at = number(record, at)
    at = after_numbers(record, after_texts(record, at, count), has(flags, 16) and 1 or 0)
    return math.max(since, since_last_run(record, at))
  end

  local function head_start_of(body)
    if priority_of(body) ~= early.mark then return 0 end
    local last = byte(body, 3) >= 128 and #body - 1 - 17 * byte(body, -1) or #body
    return number_at(body, last - 5, 6)
  end

  local function is_void(id) return any_void and call('HEXISTS', stale, name_of(q) .. '\n' .. id) == 1 end

  -- When the task of this entry became ready, less its head start; nil: it stands there no longer.
  local function order_of(text)
    local id = sub(text, 1, 16)
    local with_notes = #text > 16 and byte(text, 17) >= 112
    early.may_look = early.may_look - early.price_of(id, with_notes)
    local body = not is_void(id) and call('HGET', tasks, id)
    if not body or byte(body, 1) == 69 then return end
    local due = due_of_body(body)
    if due > now then return end
    local since = math.max(number_at(body, 4, 6), due)
    local noted = with_notes and call('HGET', notes, id)
    if noted then since = math.max(since, since_notes(noted)) end
    return since - head_start_of(body)
  end

  -- Void entries tell nothing: the next one that does, of twenty.
  local function order_at(from, to)
    for at = from, math.min(from + 20, to) - 1 do
      if early.may_look <= 0 then return end
      local reads, order = pcall(order_of, call('LINDEX', list, at))
      -- Of a record that does not decode: long ago, so that nothing is put before it.
      if not reads then return 0, at end
      if order then return order, at end
    end
  end

  -- How many of the youngest are passed, `low` at least.
  local function passed_by(order, low, most)
    local high = most
    while low < high do
      local middle = math.floor((low + high) / 2)
      local found, at = order_at(middle, high)
      if found and found > order then low = at + 1 else high = middle end
    end
    return low
  end

  local function place_one(text, length)
    local passed = passed_by(now - length, 0, math.min(call('LLEN', list), early.may_pass))
    early.may_pass = early.may_pass - passed
    if passed == 0 then return call('LPUSH', list, text) end
    -- A list has no places: Redis looks for the entry from the young end.
    call('LINSERT', list, 'AFTER', call('LINDEX', list, passed - 1), text)
  end

  -- The shortest first, each from where the one before was found; of very many lengths some are not searched for, and stand there too.
  local function place_all(of, lengths)
    table.sort(lengths)
    local most, step = math.min(call('LLEN', list), math.floor(early.may_pass / price_of_several)), math.ceil(#lengths / most_searches)
    local places, passed = {}, 0
    for i = 1, #lengths do
      if (i - 1) % step == 0 then passed = passed_by(now - lengths[i], passed, most) end
      places[i] = passed
    end
    early.may_pass = early.may_pass - passed * price_of_several
    local younger, back, i = passed > 0 and call('LPOP', list, passed) or {}, {}, #lengths
    for at = passed, 0, -1 do
      while i > 0 and places[i] == at do
        for _, text in ipairs(of[lengths[i]]) do back[#back + 1] = text end
        i = i - 1
      end
      if at > 0 then back[#back + 1] = younger[at] end
    end
    many('LPUSH', list, back, 1, #back)
  end

  local lengths, of, last = {}, {}, {}
  for i = 1, #texts do
    local id = sub(texts[i], 1, 16)
    local body = bodies and bodies[i] or call('HGET', tasks, id)
    local length = body and head_start_of(body) or 0
    if is_void(id) then
      -- The void entry of an id has to come out before the one that counts.
      last[#last + 1] = texts[i]
    elseif of[length] then
      table.insert(of[length], texts[i])
    else
      of[length] = {texts[i]}
      lengths[#lengths + 1] = length
    end
  end
  if #texts == 1 and #lengths == 1 then place_one(texts[1], lengths[1]) elseif #lengths > 0 then place_all(of, lengths) end
  many('LPUSH', list, last, 1, #last)
end
