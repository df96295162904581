#!/usr/bin/env python3
"""collect_mutations.py check | list | apply NAME   (in a checkout that has collect; undo with `git checkout src`)"""
import sys
M = {  # name: (file, from, to, program [store], test that must fail)
'claimed_stays_open': ('src/store/redis/scripts/finish_join.lua', " or call('HEXISTS', own, one.carrier) == 1", "", 'conformance redis', 'a bundle whose run was claimed takes no more items'),
'put_off_stays_open': ('src/store/redis/scripts/finish_join.lua', "\n    or call('HEXISTS', notes, one.carrier) == 1", "", 'conformance redis', 'a bundle whose run was put off takes no more items'),
'urgent_joins': ('src/store/redis/scripts/finish_join.lua', "(due >= 0 or priority <= priority_of(one.body))", "true", 'conformance redis', 'what is more urgent than a bundle that is due begins another'),
'ready_twice': ('src/store/redis/scripts/finish_join.lua', "    if one.ready then return end\n    call('ZREM'", "    call('ZREM'", 'conformance redis', 'a bundle that is due takes items until a worker takes it, and is full then as before'),
'settled_twice': ('src/store/redis/scripts/lib_items.lua', "if not bundle.is_item(record) or call('ZREM', links, needs) == 0 then return end", "call('ZREM', links, needs)", 'conformance redis', 'what a run says of its items is done once, and only when it has ended'),
'told_before_end': ('src/store/redis/scripts/lib_news.lua', "if what == 'b' then return not value or is_ended(value) end", "if what == 'b' then return true end", 'conformance redis', 'what a run says of its items is done once, and only when it has ended'),
'heard_never': ('src/store/redis/scripts/resolve.lua', "\n      and call('ZSCORE', links, 'n' .. one.id .. one.parent)", "", 'conformance redis', 'an item has heard of its run, though it is in another bundle by now'),
'change_stays': ('src/store/redis/scripts/edit.lua', "(due > now or (ARGV[6] == '1' and sub(old, 4) ~= sub(body, 4)))", "due > now", 'conformance redis', 'an item that is to come later or is changed ... ; every row of the state table (recollect)'),
'leaves_not': ('src/store/redis/scripts/lib_out.lua', "if bundle.is_item(record) then bundle.leave(id) end", "", 'conformance redis', 'an item that was cancelled has left its bundle, and does not count'),
'read_stays_open': ('src/store/redis/scripts/bundle.lua', "bundle.close(carrier)\n", "", 'conformance redis', 'an item that is to come later or is changed leaves its bundle, ...'),
'sqlite_ready_closed': ('src/store/sqlite/bundles.cpp', "row->where() == state::ready && priority_of(by.carrier_body) <= row->priority", "false", 'conformance sqlite', 'a bundle that is due takes items until a worker takes it, and is full then as before'),
'sqlite_urgent_joins': ('src/store/sqlite/bundles.cpp', "row->where() == state::ready && priority_of(by.carrier_body) <= row->priority", "row->where() == state::ready", 'conformance sqlite', 'what is more urgent than a bundle that is due begins another'),
'sqlite_notes': ('src/store/sqlite/bundles.cpp', "if (!row || !row->notes.empty() || row->list->aside())", "if (!row || row->list->aside())", 'conformance sqlite', 'a bundle whose run was put off takes no more items'),
'sqlite_change_stays': ('src/store/sqlite/changes.cpp', " || (call.unstarted_only && is_another(call))", "", 'conformance sqlite', 'an item that is to come later or is changed leaves its bundle, ...'),
'sqlite_heard_never': ('src/store/sqlite/resolve.cpp', " && edges_.has(link::needs, child, one.parent)", "", 'conformance sqlite', 'an item has heard of its run, though it is in another bundle by now'),
'run_expires': ('src/worker/executor.cpp', "if (!is_carrier(attempt.task.id) && is_late(", "if (is_late(", 'testing', 'an item expires by itself, and not with the first of its bundle'),
'items_unheard': ('src/worker/executor.cpp', "if (dead.bundle) call_on_dead_of_items(shared_.app, *dead.known, *dead.bundle, task, now);", "", 'collect', 'on_dead is told of each item of a run that is dead, and of the run'),
'failed_unheard': ('src/worker/executor.cpp', "if (has_on_dead(attempt.known)) tell_dead_items(attempt, ends, now);", "", 'collect', 'on_dead is told of an item that has failed for the last time, and of no other'),
'runs_ungated': ('src/worker/bundle_run.cpp', "if (may_have_gates(id, item.shards))", "if (false && may_have_gates(id, item.shards))", 'collect', 'the limits of a handler count runs, and what comes while a run waits for one comes into it'),
'no_place': ('src/client/prepared_submission.cpp', "if (one.bundle_place && !one.body.biz_id) {", "if (false) {", 'collect redis', 'on several shards items of a key come together in one, and their run is there, too'),
'not_told': ('src/worker/resolver.cpp', "told += co_await tell_items(shared_, in_, one);", "", 'collect', 'each item has its own result, and runs with those of its key alone (and nearly all)'),
}
def main():
    what = sys.argv[1] if len(sys.argv) > 1 else 'list'
    for n, (f, a, b, p, t) in M.items():
        if what == 'list': print(f'{n:20} {p:18} "{t}"')
        s = open(f, encoding='utf8').read()
        if what == 'check' and s.count(a) != 1: print(n, f, s.count(a))
        if what == 'apply' and n == sys.argv[2]:
            assert s.count(a) == 1, (f, s.count(a)); open(f, 'w', encoding='utf8').write(s.replace(a, b))
main()
