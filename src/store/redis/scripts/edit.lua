-- edit: new arguments, due time or priority for a task that does not run, if it is as the caller saw it.
-- Keys:    the shard's; six for each queue that it may be in
-- Args:    id, SHA-1 of the body as it was seen, the new body, its due time (ms; '' as it is, 0 at once),
--          when it expires (ms; '' never), 1 when only a task that has never started may be changed; and, where its
--          notes are to be others: SHA-1 of those that were seen ('' for none), the new ones
-- Returns: 'ok', now | 'changed', now (it is another now) | 'unchanged', now (it runs, has ended or started)
--          | 'unknown', now | 'elsewhere', queue
-- Cost:    O(log waiting)
-- Needs:   lib_record lib_bundles lib_started lib_wake lib_entry lib_out lib_ready lib_earliest
local id, body = ARGV[1], ARGV[3]
local old, record = call('HGET', tasks, id), call('HGET', waiting, id)
if not old then return {'unknown', now} end
local item = bundle.is_item(record)
local runs = is_ended(old) or call('HEXISTS', own, id) == 1 or (record and string.find(record, '^[rg]'))
  or (item and bundle.is_under_way(bundle.carrier_of(id) or ''))
if runs or (ARGV[6] == '1' and started(id)) then return {'unchanged', now} end
if redis.sha1hex(old) ~= ARGV[2] then return {'changed', now} end
local seen_notes = ARGV[8] and call('HGET', notes, id)
if ARGV[8] and (seen_notes and redis.sha1hex(seen_notes) or '') ~= ARGV[7] then return {'changed', now} end
local q, queue = queue_of(old)
if not q then return {'elsewhere', queue} end

free_first()
local noted, due = call('HEXISTS', notes, id) == 1, tonumber(ARGV[4] == '' and -1 or ARGV[4])
local priority = byte(body, 3)
-- Lists say of each task whether it has notes.
local notes_to_be = noted or ARGV[8] ~= nil
local alike = noted == notes_to_be and priority == byte(old, 3) and (not is_gated(body) or gates_of(body) == gates_of(old))
call('HSET', tasks, id, body)
if ARGV[8] then call('HSET', notes, id, ARGV[8]) end
if ARGV[5] ~= '' then call('ZADD', expiry_of(q), ARGV[5], id) end
-- An item leaves its bundle when it is to come later, or is another one: its key may be, too.
local leaves = item and (due > now or (ARGV[6] == '1' and sub(old, 4) ~= sub(body, 4)))
if record and not leaves then
  local when = not item and due >= 0 and string.format('%013.0f', due > now and due or 0) or sub(record, 3, 15)
  call('HSET', waiting, id, sub(record, 1, 2) .. when .. priority_mark(body) .. sub(record, 17))
  return {'ok', now}
end

local before = earliest(q)
local stood = tonumber(call('ZSCORE', due_of(q), entry_of(id, old, noted)) or -1)
if due < 0 and stood < 0 and alike and not leaves then return {'ok', now} end
-- One that waits in a group of strangers is looked at anew by who knows its handler.
if is_gated(old) and strangers.is_marked(call('HGET', groups, 'i' .. id)) then stood = aside_band + now end
take_out(q, id, old, noted)
if stood >= aside_band then
  if due < 0 then
    call('ZADD', due_of(q), digits(stood), entry(id, priority, notes_to_be))
    call('ZADD', links, 0, aside_member(id, body))
    return {'ok', now}
  end
  stood = 0
end
if due < 0 then due = stood % retry_band end
if due > now and (stood >= 0 or ARGV[4] ~= '') then
  call('ZADD', due_of(q), digits(stood >= retry_band and retry_band + due or due), entry(id, priority, notes_to_be))
  if due < before then wake(q, 1) end
else
  make_ready(q, entry(id, priority, notes_to_be))
  wake(q, 1)
end
return {'ok', now}
