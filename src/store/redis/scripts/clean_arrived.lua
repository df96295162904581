-- clean, submissions that came from a database's outbox and that nobody has said do not come again: a page.
local function clean_arrived(key, oldest)
  local page = call('HSCAN', key, call('HGET', control, 'arrived_page') or '0', 'COUNT', 200)
  for i = 1, #page[2], 2 do
    if tonumber(page[2][i + 1]) < oldest then call('HDEL', key, page[2][i]) end
  end
  call('HSET', control, 'arrived_page', page[1])
end
