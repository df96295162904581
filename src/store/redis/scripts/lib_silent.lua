-- Which of these names (processes, or connections of theirs) nobody hears any more: a set. Who comes back says again what it
-- waits for.
-- Needs: lib_base
local function silent_ones(names)
  local gone = {}
  for from = 1, #names, 1000 do
    local channels, last = {}, math.min(from + 999, #names)
    for i = from, last do channels[i - from + 1] = prefix .. 'wake:' .. string.match(names[i], '^[^\n]+') end
    local heard = call('PUBSUB', 'NUMSUB', unpack(channels))
    for i = from, last do
      if tonumber(heard[2 * (i - from + 1)]) == 0 then gone[names[i]] = true end
    end
  end
  return gone
end

-- The names of a text, each followed by a line break, without those that nobody hears.
local function heard_names(text)
  local names, kept = {}, {}
  for name in string.gmatch(text, '[^\n]+') do names[#names + 1] = name end
  local gone = silent_ones(names)
  for i = 1, #names do
    if names[i] == '>' or not gone[names[i]] then kept[#kept + 1] = names[i] .. '\n' end
  end
  return table.concat(kept)
end
