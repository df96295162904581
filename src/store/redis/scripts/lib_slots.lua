-- What a claiming call has let through gates: it holds slots as soon as the claim has its number.
-- Needs: lib_groups
local gated_of = {}

-- Of one that does not come with this claim after all: back to the head of its group. False when it has no gates.
local function hold_again(q, id)
  local text = gated_of[id]
  if not text then return false end
  gated_of[id] = nil
  come_back(text)
  hold(q, id, call('HGET', tasks, id), true)
  let_all_go(text)
  return true
end

local function take_slots(ids, claim)
  if not next(gated_of) then return end
  for i = 1, #ids do
    local text = gated_of[ids[i]]
    if text then
      call('HSET', slots, ids[i] .. claim, text)
      gated_of[ids[i]] = nil
    end
  end
  -- What has no body does not come.
  for _, text in pairs(gated_of) do
    come_back(text)
    let_all_go(text)
  end
end
