-- audit_tasks: looks whether each task of a page stands where its state says.
-- Keys:    the shard's; six for each queue
-- Args:    1 to repair, cursor ('0' to begin), about how many
-- Returns: 'ok', now, cursor ('0': the end), ids that must be in a ready list and ids that must be in a
--          history list, in one text each, then findings: kind, id, in words
--          | 'smaller', now (they wait for too many to be looked at in one call; nothing was written)
-- Cost:    O(tasks looked at x log all)
-- Needs:   lib_record lib_links lib_listed lib_finding lib_ready audit_lease audit_places
local page, ready, kept, needs = call('HSCAN', tasks, ARGV[2], 'COUNT', ARGV[3]), {}, {}, 0

local function audit_ended(q, id, value)
  local letter, body = state_letter(value), body_of(value)
  if call('HEXISTS', own, id) == 1 and finding('two_states', id, 'it has ended and is working') then
    call('HDEL', own, id)
  end
  local plain, noted = entries_of(id, body)
  if score_in(due_of(q), id, body) and finding('two_states', id, 'it has ended and is due') then
    call('ZREM', due_of(q), plain, noted)
  end
  if score_in(urgent_of(q), id, body) and finding('two_states', id, 'it has ended and is ready') then
    call('ZREM', urgent_of(q), plain, noted)
  end
  if call('ZSCORE', buried, id) then
    local remnant = letter == 's'
    local listed = remnant or call('ZSCORE', listed_of(q), id)
    if not listed and finding('unlisted', id, 'it is in no list') then
      call('ZADD', listed_of(q), digits(bands[letter] * listed_band + finished_at(value)), id)
    end
  elseif letter == 's' then
    kept[#kept + 1] = id
  elseif finding('never_deleted', id, 'it has ended, and nothing will delete it') then
    call('ZADD', buried, finished_at(value) + number_at(value, 26, 6), id)
  end
end

for i = 1, #page[2], 2 do
  local waits = call('HEXISTS', waiting, page[2][i]) == 1
  if waits then needs = needs + math.min(count_links('n', page[2][i]), 100) end
end
if needs > 500 and tonumber(ARGV[3]) > 1 then return {'smaller', now} end

for i = 1, #page[2], 2 do
  local id, value = page[2][i], page[2][i + 1]
  if #id == 16 then
    local q, queue = queue_of(body_of(value))
    if not q then
      if finding('unnamed_queue', id, 'its queue ' .. queue .. ' is not known') then
        call('HSETNX', counts, 'q:' .. key_name(queue), queue)
      end
    elseif is_ended(value) then
      audit_ended(q, id, value)
    elseif audit_places(q, id, value) then
      if byte(value, 3) == 0 or byte(value, 3) == early.mark then
        ready[#ready + 1] = id
      elseif finding('lost', id, 'it is in no state') then
        make_ready(q, entry_of(id, value, call('HEXISTS', notes, id) == 1))
      end
    end
  end
end
return {'ok', now, page[1], table.concat(ready), table.concat(kept), unpack(findings)}
