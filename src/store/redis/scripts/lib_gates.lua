-- Gates: what a task must pass when it starts. Which it has stands at the end of its body (core/gates.hpp), 17 bytes each: kind
-- (m: how many run, s: how many start in a time, b: both), limit (8), key (8).
--
-- limits: 'r' limit -> the rule in force: how many run, spacing and tolerance of starts (us; '-': not limited); 'n' its name;
--         'd' the rule that a program declares, 's' the one that was set at run time (limits_set.lua); 'f' the version of the
--         last share that was told of one that holds over several shards, 'o' what it is while it is in force: 'share' or 'shut',
--         the server that has heard of it, and how many may run of those who go on ('-': not limited); 'w' since when somebody
--         waits because of it, 'z' how long somebody has before (ms); 'q' what starts under rules of before have used, as long
--         as it counts: the spacing and tolerance of the last rule of a rate (limits_set.lua), until when, by how much more, from
--         and since when (us)
-- gates:  'c' gate -> how many run; 'a' kind, limit -> how many run of all keys; 't' gate -> when the last start is used up (us);
--         written while starts under rules of before count, also how much more of those is in it, and the last number of 'q'
--         'w' queue of strangers -> until when (ms) who hears first when they have a turn (lib_groups.lua); '.' one long value, by
--         which Redis looks the others up (lib_places.lua)
-- slots:  id, claim -> the gates that the task holds under that claim. Only who takes such a field away frees them. While its attempt
--         waits for another task there is none, and before it runs again there is more in it (lib_returns.lua). '.' as in gates
-- held:   'p' gate, queue, a line break, priority (9 - p), ticket, group -> groups that wait at this gate, their first closed one
-- opens:  gate -> when its rate lets the next one through (ms), as long as somebody waits at it
--
-- Invariant: who waits at a gate that is open is not forgotten: another group of its queue that the gate let go has yet to be
-- looked at.
-- These keys have the shard's hash tag and are few: their names are made here, so that calls without limits need not carry them.
-- Needs: lib_queues lib_many lib_server
local limits, gates, slots = prefix .. 'limits', prefix .. 'gates', prefix .. 'slots'
local held, opens = prefix .. 'held', prefix .. 'opens'
local gate_width, no_key = 17, string.rep('\0', 8)

local function is_gated(body) return byte(body, 3) >= 128 end
local function gates_of(body) return sub(body, -1 - gate_width * byte(body, -1), -2) end

-- What a fail-over took back may be that a share was made smaller, and others have the rest by now: so nothing goes by one that
-- another server has heard of. It is told again (core/limit_shares.hpp).
function rules.is_old(share) return share and string.match(share, '^%l+ (%x*) ') ~= rules.server() end
function rules.take_share(rule, share)
  local kind, going_on = string.match(share, '^(%l+) %x* (%S+)$')
  if rules.is_old(share) then
    rule.most, rule.others_go_on, rule.most_go_on = 0, true, 0
  elseif kind == 'share' then
    rule.others_go_on, rule.most_go_on = true, tonumber(going_on)
  end
end

-- Under a rule that has followed another one (core/rate_gate.hpp, change_of): `more` than is kept counts of what is kept until
-- `till`, and nothing is brought down below what it may be `from` then. `series` tells these changes from any that come when they are over.
function rules.count_before(rule, text)
  local till, more, from, since, series = string.match(text, '^%S+ %S+ (%S+) (%S+) (%S+) (%S+) (%S+)$')
  till, more = tonumber(till), tonumber(more)
  if micros <= till + more then rule.till, rule.more, rule.series = till, more, series end
  if micros >= tonumber(since) then rule.from = tonumber(from) end
end

-- When the last start is used up, at this gate, as it is kept, and how much of `more` is in it already.
function rules.kept_of(gate, rule)
  local text = call('HGET', gates, 't' .. gate) or '0'
  local kept = tonumber(text)
  if kept then return kept, 0 end
  local number, more, series = string.match(text, '^(%S+) (%S+) (%S+)$')
  return tonumber(number), series == rule.series and tonumber(more) or 0
