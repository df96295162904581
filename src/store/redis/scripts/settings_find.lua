-- settings_find: what is set of handlers at run time.
-- Keys:    the shard's; `settings`
-- Args:    handler ('': all)
-- Returns: 'ok', now, version ('': nothing was ever set), then handler and record of each
-- Cost:    O(handlers of which something is set)
-- `settings` is handler -> record, and `settings` in `control` a number that is another one after each change.
-- Needs:   lib_there
local settings = KEYS[#KEYS]
local reply = {'ok', now, call('HGET', control, 'settings') or ''}
local kept = ARGV[1] == '' and call('HGETALL', settings) or {ARGV[1], call('HGET', settings, ARGV[1]) or ''}
for i = 1, #kept do reply[3 + i] = kept[i] end
return reply
