-- submit, of an item whose id is known.
-- Needs: lib_record lib_started lib_entry lib_links

-- More edges than one call forgets: then the caller does it in steps, and submits again.
local most_forgotten = 500
local function is_tangled(id)
  return count_links('n', id) + count_links('f', id) > most_forgotten
end

-- What becomes of an item whose id is held by what `tasks` holds.
local function judge(id, held, conflict, missing)
  local keeps = conflict == 'keep' or conflict == 'adopt'
  if is_ended(held) then
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
  if sub(call('HGET', waiting, id) or '', 1, 1) == 'r' then return 'busy' end
  if keeps then return 'duplicate' end
  if conflict == 'reject' or started(id) then return 'rejected' end
  local q, queue = queue_of(held)
  if not q then missing[#missing + 1] = queue end
  return 'replaced'
end
