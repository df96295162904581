-- Reading a body beyond its fixed front.

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
