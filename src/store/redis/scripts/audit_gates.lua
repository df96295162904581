-- audit_gates: looks whether gates, slots and groups agree.
-- Keys:    the shard's; six for each queue
-- Args:    1 to repair, which (slots, groups, few, running, waits), cursor ('0' to begin), about how many
-- Returns: 'ok', now, cursor ('0': the end), then findings
-- Cost:    O(entries); running: O(slots + gates), at most 10,000 slots
-- Needs:   lib_finding lib_groups
mends = repair
local which, page = ARGV[2], {'0', {}}
local looks = {}

-- Slots of claims that are gone: nobody will free them.
function looks.slots(field)
  if field == '.' then return end
  local id, claim = sub(field, 1, 16), sub(field, 17)
  if call('HEXISTS', claims, claim) == 0 and finding('slot_leaked', id, 'its claim is over, and it still counts as running') then
    free_slot(id, claim)
  end
end

function looks.groups(field, value)
  if byte(field) ~= 103 then return end
  local group = sub(field, 2)
  local member, ticket, text = standing_of(group)
  local head = inside.head_of(group)
  if not head then
    if finding('empty_group', group, 'its turn comes, and it has no tasks') then
      call('ZREM', held, member)
      dissolve(group)
      let_all_go(text)
    end
  elseif not call('ZSCORE', held, member) and finding('stuck', group, 'a group whose turn will not come') then
    local queue = byte(member) == 112 and sub(member, 2 + gate_width, -33) or sub(member, 2, -47)
    line_up(queue, sub(head, 18, 18), group, ticket, text)
    strangers.wake_for_turn(queue)
  end
  if head and inside.own_of(group) ~= '' and call('SISMEMBER', inside.few, group) == 0
    and finding('unlisted', group, 'a group whose tasks are in no list') then
    call('SADD', inside.few, group)
  end
end

-- Those that hold tasks themselves.
local function look_at_few(after)
  local some = call('SSCAN', inside.few, after, 'COUNT', ARGV[4])
  inside.read(some[2])
  for i = 1, #some[2] do
    local group = some[2][i]
    if inside.own_of(group) == '' and finding('wrong_list', group, 'a group that holds no tasks itself, in the list of those that do') then
      call('SREM', inside.few, group)
    end
  end
  return some[1]
end

-- How many run, as slots say it.
local function by_slots()
  local right, all = {}, call('HGETALL', slots)
  local function add(field) right[field] = (right[field] or 0) + 1 end
  local function one_more(gate)
    add('c' .. gate)
    if sub(gate, 10) ~= no_key then add('a' .. sub(gate, 1, 9)) end
  end
  for i = 2, #all, 2 do
    local value = all[i - 1] ~= '.' and all[i] or ''
    for at = 1, #value - gate_width + 1, gate_width do
      local gate = sub(value, at, at + gate_width - 1)
      if byte(gate) ~= 115 then one_more(gate) end
    end
  end
  return right
end

-- Who stands in line and has no slots: nobody would take it out.
local function look_at_line()
  local all = call('ZRANGE', returns.key, 0, 9999)
  for i = 1, #all do
    local field = sub(all[i], 1 + gate_width + returns.order_width)
    local value = call('HGET', slots, field)
    local stands = value and sub(value, -returns.order_width) == sub(all[i], 1 + gate_width, gate_width + returns.order_width)
    if not stands and finding('slot_leaked', sub(field, 1, 16), 'it waits in line at a limit, and holds none') then
      call('ZREM', returns.key, all[i])
      let_go(sub(all[i], 1, gate_width))
    end
  end
end

local function look_at_running()
  look_at_line()
  if call('HLEN', slots) > 10000 then return end
  local right, cursor = by_slots(), '0'
  local function judge(field, counted, there)
    if counted == there or not finding('counter', sub(field, 3, 10), counted .. ' counted as running, ' .. there .. ' run') then return end
    if there == 0 then call('HDEL', gates, field) else call('HSET', gates, field, there) end
    if byte(field) == 99 then
      seen.counts[field] = nil
      let_go(sub(field, 2))
    end
  end
  repeat
    local some = call('HSCAN', gates, cursor, 'COUNT', 500)
    for i = 1, #some[2], 2 do
      local field = some[2][i]
      if byte(field) == 99 or byte(field) == 97 then
        judge(field, tonumber(some[2][i + 1]), right[field] or 0)
        right[field] = nil
      end
    end
    cursor = some[1]
  until cursor == '0'
  for field, there in pairs(right) do judge(field, tonumber(call('HGET', gates, field) or 0), there) end
end

-- Who waits at an open gate while nobody of its queue has a turn that would let the next one go.
local function look_at_waits(after)
  local first = call('ZRANGE', held, after == '0' and '[p' or '(' .. after, '(q', 'BYLEX', 'LIMIT', 0, 1)[1]
  if not first then return '0' end
  local gate = sub(first, 2, 1 + gate_width)
  local queue = sub(first, 2 + gate_width, -33)
  local till = closed_until(gate)
  local coming = any_turn(queue) or till == math.huge or call('ZSCORE', opens, gate)
  if not coming and finding('stuck', sub(first, -16), 'a group waits at an open gate') then let_go(gate) end
  return 'p' .. gate .. queue .. '\n\255'
end

if which == 'running' then
  look_at_running()
elseif which == 'few' then
  page[1] = look_at_few(ARGV[3])
elseif which == 'waits' then
  page[1] = look_at_waits(ARGV[3])
else
  page = call('HSCAN', which == 'slots' and slots or groups, ARGV[3], 'COUNT', ARGV[4])
  for i = 1, #page[2], 2 do looks[which](page[2][i], page[2][i + 1]) end
end
return {'ok', now, page[1], unpack(findings)}
