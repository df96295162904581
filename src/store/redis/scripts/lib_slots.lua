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
  local fields = {}
  for i = 1, #ids do
    local text = gated_of[ids[i]]
    if text then
      fields[#fields + 1], fields[#fields + 2] = ids[i] .. (claim_of and claim_of[i] or claim), text
      gated_of[ids[i]] = nil
    end
  end
  many('HSET', slots, fields, 1, #fields)
  -- What has no body does not come.
  for _, text in pairs(gated_of) do
    undo(text)
    let_all_go(text)
  end
end
