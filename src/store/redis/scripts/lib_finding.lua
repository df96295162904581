-- What an audit finds: kind, id, in words. With `repair` the damage is repaired in the same step.
-- Needs: lib_entry lib_torn
local findings, repair = {}, ARGV[1] == '1'
local function finding(kind, id, words)
  local n = #findings
  findings[n + 1], findings[n + 2], findings[n + 3] = kind, id, words
  if repair then
    free_first()
    tear()
  end
  return repair
end

-- An entry of a task may have been written before or after notes of it were.
local function entries_of(id, body)
  return entry_of(id, body), entry_of(id, body, true)
end
local function score_in(key, id, body)
  local plain, noted = entries_of(id, body)
  return call('ZSCORE', key, plain) or call('ZSCORE', key, noted)
end
