-- audit_links: looks whether the edges of a page hang on tasks that are there, and whether what stands aside does.
-- Keys:    the shard's; six for each queue
-- Args:    1 to repair, the last edge seen ('' to begin), how many
-- Returns: 'ok', now, how many were looked at, the last of them ('': the end), then findings
-- Cost:    O(edges x log edges)
-- Needs:   lib_finding lib_stray audit_aside
local from, count = ARGV[2] == '' and '-' or '(' .. ARGV[2], tonumber(ARGV[3])
local page = call('ZRANGE', links, from, '+', 'BYLEX', 'LIMIT', 0, count)
for i = 1, #page do
  local aside = byte(page[i]) == 104
  if aside then audit_aside_place(page[i]) end
  if not aside and is_stray(page[i]) and finding('stray_edge', sub(page[i], 2, 17), 'an edge of it is there, but it is not') then
    drop_stray(page[i])
  end
end
return {'ok', now, #page, #page == count and page[#page] or '', unpack(findings)}
