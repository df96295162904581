-- A shard that was never made, or whose data is gone, is made first (open): without its sentinels and its stamp what is
-- written into it would be misread.
-- Needs: lib_base
if call('HEXISTS', control, 'format') == 0 then return {'unmade', now} end
