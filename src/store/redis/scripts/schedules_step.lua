-- schedules_step: changes schedules that are as they were seen, each with the runs that the change makes.
-- Keys:    the shard's; six for each queue named; `schedules`, `schedule`, `names`
-- Args:    where the steps begin, -, -, -, then the runs of all as `submit` takes them, then of each step: id, stamp seen ('': no
--          record), record ('': there is to be none), when it is to be looked at (ms; '': never), name, ids of runs of
--          whose end it has heard (16 each, in one text)
-- Returns: 'ok', now, 1 (done) or 0 (stale: nothing of it was written) of each | 'elsewhere', queues whose keys are needed
-- Cost:    O(steps x log schedules + runs)
-- Everything is decided before the first write, and a full Redis refuses that: a tick is late then, and not lost.
-- Needs:   lib_there lib_wake lib_news lib_schedules submit_read submit_after submit_write
local steps_at = tonumber(ARGV[1])

-- 'done' of a step that was made before, 'stale', or nil: it is to be made.
local function standing(id, seen, record, heard)
  local held = call('HGET', records, id)
  local stamp = held and sub(held, 1, 8) or ''
  if stamp ~= seen then return stamp == sub(record, 1, 8) and 'done' or 'stale' end
  for at = 1, #heard, 16 do
    if not call('ZSCORE', outbox, id .. 'r' .. sub(heard, at, at + 15)) then return 'stale' end
  end
end

-- Of its runs those that are held have been made before.
local function insert(run, ended)
  local words = {}
  for i = 1, #run.ids do
    local body = ARGV[run.from + 2 * i - 1]
    if run.held[i] or ended[schedule_of(body)] then words[i] = 'held' end
  end
  run.words = words
  write_items(run, {})
end

local function write(id, record, look, name, heard)
  if record == '' then
    call('HDEL', records, id)
    call('ZREM', schedules, id)
    call('ZREM', names, name)
  else
    call('HSET', records, id, record)
    call('ZADD', names, 0, name)
    if look == '' then call('ZREM', schedules, id) else call('ZADD', schedules, look, id) end
  end
  for at = 1, #heard, 16 do call('ZREM', outbox, id .. 'r' .. sub(heard, at, at + 15)) end
  return tonumber(look)
end

-- Whoever sleeps for longer than that.
local function wake_scheduler(earliest_look)
  local when, who = post()
  if when and when <= earliest_look and when > now - 100 then return end
  if who and call('PUBLISH', prefix .. 'wake:' .. who, 's') > 0 then return end
  call('PUBLISH', prefix .. 'all', 's')
end

local missing, ended, reply, first = {}, {}, {'ok', now}, math.huge
local runs = read_runs({}, missing, steps_at - 1)
if #missing > 0 then return {'elsewhere', unpack(missing)} end
for at = steps_at, #ARGV, 6 do
  local found = standing(ARGV[at], ARGV[at + 1], ARGV[at + 2], ARGV[at + 5])
  ended[ARGV[at]] = found
  reply[#reply + 1] = found == 'stale' and 0 or 1
end
for at = steps_at, #ARGV, 6 do
  if not ended[ARGV[at]] then
    local look = write(ARGV[at], unpack(ARGV, at + 2, at + 5))
    first = math.min(first, look or math.huge)
  end
end
for _, run in ipairs(runs) do insert(run, ended) end
name_queues()
for _, run in ipairs(runs) do
  if run.wakes then wake(run.q, run.wakes) end
end
if first < math.huge then wake_scheduler(first) end
return reply