end
function rules.keep(gate, rule, used_up)
  local text = string.format('%.2f', used_up)
  if rule.more then text = string.format('%s %.2f %s', text, rule.more, rule.series) end
  call('HSET', gates, 't' .. gate, text)
end

local function rule_of(gate)
  local limit = sub(gate, 2, 9)
  local rule = rules[limit]
  if rule == nil then
    local kept = call('HMGET', limits, 'r' .. limit, 'w' .. limit, 'o' .. limit, 'q' .. limit)
    local most, spacing, tolerance = string.match(kept[1] or '', '^(%S+) (%S+) (%S+)$')
    rule = {most = tonumber(most), spacing = tonumber(spacing), tolerance = tonumber(tolerance), waited_since = tonumber(kept[2])}
    -- Where there is no burst, who comes later than the tolerance begins anew (core/rate_gate.hpp).
    if rule.spacing then rule.anew = rule.tolerance < rule.spacing and rule.tolerance or 0 end
    if kept[3] then rules.take_share(rule, kept[3]) end
    if kept[4] then rules.count_before(rule, kept[4]) end
    rules[limit] = rule
  end
  return rule
end

-- When the last start is used up, at this gate. Farther ahead than a full burst only another rule or a clock that went back can
-- leave it: that is mended where it is seen, or its opening would move on with the clock.
local mends = true
local function used_up(gate, rule)
  local kept, counted = rules.kept_of(gate, rule)
  local latest = math.max(micros, rule.from or 0) + rule.tolerance + rule.spacing
  if rule.more and kept <= rule.till then kept = kept + rule.more - counted end
  if kept > latest then
    if mends then rules.keep(gate, rule, latest) end
    return latest
  end
  return kept < micros and micros + rule.anew or kept
end

-- What this call has read or written, so that it asks once for what many tasks share: commands are what a task costs.
-- `counts`: how many run, by fields of `gates`, when write_counts has not written it yet, too; `totals`: of new limits, to be
-- read with the next; `quiet`: nobody waits at any of these limits (let_all_go). lib_places.lua and lib_let_go.lua keep here
-- where groups stand, the tasks that they hold themselves (`own`), the virtual times of queues, gates at which nobody waits,
-- those of which a place is promised (priority, ticket), and queues of which the call itself takes what it has let go;
-- lib_returns.lua at how many it looked in vain.
local seen = {counts = {}, gates = {}, kinds = {}, texts = {}, standings = {}, own = {}, times = {}, unwaited = {}, promised = {},
  in_vain = {}, mine = {}, totals = {}}

