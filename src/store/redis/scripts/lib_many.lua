-- Calls that take any number of values, and numbers of a fixed width in a record.
-- Needs: lib_base

-- One command over many values: Lua cannot unpack more than about 8000. `from`..`to` are positions in
-- `values`.
local function many(command, key, values, from, to)
  local total = 0
  if from > to then return total end
  if to - from < 4000 then return call(command, key, unpack(values, from, to)) end
  for at = from, to, 4000 do
    local answer = call(command, key, unpack(values, at, math.min(at + 3999, to)))
    if type(answer) == 'number' then total = total + answer end
  end
  return total
end

local function hmget(key, fields)
  local n = #fields
  if n == 0 then return {} end
  if n <= 4000 then return call('HMGET', key, unpack(fields)) end
  local all = {}
  for at = 1, n, 4000 do
    local some = call('HMGET', key, unpack(fields, at, math.min(at + 3999, n)))
    for i = 1, #some do all[at + i - 1] = some[i] end
  end
  return all
end

-- A fixed-width number in a record: `width` bytes from position `at`.
local function number_at(record, at, width)
  local value = 0
  for i = at, at + width - 1 do value = value * 256 + byte(record, i) end
  return value
end
