-- resolve: tells waiting tasks what became of one they depend on; what they waited for may be there now.
-- Keys:    the shard's; six for each queue of a task that is told
-- Args:    outcome of a group whose members all succeeded, then for each parent: parent, what became of it
--          (s d c x v; k: the tasks are only to be looked at; b: it is their bundle's
--          carrier, and has ended), outcome of those cancelled for it (b: lib_items.lua), count,
--          ids of the tasks
-- Returns: 'ok', now, positions of tasks that are to hear of this parent again
--          | 'elsewhere', queues whose keys are needed (nothing was written)
-- Cost:    O(tasks x log edges)
-- It may be repeated: news that a task has heard changes nothing.
-- Needs:   lib_wake lib_judge lib_hear lib_items
-- A function: its names are its own, and Lua allows a script 200.
local function resolve()
  local told, asked, missing, overtaken = {}, {}, {}, {}
  local at = 2
  while at <= #ARGV do
    -- Whoever was slow to tell may not undo what another has told since.
    local parent, what = ARGV[at], ARGV[at + 1]
    -- Once: of a carrier there is a step for each item, and it may be as large as all their results.
    if overtaken[parent .. what] == nil then
      overtaken[parent .. what] = not is_away(parent) and not still_true(parent, what)
    end
    for i = at + 4, at + 3 + ARGV[at + 3] do
      told[#told + 1] = {id = ARGV[i], parent = ARGV[at], what = ARGV[at + 1], outcome = ARGV[at + 2]}
      asked[#asked + 1] = ARGV[i]
    end
    at = at + 4 + ARGV[at + 3]
  end
  local records = hmget(waiting, asked)
  for i = 1, #told do
    if records[i] then
      local q, queue = queue_in(records[i])
      if not q then missing[#missing + 1] = queue end
    end
  end
  if #missing > 0 then return {'elsewhere', unpack(missing)} end

  free_first()
  local wakes, again, seen = {}, {}, {}
  for i, one in ipairs(told) do
    -- The same task may stand in a call more than once.
    local record = records[i]
    if seen[one.id] then record = call('HGET', waiting, one.id) end
    -- An item hears of its carrier by b alone.
    local not_for_it = one.what ~= 'b' and bundle.is_item(record) and bundle.is_carrier(one.parent)
      and call('ZSCORE', links, 'n' .. one.id .. one.parent)
    if record and (not_for_it or overtaken[one.parent .. one.what]) then
      again[#again + 1] = i
    elseif record then
      seen[one.id] = true
      if one.what == 'b' then
        bundle.settle(one, record, wakes)
      else
        if hear(one, record) then again[#again + 1] = i end
        settle(one.id, record, one.outcome, ARGV[1], wakes)
      end
    end
  end
  for q, count in pairs(wakes) do wake(q, math.min(count, chain)) end
  return {'ok', now, again}
end

return resolve()
