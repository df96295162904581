-- Where groups stand in `held` (lib_groups.lua). A call that moves many of them writes that once, when it has moved them all.
-- Needs: lib_gates lib_names
-- Gives: groups digit_of written first_of stand take_off dissolve standing_of stand_well new_ticket line_up moving next_turn turn_taken
-- Gives: inside
groups = prefix .. 'groups'
-- Of what groups hold: where those stand that hold tasks themselves, and how long such a task is (lib_groups.lua).
inside = {few = prefix .. 'few', width = 30}

function first_of(front) return call('ZRANGE', held, '[' .. front, '[' .. front .. '\255', 'BYLEX', 'LIMIT', '0', '1')[1] end

-- Between `begin` and `write` moves are remembered: members of `held` that are no more, fields of `groups` that are no more, groups that
-- stand elsewhere with the members by which they do (false: nowhere), and the gates at which somebody has come or gone (`at`): nobody
-- reads there before it is written.
moving = {on = false, at = {}}
local gone, over, moved, member_of, emptied
-- How many are gone, are over, have moved: to find the end of a table is dear.
local left, ended, changes
function moving.begin()
  moving.on, moving.at, gone, over, moved, member_of, emptied = true, {}, {}, {}, {}, {}, {}
  left, ended, changes = 0, 0, 0
end

