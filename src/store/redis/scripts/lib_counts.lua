-- `counts`: what happened so far, as fields that only grow: a letter (s d c x ended so, f failed attempts), a
-- colon and the queue. Of history lists: s: how many came in, '-': how many left, p: how many entries left.
-- Besides 'v:' and a queue: how many entries of its ready list are void now; 'q:' and the queue's name as it
-- stands in keys -> as users write it.
-- Needs: lib_names lib_record
local function count(letter, q, n) call('HINCRBY', counts, letter .. ':' .. name_of(q), n) end

local function count_ends(q, values)
  local numbers = {}
  for i = 1, #values do
    local letter = state_letter(values[i])
    numbers[letter] = (numbers[letter] or 0) + 1
  end
  for letter, n in pairs(numbers) do count(letter, q, n) end
end
