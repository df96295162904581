-- Dropping what is kept of stages.
-- Needs: lib_base

-- Whether any task has stages. Most shards hold none; then nothing is looked for, task by task.
local staged = call('HLEN', stages) > 1

local function drop_stages(id)
  if staged then call('HDEL', stages, id) end
end
