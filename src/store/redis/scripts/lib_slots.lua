-- What a claiming call has let through gates: it holds slots as soon as the claim has its number.
-- Needs: lib_let_go
local gated_of = {}

-- As if it had not gone through, in the call in which it has.
local function undo(text)
  come_back(text)
  write_counts()
  for at = 1, #text, gate_width do
    local gate = sub(text, at, at + gate_width - 1)
    local rule = rule_of(gate)
    if rule.spacing and byte(gate) ~= 109 then
      rules.keep(gate, rule, rules.kept_of(gate, rule) - rule.spacing)
    end
  end
end

local function take_slots(ids, claim, claim_of)
  if not next(gated_of) then return end
  -- One long value, for the same reason as in `gates` (lib_places.lua): there are as many of these as run. Read as gates, as who does
  -- not know it does, it is four of the kind of which none are counted.
  local fields, n = {'.', string.rep('s', 4 * gate_width)}, 2
  for i = 1, #ids do
    local id = ids[i]
    local text = gated_of[id]
    if text then
      fields[n + 1], fields[n + 2] = id .. (claim_of and claim_of[i] or claim), text
      n, gated_of[id] = n + 2, nil
    end
  end
  many('HSET', slots, fields, 1, #fields)
  -- What has no body does not come.
  for _, text in pairs(gated_of) do
    undo(text)
    let_all_go(text)
  end
end
