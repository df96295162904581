-- Reading a body beyond its fixed front.
-- Needs: lib_base
-- Gives: after_text retention_of kept_as

-- A number of a body, and where what follows it begins.
local function varint(body, at)
  local value, unit = 0, 1
  repeat
    local part = byte(body, at)
    value, unit, at = value + part % 128 * unit, unit * 128, at + 1
  until part < 128
  return value, at
end

function after_text(body, at)
  local length, from = varint(body, at)
  return from + length
end

-- How long the body says that the ended task is kept (ms); nil when it does not.
function retention_of(body)
  local flags, at, retention = byte(body, 2), after_text(body, after_text(body, 12)), nil
  if flags % 32 < 16 then return nil end
  if flags % 2 == 1 then at = after_text(body, at) end
  for _, flag in ipairs({2, 4, 8, 16}) do
    if math.floor(flags / flag) % 2 == 1 then retention, at = varint(body, at) end
  end
  return retention / 2
end

-- An outcome, kept as long as the body says, if it says so.
function kept_as(outcome, body)
  local retention = retention_of(body)
  return retention and sub(outcome, 1, 7) .. struct.pack('>I6', retention) .. sub(outcome, 14) or outcome
end
