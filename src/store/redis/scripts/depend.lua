-- depend: registers a task, which another shard may keep, with tasks of this one that it depends on.
-- Keys:    the shard's
-- Args:    the task, mode (l: look how they stand, w: they begin with the same submission, x: it need not
--          hear of them), ids of the parents
-- Returns: 'ok', now, a letter for each parent: s d c x ended so, - not ended or still to be told, ? unknown,
--          and in mode w, where the task is not registered with it: ! how its last life ended is being told, ? that
--          has not ended, so that nothing is known of the next
-- Cost:    O(parents x log edges)
-- Needs:   lib_there lib_queues lib_links lib_news
local child, mode, letters, edges, awaited, news = ARGV[1], ARGV[2], {}, {}, {}, {}

local function told_of(parent)
  local found, ended = {}, false
  for _, what in ipairs({'s', 'd', 'c', 'x', 'v'}) do
    if call('ZSCORE', outbox, parent .. what) then
      found[#found + 1] = parent .. what
      ended = ended or what ~= 'v'
    end
  end
  return found, ended
end

local function tie_to(parent)
  edges[#edges + 1], awaited[#awaited + 1] = 'c' .. parent .. child, parent
end

-- What is being told was begun without this task: it is told again, and who is at it strikes nothing off.
local function await(parent)
  local found, ended = told_of(parent)
  for i = 1, #found do news[#news + 1] = found[i] end
  tie_to(parent)
  return ended
end

-- Who is registered hears what is being told, and would take the end of the parent's last life for that of the one that is
-- about to begin: also an end that comes before that.
local function begin_with(parent)
  local _, ended = told_of(parent)
  if ended then return '!' end
  local value = call('HGET', tasks, parent)
  if value and not is_ended(value) then return '?' end
  tie_to(parent)
  return '-'
end

local function stand(parent)
  if mode == 'w' then return begin_with(parent) end
  local value = call('HGET', tasks, parent)
  if value and not is_ended(value) then
    await(parent)
    return '-'
  end
  if not value then return await(parent) and '-' or '?' end
  if state_letter(value) == 's' then
    call('ZREM', links, 'c' .. parent .. child)
    edges[#edges + 1] = 's' .. parent .. child
  else
    await(parent)
  end
  return state_letter(value)
end

local function forget(parent)
  call('ZREM', links, 'c' .. parent .. child)
  -- Nothing else would take the mark off one that is not there.
  local lone = not any_link('c', parent) and call('HEXISTS', tasks, parent) == 0
  if lone and call('HGET', watched, parent) == '>\n' then call('HDEL', watched, parent) end
end

free_first()
for i = 3, #ARGV do
  if mode == 'x' then forget(ARGV[i]) end
  letters[#letters + 1] = mode == 'x' and '-' or stand(ARGV[i])
end
if #edges > 0 then add_links(edges) end
mark_awaited(awaited)
announce(news)
return {'ok', now, table.concat(letters)}
