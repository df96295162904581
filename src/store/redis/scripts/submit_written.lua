-- submit, what one call writes: of tasks that depend on others it matters for all of the call.
-- Needs: lib_base

local function is_written(run, i)
  local word = run.words and run.words[i]
  return not word or word == 'again' or word == 'replaced'
end

-- What this call writes, and the parents of those that have any; also these in order.
local function written_by(runs)
  local batch, written, order = {}, {}, {}
  for _, run in ipairs(runs) do
    for i = 1, #run.ids do
      if is_written(run, i) then
        written[run.ids[i]] = true
        local parents = {}
        for at = 1, run.rule and #run.parents[i] or 0, 17 do
          parents[#parents + 1] = sub(run.parents[i], at, at + 15)
        end
        if run.rule then batch[run.ids[i]], order[#order + 1] = parents, run.ids[i] end
      end
    end
  end
  return batch, written, order
end
