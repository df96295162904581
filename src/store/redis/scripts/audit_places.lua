-- audit, of a task that has not ended: it stands in exactly one place.
-- Needs: lib_links lib_news lib_away lib_listed lib_finding lib_groups lib_bundles audit_aside

local function audit_need(id, parent)
  local value = call('HGET', tasks, parent)
  -- A carrier never comes again. What its run did is not known any more: its items are collected anew.
  if not value and bundle.is_carrier(parent) and not bundle.is_under_way(parent) then
    if finding('stuck', id, 'the run of its bundle is gone, and nobody will tell it') then
      call('ZADD', links, 0, 'c' .. parent .. id)
      announce({parent .. 's'})
    end
    return
  end
  local letter = value and is_ended(value) and state_letter(value)
  local told = not letter or call('ZSCORE', outbox, parent .. letter)
  if not told and finding('stuck', id, 'what it waits for has ended, and nobody will tell it') then
    call('ZADD', links, 0, 'c' .. parent .. id)
    announce({parent .. letter})
  elseif not letter and not call('ZSCORE', links, 'c' .. parent .. id)
    and finding('stuck', id, 'what it waits for does not know of it') then
    call('ZADD', links, 0, 'c' .. parent .. id)
    mark_awaited({parent})
  end
end

-- What a waiting task waits for: news that somebody will bring.
local function audit_waiting(q, id, record)
  if not call('ZSCORE', listed_of(q), id) and finding('unlisted', id, 'it waits, and is in no list') then
    list_as(q, 'w', id)
  end
  if sub(record, 1, 1) ~= 'w' then return end
  local needs = links_of('n', id, 100)
  local stuck = #needs == 0 and not any_link('f', id) and not call('ZSCORE', outbox, id .. 'k')
  if stuck and finding('stuck', id, 'it waits for nothing, and nobody will look at it') then
    announce({id .. 'k'})
  end
  for i = 1, #needs do
    local parent = sub(needs[i], 18)
    -- What another shard keeps only that one could look at.
    if not is_away(parent) then audit_need(id, parent) end
  end
end

-- Of one in a group.
local function audit_held(q, id, body)
  local queue, group, text = inside.stranded(q, id, body)
  if queue and finding('stuck', id, 'it waits in a group, and nobody would come to it there') then inside.reach(queue, group, text) end
end

-- True when it is in the ready list or nowhere.
local function audit_places(q, id, body)
  local works, record = call('HEXISTS', own, id) == 1, call('HGET', waiting, id)
  local due = score_in(due_of(q), id, body)
  local urgent = score_in(urgent_of(q), id, body) or inside.has(q, id, body)
  local places = {works and 'working', record and 'waiting', due and 'due', urgent and 'ready'}
  local found = {}
  for i = 1, 4 do if places[i] then found[#found + 1] = places[i] end end
  if #found > 1 and finding('two_states', id, 'it is ' .. table.concat(found, ' and ')) then
    -- The first of them stays.
    local plain, noted = entries_of(id, body)
    if found[1] ~= 'waiting' and record then call('HDEL', waiting, id) end
    if found[1] ~= 'due' then call('ZREM', due_of(q), plain, noted) end
    call('ZREM', urgent_of(q), plain, noted)
    unhold(q, id, body)
  end
  if works then
    audit_lease(id)
  elseif record then
    audit_waiting(q, id, record)
  elseif due then
    audit_aside(id, body, due)
  elseif urgent then
    audit_held(q, id, body)
  end
  return #found == 0
end
