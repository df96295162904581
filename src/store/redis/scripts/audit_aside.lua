-- audit, of tasks that stand aside: each is in the upper band of `due`, and in `links` by its queue and handler.
-- Needs: lib_record lib_entry lib_earliest lib_finding

-- `due`: its score. One that is not in `links` nobody takes, whatever handlers he knows.
local function audit_aside(id, body, due)
  if tonumber(due) < aside_band or call('ZSCORE', links, aside_member(id, body)) then return end
  if finding('hidden', id, 'it stands aside, and nobody who knows its handler finds it') then
    call('ZADD', links, 0, aside_member(id, body))
  end
end

-- A place in `links`: whether its task stands aside, and there.
local function audit_aside_place(member)
  local id = sub(member, -16)
  local value = call('HGET', tasks, id)
  if not value then
    if finding('no_body', id, 'it stands aside, but it has no body') then call('ZREM', links, member) end
    return
  end
  local open = not is_ended(value)
  local q = open and queue_of(value)
  if open and not q then return end  -- audit_tasks names its queue
  local due = open and member == aside_member(id, value) and score_in(due_of(q), id, value)
  if due and tonumber(due) >= aside_band then return end
  if finding('wrong_list', id, 'aside, but it is something else') then call('ZREM', links, member) end
end
