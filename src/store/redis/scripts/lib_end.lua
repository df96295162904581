-- What every way of ending has in common. An ended task is `ended[id]` = 13 digits (ms) + outcome, and
-- stands in a history list (success) or in `buried` (all else), so that clean finds it.
local stamp = string.format('%013.0f', now)

-- A number of a body, and where what follows it begins.
local function varint(body, at)
  local value, unit = 0, 1
  repeat
    local part = byte(body, at)
    value, unit, at = value + part % 128 * unit, unit * 128, at + 1
  until part < 128
  return value, at
end

local function after_text(body, at)
  local length, from = varint(body, at)
  return from + length
end

-- What of a body outlives retention for unique_for: enough to decode, and to know the life of the holder.
local function stub(body)
  local at = after_text(body, after_text(body, 12))
  return sub(body, 1, 1) .. '\0' .. sub(body, 3, at - 1) .. '[]'
end

local function keep_stub(id, body, record, until_ms)
  call('HSET', tasks, id, stub(body))
  call('HSET', ended, id, sub(record, 1, 32) .. '\0\0\0')
  call('ZADD', buried, until_ms, id)
end

-- A longer outcome is announced only: many of them at once would outgrow a watcher's output buffer.
local most_told = 32768

-- Tells those who watch: one message for each watcher, whatever the number of tasks. `outcomes[i]` is how
-- ids[i] ended; must be called while the bodies are still there. Returns which of the ids were watched.
local function tell(ids, outcomes)
  if call('HLEN', watched) <= 1 then return {} end
  local messages, heard = {}, {}
  local who = hmget(watched, ids)
  for i = 1, #ids do
    if who[i] then
      local body = call('HGET', tasks, ids[i])
      local record = #outcomes[i] <= most_told and stamp .. outcomes[i] or ''
      local part = ids[i] .. sub(body or '', 4, 11) .. struct.pack('>I4', #record) .. record
      for name in string.gmatch(who[i], '[^\n]+') do
        messages[name] = (messages[name] or 'e') .. part
      end
      heard[ids[i]] = true
      call('HDEL', watched, ids[i])
    end
  end
  for name, message in pairs(messages) do call('PUBLISH', prefix .. 'wake:' .. name, message) end
  return heard
end

-- Ends one task that no worker holds, with this outcome; a watched one is kept a minute for those who
-- come to look.
local function bury(id, body, outcome)
  local heard = tell({id}, {outcome})
  local retention = number_at(outcome, 8, 6)
  if retention == 0 and heard[id] then retention = 60000 end
  if retention == 0 then
    call('HDEL', tasks, id)
    call('HDEL', notes, id)
    return
  end
  call('HSET', ended, id, stamp .. outcome)
  call('ZADD', buried, now + retention, id)
end