function moving.write()
  local places, fields, n, standings = {}, {}, 0, seen.standings
  for i = 1, changes do
    local group = moved[i]
    local member, value = member_of[group], standings[group]
    if member and value then
      places[n + 1] = '0'
      fields[n + 1] = 'g' .. group
      n = n + 2
      places[n] = member
      fields[n] = value
    end
  end
  many('ZREM', held, gone, 1, left)
  many('HDEL', groups, over, 1, ended)
  many('SREM', inside.few, emptied, 1, #emptied)
  many('ZADD', held, places, 1, n)
  many('HSET', groups, fields, 1, n)
  moving.on = false
end

-- A task has left its group.
function moving.took(member, id)
  left, ended = left + 1, ended + 1
  gone[left] = member
  over[ended] = 'i' .. id
end

-- The turns of a queue as they were read (`list`, `n` of them, from `at` on not taken yet), and in order what this call has lined
-- up in it itself (`mine`).
local turns = {}

-- `ticket`: those with smaller ones have waited for longer since they last started something (14 digits).
local lengths = {}
function stand(group, member, ticket, text)
  local length = #member
  local two = lengths[length]
  if not two then
    two = struct.pack('>I2', length)
    lengths[length] = two
  end
  local own = seen.own[group]
  if own == nil then
    standing_of(group)
    own = seen.own[group] or ''
  end
  local value = two .. member .. ticket .. text .. own
  seen.standings[group] = value
  if not moving.on then
    call('ZADD', held, '0', member)
    call('HSET', groups, 'g' .. group, value)
    return
  end
  if member_of[group] == nil then
    changes = changes + 1
    moved[changes] = group
  end
  member_of[group] = member
end

-- It stands nowhere until it stands again, or is dissolved.
function take_off(group, member)
  if not moving.on then
    call('ZREM', held, member)
    return
  end
  if member_of[group] then member_of[group] = false end
  left = left + 1
  gone[left] = member
end

-- It holds no tasks itself any more.
function moving.holds_none(group) emptied[#emptied + 1] = group end

-- The last of its tasks has left it.
function dissolve(group)
  seen.standings[group], seen.own[group] = false, ''
  if moving.on then
    ended = ended + 1
    over[ended] = 'g' .. group
  else
    call('HDEL', groups, 'g' .. group)
  end
end

-- As `groups` holds it: how long its member is.
local function length_in(value) return byte(value, 1) * 256 + byte(value, 2) end

-- Behind a group's gates stand the tasks that it holds itself, which begin with digits and gates with letters.
-- One gate and one task: what is less holds none.
local shortest = gate_width + inside.width - 1
local function own_at(value, from)
  local at, size = from + gate_width, #value
  if size < from + shortest then return size + 1 end
  while at < size and byte(value, at) > 57 do at = at + gate_width end
  return at
end

-- Its gates. What it holds is remembered unless this call has changed it.
local function gates_at(value, from, group)
  local own = seen.own
  if #value < from + shortest then
    own[group] = own[group] or ''
    return sub(value, from)
  end
  local at = own_at(value, from)
  if own[group] == nil then own[group] = sub(value, at) end
  return sub(value, from, at - 1)
end

-- Where the group stands in `held`, its ticket and its gates; nil: it is empty.
function standing_of(group)
  local value = seen.standings[group]
  if value == nil then
    value = call('HGET', groups, 'g' .. group)
    seen.standings[group] = value or nil
  end
  if not value then return end
  local length = length_in(value)
  return sub(value, 3, 2 + length), sub(value, 3 + length, 16 + length), gates_at(value, 17 + length, group)
end

-- The gates of many groups; nil of those that are empty.
local function texts_of(all)
  local fields, missing, texts, n, standings = {}, {}, {}, 0, seen.standings
  for i = 1, #all do
    local value = standings[all[i]]
    if value then
      texts[i] = gates_at(value, 17 + length_in(value), all[i])
    elseif value == nil then
      n = n + 1
      fields[n] = 'g' .. all[i]
      missing[n] = i
    end
  end
  local values = hmget(groups, fields)
  for n = 1, n do
    local value = values[n]
    if value then texts[missing[n]] = gates_at(value, 17 + length_in(value), all[missing[n]]) end
  end
  return texts
end
-- Reads what many groups hold themselves.
function inside.read(all)
  local texts = texts_of(all)
  for i = 1, #all do
    if not texts[i] then seen.own[all[i]] = '' end
  end
end

-- Whether these groups of a queue, given with their fields of `groups`, stand well when a task of such a priority (9 - p) comes into each: nil,
-- they are empty. And whether they wait at a gate; what `groups` has of each, and where there the tasks begin that it holds itself.
function stand_well(all, fields, queue, priorities)
  local values, well, at_gates, own_ats = hmget(groups, fields), {}, {}, {}
  for i = 1, #fields do
    local value = values[i]
    if value then
      local length, gated = length_in(value), byte(value, 3) == 112
      local at = gated and length - 28 or #queue + 5
      well[i], at_gates[i] = byte(value, at) - 48 <= priorities[i], gated
      own_ats[i] = own_at(value, 17 + length)
    else
      seen.standings[all[i]] = false
    end
  end
  return well, at_gates, values, own_ats
end

-- The characters of digits: to look one up is cheaper than to make it.
digit_of = {[0] = '0', '1', '2', '3', '4', '5', '6', '7', '8', '9'}

-- A number of so many digits (`front`: without the last one) where most follow one another: writing a number is dear in Lua.
function written(kept, number, front)
  local last = number % 10
  local tens = number - last
  if kept.tens ~= tens then kept.tens, kept.text = tens, string.format(front, tens / 10) end
  return kept.text .. digit_of[last]
end

-- Some at a time: what this call does not use nobody does.
local tickets = {}
function new_ticket()
  if not seen.ticket or seen.ticket % 50 == 0 then
    local order = call('HINCRBY', gates, 'order', '1')
    -- Redis reads a hash of few short fields from its beginning for each that it looks for: one long value, and it does not.
    if order == 1 then call('HSET', gates, '.', string.rep('.', 65)) end
    seen.ticket = 50 * order
  end
  seen.ticket = seen.ticket + 1
  return written(tickets, seen.ticket, '%013d')
end

-- Its turn comes, at the present virtual time of its queue, or at this one.
function line_up(queue, priority, group, ticket, text, at)
  local time = at or seen.times[queue]
  if not time then
    time = tonumber(call('HGET', gates, 'v' .. queue) or 0)
    seen.times[queue] = time
  end
  if turns.said ~= time then turns.said, turns.text = time, string.format('%014.0f', time) end
  local member = 't' .. queue .. '\n' .. priority .. turns.text .. ticket .. group
  stand(group, member, ticket, text)
  if turns.queue ~= queue then return end
  local mine = turns.mine
  local place = #mine + 1
  while place > 1 and member < mine[place - 1] do
    mine[place], place = mine[place - 1], place - 1
  end
  mine[place] = member
end

-- Whose turn comes next in a queue: of `most` at once where they stand is read, and how many run behind their gates. What was
-- moved before is written then.
function next_turn(queue, most)
  if turns.queue ~= queue or turns.at > turns.n and not turns.all then
    if moving.on then moving.write() end
    local front, there, asked = 't' .. queue .. '\n', {}, {}
    local list = call('ZRANGE', held, '[' .. front, '[' .. front .. '\255', 'BYLEX', 'LIMIT', '0', most)
    for i = 1, #list do there[i] = sub(list[i], -16) end
    local texts = texts_of(there)
    for i = 1, #list do
      if texts[i] then ask_running(asked, gates_in(texts[i])) end
    end
    read_running(asked)
    turns.queue, turns.list, turns.groups, turns.texts, turns.at, turns.mine = queue, list, there, texts, 1, {}
    turns.n = #list
    turns.all = turns.n < most
    moving.begin()
  end
  local read, mine = turns.list[turns.at], turns.mine[1]
  return mine and (not read or mine < read) and mine or read
end
-- It is taken by who asked for it. Returns the group and its gates.
function turn_taken(member)
  local at, group, text = turns.at, nil, nil
  if member == turns.list[at] then
    group, text = turns.groups[at], turns.texts[at]
    turns.at = at + 1
  else
    table.remove(turns.mine, 1)
    group = sub(member, -16)
    local value = seen.standings[group]
    if value then text = gates_at(value, 17 + length_in(value), group) end
  end
  take_off(group, member)
  return group, text
end
-- Whether more groups have their turns, as they were read, than so many.
function moving.more_turns(than) return not turns.all or turns.n - turns.at >= than end
function moving.turns_are_over() turns.queue = nil end
