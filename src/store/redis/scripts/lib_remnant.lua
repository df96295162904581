-- What of a body outlives retention for unique_for: enough to decode (without its gates), and to know the life of the holder.
-- Needs: lib_record lib_body lib_entry lib_staged
local function keep_remnant(id, value, until_ms)
  drop_stages(id)
  local body = body_of(value)
  local at = after_text(body, after_text(body, 12))
  local kept = '\1\0' .. string.char(9 - early.rank_of(body)) .. sub(body, 4, at - 1) .. '[]'
  call('HSET', tasks, id, sub(value, 1, 14) .. '\0\0\0\22' .. sub(value, 19, 37) .. '\0\0\0' .. kept)
  call('ZADD', buried, until_ms, id)
end
