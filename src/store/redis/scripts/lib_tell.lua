-- Tells workers that tasks stand aside whose handler they know.
-- Which handlers a worker knows stands in its card as JSON, with `ear`: the connection that hears of it.
-- One table: Lua allows a script 200 local names, and some have nearly as many.
-- Needs: lib_names lib_wake
local hints = {}

-- As `answers_to` in a card says it.
function hints.name_of(handler) return (string.gsub(cjson.encode(handler), '\\/', '/')) end

-- Whether one that knows the handler has heard it. `ear`: where it does, nil: as its card says.
function hints.one(worker, name, ear)
  local card = call('HGET', cards, worker)
  local known = card and string.match(card, '"answers_to":(%b[])')
  if not known or not string.find(known, name, 1, true) then return false end
  ear = ear or string.match(card, '"ear":"([^"]+)"')
  return ear and call('PUBLISH', prefix .. 'wake:' .. ear, 'a') > 0
end

-- Idle ones of a queue, `most` of 16; how many have heard it.
function hints.idle(idle, name, most)
  local told = 0
  for _, one in ipairs(call('SRANDMEMBER', idle, 16)) do
    local ear = string.match(one, '^[^\n]+')
    if told < most and hints.one(process_of(ear), name, ear) then told = told + 1 end
  end
  return told
end
