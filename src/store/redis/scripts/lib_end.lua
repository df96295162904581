-- What every way of ending has in common: who waits for it is told. An ended task stands in a history list (success)
-- or in `listed` and `buried` (all else), so that it is seen, and clean finds it.
-- Needs: lib_news lib_record
-- Gives: tell tells_schedule tell_schedules

-- A longer outcome is announced only: many of them at once would outgrow a watcher's output buffer.
local most_told = 32768

-- The names of watchers who have yet to fetch an end stay: of one that was only announced, or that nobody heard.
local function publish_ends(messages, announced)
  for name, parts in pairs(messages) do
    local unheard = call('PUBLISH', prefix .. 'wake:' .. name, table.concat(parts)) == 0
    for i = 2, (unheard or announced) and #parts or 1 do
      if unheard or #parts[i] == 28 then
        local id = sub(parts[i], 1, 16)
        call('HSET', watched, id, (call('HGET', watched, id) or '') .. name .. '\n')
      end
    end
  end
end

-- Tells those who watch, in one message each, and makes news of tasks that others depend on. `values[i]` is
-- what `tasks` is to hold of ids[i]. Returns which of the ids were watched.
function tell(ids, values)
  local messages, heard, over, news, again, announced = {}, {}, {}, {}, {}, false
  local who = hmget(watched, ids)
  for i = 1, #ids do
    if who[i] then
      local record = body_at(values[i]) <= most_told and end_of(values[i]) or ''
      local part = ids[i] .. life_of(values[i]) .. struct.pack('>I4', #record) .. record
      announced = announced or record == ''
      for name in string.gmatch(who[i], '[^\n]+') do
        if name == '>' then
          news[#news + 1] = ids[i] .. state_letter(values[i])
          -- It may be revived or started anew, and end again.
          if state_letter(values[i]) ~= 's' then again[#again + 1] = ids[i] end
        else
          local parts = messages[name] or {'e'}
          parts[#parts + 1], messages[name] = part, parts
        end
      end
      heard[ids[i]], over[#over + 1] = true, ids[i]
    end
  end
  many('HDEL', watched, over, 1, #over)
  mark_awaited(again)
  announce(news)
  publish_ends(messages, announced)
  return heard
end

-- Of a run of a schedule (core/record.hpp, run_origin): its schedule stands at the end of its body, behind a mark that says
-- whether that is to hear of each end.
local function is_run(value) return byte(value, body_at(value)) == 3 end
function tells_schedule(value) return is_run(value) and byte(value, end_before_gates(value) - 16) == 33 end

-- News for the schedules of those of these that are runs; `heard` comes to hold them as well.
function tell_schedules(ids, values, heard)
  local news = {}
  for i = 1, #ids do
    if is_run(values[i]) then
      news[#news + 1] = schedule_of(values[i]) .. 'r' .. ids[i]
      heard[ids[i]] = true
    end
  end
  announce(news)
end