-- What is asked of a gate again and again, and the gates of a text: strings that are made anew are what costs Lua most.
-- Of a gate `count`, its field of `gates`, and what it shares with others of its limit (`kind`); its name is asked for less often.
local texts_known = seen.texts
local function gate_of(known) return sub(known.count, 2) end
local known_gate, gates_in
do
  local gates_known, kinds_known = seen.gates, seen.kinds
  local function make_known(gate)
    local limit = sub(gate, 1, 9)
    local kind = kinds_known[limit]
    if not kind then
      local rule, runs = rule_of(gate), byte(gate) ~= 115
      kind = {runs = runs, rule = rule, total = 'a' .. limit, of_all = 'c' .. limit .. no_key, limit = limit,
        most = runs and rule.most, spacing = byte(gate) ~= 109 and rule.spacing, more = 0}
      kinds_known[limit], seen.quiet = kind, nil
      if runs then seen.totals[#seen.totals + 1] = kind.total end
    end
    return {kind = kind, count = 'c' .. gate}
  end
  function known_gate(gate)
    local known = gates_known[gate]
    if not known then
      known = make_known(gate)
      gates_known[gate] = known
    end
    return known
  end
  function gates_in(text)
    local all = texts_known[text]
    if not all then
      if #text == 2 * gate_width then
        -- The first is mostly of a key, and in no other text.
        all = {make_known(sub(text, 1, gate_width)), known_gate(sub(text, 1 + gate_width))}
      else
        all = {}
        for at = 1, #text, gate_width do all[#all + 1] = known_gate(sub(text, at, at + gate_width - 1)) end
      end
      texts_known[text] = all
    end
    return all
  end
end

local run_there = seen.counts
local running, ask_running, read_running, add_running, write_counts
do
  -- Counts that are another number now, and by how much others are that have not been read.
  local changed, unsettled = {}, {}

  function running(known)
    local field = known.count
    local count = run_there[field]
    if not count then
      count = tonumber(call('HGET', gates, field) or 0)
      local by = unsettled[field]
      if by then count, unsettled[field], changed[field] = math.max(0, count + by), nil, true end
      run_there[field] = count
    end
    return count
  end

  -- The same of many: first they are noted, then all are read at once.
  function ask_running(fields, all)
    for g = 1, #all do
      local known = all[g]
      local field = known.count
      if not run_there[field] and known.kind.runs and not unsettled[field] then
        -- Until it is known: asked for once.
        fields[#fields + 1] = field
        run_there[field] = 0
      end
    end
  end
  function read_running(fields)
    -- With them the totals of limits that are new to this call.
    for _, total in ipairs(seen.totals) do
      if not run_there[total] and not unsettled[total] then fields[#fields + 1], run_there[total] = total, 0 end
    end
    seen.totals = {}
    local numbers = hmget(gates, fields)
    for i = 1, #fields do
      local number = numbers[i]
      if number then run_there[fields[i]] = tonumber(number) end
    end
  end

  local function add_to(field, by)
    local count = run_there[field]
    if count then
      count = count + by
      run_there[field] = count > 0 and count or 0
      changed[field] = true
    else
      unsettled[field] = (unsettled[field] or 0) + by
    end
  end
  -- Of all keys together they are added up until they are written.
  function add_running(known, by)
    local kind = known.kind
    if not kind.runs then return end
    local field = known.count
    add_to(field, by)
    if field ~= kind.of_all then kind.more = kind.more + by end
  end

  -- Tasks of a call share gates: each count is written once, with other fields if there are any.
  function write_counts(others)
    local kept, gone = others or {}, {}
    for _, kind in pairs(seen.kinds) do
      if kind.more ~= 0 then
        add_to(kind.total, kind.more)
        kind.more = 0
      end
    end
    local n = #kept
    for field in pairs(changed) do
      local count = run_there[field]
      if count > 0 then
        kept[n + 1] = field
        kept[n + 2] = count == 1 and '1' or digits(count)
        n = n + 2
      else
        gone[#gone + 1] = field
      end
    end
    many('HSET', gates, kept, 1, n)
    many('HDEL', gates, gone, 1, #gone)
    for field, by in pairs(unsettled) do
      if by ~= 0 and call('HINCRBY', gates, field, by) <= 0 then call('HDEL', gates, field) end
    end
    changed, unsettled = {}, {}
  end
end

-- False when it is open; else when it opens (us), math.huge: when a slot is freed.
local function closed(known)
  local kind = known.kind
  if kind.most and (run_there[known.count] or running(known)) >= kind.most then return math.huge end
  if not kind.spacing then return false end
  local opening = used_up(gate_of(known), kind.rule) - kind.rule.tolerance
  return opening > micros and opening
end
local function closed_until(gate) return closed(known_gate(gate)) end

-- The first gate of these that is closed, as known_gate has it, and until when; nil: all are open.
local function first_closed(text)
  local all = texts_known[text] or gates_in(text)
  for g = 1, #all do
    local known = all[g]
    local kind = known.kind
    local most = kind.most
    if most and (run_there[known.count] or running(known)) >= most then return known, math.huge end
    local till = kind.spacing and closed(known)
    if till then return known, till end
  end
end

local function go_through(text)
  local all = texts_known[text] or gates_in(text)
  for g = 1, #all do
    local known = all[g]
    local kind = known.kind
    if kind.spacing then
      local gate = gate_of(known)
      rules.keep(gate, kind.rule, used_up(gate, kind.rule) + kind.spacing)
    end
    add_running(known, 1)
  end
end

-- One of those that ran has ended, at each of these gates.
local function come_back(text)
  local all = texts_known[text] or gates_in(text)
  for g = 1, #all do add_running(all[g], -1) end
end
