// The statements of sql/ by their names, as members: what no file has is found when a store is opened.
#pragma once

#include "store/sqlite/statement_set.hpp"

namespace errand::sqlite {

struct statements {
    statements(connection& in, bool prepared) : all{in, prepared} {}

    statement_set all;

#define ERRAND_SQL(member, name) statement& member = all[name]
    ERRAND_SQL(begin, "lib_transaction.begin");
    ERRAND_SQL(begin_reading, "lib_transaction.begin_reading");
    ERRAND_SQL(commit, "lib_transaction.commit");
    ERRAND_SQL(begin_inside, "lib_transaction.begin_inside");
    ERRAND_SQL(commit_inside, "lib_transaction.commit_inside");
    ERRAND_SQL(abandon_inside, "lib_transaction.abandon_inside");
    ERRAND_SQL(format, "lib_transaction.format");
    ERRAND_SQL(version, "lib_transaction.version");
    ERRAND_SQL(find_name_space, "lib_namespace.find_name_space");
    ERRAND_SQL(make_name_space, "lib_namespace.make_name_space");
    ERRAND_SQL(read_name_space, "lib_namespace.read");
    ERRAND_SQL(write_name_space, "lib_namespace.write");
    ERRAND_SQL(queues, "lib_namespace.queues");
    ERRAND_SQL(lists, "lib_namespace.lists");
    ERRAND_SQL(make_queue, "lib_namespace.make_queue");
    ERRAND_SQL(drop_orphans, "lib_namespace.drop_orphans");
    ERRAND_SQL(make_list, "lib_namespace.make_list");
    ERRAND_SQL(grow, "lib_namespace.grow");
    ERRAND_SQL(count, "lib_namespace.count");

    ERRAND_SQL(find, "lib_task.find");
    ERRAND_SQL(body, "lib_task.body");
    ERRAND_SQL(move, "lib_task.move");
    ERRAND_SQL(end, "lib_task.end");
    ERRAND_SQL(end_aside, "lib_task.end_aside");
    ERRAND_SQL(drop, "lib_task.drop");
    ERRAND_SQL(drop_body, "lib_task.drop_body");
    ERRAND_SQL(keep_small, "lib_task.keep_small");
    ERRAND_SQL(keep_large, "lib_task.keep_large");
    ERRAND_SQL(change_body, "lib_task.change_body");
    ERRAND_SQL(first_place, "lib_task.first_place");
    ERRAND_SQL(any_stage, "lib_task.any_stage");
    ERRAND_SQL(drop_stages, "lib_task.drop_stages");

    ERRAND_SQL(body_of_task, "lib_ahead.body");
    ERRAND_SQL(first_from, "lib_ahead.first_from");
    ERRAND_SQL(last_before, "lib_ahead.last_before");
    ERRAND_SQL(rows_from, "lib_ahead.rows_from");
    ERRAND_SQL(move_row, "lib_ahead.move_row");

    ERRAND_SQL(find_bundle, "bundle.find");
    ERRAND_SQL(keep_bundle, "bundle.keep");
    ERRAND_SQL(close_bundle, "bundle.close");
    ERRAND_SQL(join_bundle, "bundle.join");
    ERRAND_SQL(collect_again, "bundle.again");
    ERRAND_SQL(place_carrier, "bundle.place");

    ERRAND_SQL(any_link, "lib_links.any");
    ERRAND_SQL(any_link_of, "lib_links.any_of");
    ERRAND_SQL(page_of_links, "lib_links.page");
    ERRAND_SQL(count_links, "lib_links.count");
    ERRAND_SQL(has_link, "lib_links.has");
    ERRAND_SQL(add_link, "lib_links.add");
    ERRAND_SQL(drop_link, "lib_links.drop");
    ERRAND_SQL(waiting, "lib_links.waiting");
    ERRAND_SQL(wait, "lib_links.wait");
    ERRAND_SQL(forget_waiting, "lib_links.forget");

    ERRAND_SQL(limit_behind, "lib_gates.limit");
    ERRAND_SQL(gate_state, "lib_gates.state");
    ERRAND_SQL(keep_gate, "lib_gates.keep_state");
    ERRAND_SQL(drop_gate, "lib_gates.drop_state");
    ERRAND_SQL(hold_gates, "lib_gates.hold");
    ERRAND_SQL(free_gates, "lib_gates.free");
    ERRAND_SQL(free_all_gates, "lib_gates.free_all");
    ERRAND_SQL(hand_on_gates, "lib_gates.hand_on");
    ERRAND_SQL(page_of_gates, "lib_gates.page");
    ERRAND_SQL(gates_held, "lib_gates.held");
    ERRAND_SQL(change_kept, "lib_gates.change_kept");
    ERRAND_SQL(any_in_line, "lib_gates.any_in_line");
    ERRAND_SQL(in_line, "lib_gates.in_line");
    ERRAND_SQL(first_in_line, "lib_gates.first_in_line");
    ERRAND_SQL(line_after, "lib_gates.line_after");
    ERRAND_SQL(stand_in_line, "lib_gates.stand_in_line");
    ERRAND_SQL(stands_in_line, "lib_gates.stands_in_line");
    ERRAND_SQL(leave_line, "lib_gates.leave_line");
    ERRAND_SQL(leave_lines, "lib_gates.leave_lines");

    ERRAND_SQL(find_group, "lib_groups.find");
    ERRAND_SQL(add_group, "lib_groups.add");
    ERRAND_SQL(drop_group, "lib_groups.drop");
    ERRAND_SQL(rank_group, "lib_groups.rank");
    ERRAND_SQL(group_started, "lib_groups.started");
    ERRAND_SQL(park_group, "lib_groups.park");
    ERRAND_SQL(let_group_go, "lib_groups.let_go");
    ERRAND_SQL(first_group, "lib_groups.first");
    ERRAND_SQL(first_turn, "lib_groups.first_turn");
    ERRAND_SQL(first_parked, "lib_groups.first_parked");
    ERRAND_SQL(stop, "lib_groups.stop");
    ERRAND_SQL(keep_stop, "lib_groups.keep_stop");
    ERRAND_SQL(park_at, "lib_groups.park_at");
    ERRAND_SQL(drop_stop, "lib_groups.drop_stop");
    ERRAND_SQL(stops, "lib_groups.stops");
    ERRAND_SQL(due_stops, "lib_groups.due_stops");
    ERRAND_SQL(next_opening, "lib_groups.next_opening");
    ERRAND_SQL(virtual_time, "lib_groups.time");
    ERRAND_SQL(keep_virtual_time, "lib_groups.keep_time");
    ERRAND_SQL(wait_in_group, "lib_groups.wait");
    ERRAND_SQL(leave_group, "lib_groups.leave");
    ERRAND_SQL(group_head, "lib_groups.head");
    ERRAND_SQL(group_place, "lib_groups.first_place");
    ERRAND_SQL(waiting_at, "lib_groups.waiting");
    ERRAND_SQL(waiters_at, "waiters.at");

    ERRAND_SQL(declare_limit, "limit.declare");
    ERRAND_SQL(choose_limit, "limit.choose");
    ERRAND_SQL(unset_limit, "limit.unset");
    ERRAND_SQL(begin_wait_at_limit, "limit.begin_wait");
    ERRAND_SQL(end_wait_at_limit, "limit.end_wait");
    ERRAND_SQL(drop_unknown_limit, "limit.drop_unknown");
    ERRAND_SQL(all_limits, "limit.all");
    ERRAND_SQL(running_under, "limit.running");
    ERRAND_SQL(kept_after, "limit.kept_after");

    ERRAND_SQL(announce, "lib_news.announce");
    ERRAND_SQL(find_news, "lib_news.find");
    ERRAND_SQL(drop_news, "lib_news.drop");
    ERRAND_SQL(news_of_run, "lib_news.of_run");
    ERRAND_SQL(drop_news_of_run, "lib_news.drop_of_run");
    ERRAND_SQL(take_news, "news.take");
    ERRAND_SQL(put_off_news, "news.put_off");
    ERRAND_SQL(next_news, "news.next");
    ERRAND_SQL(any_news_due, "news.any_due");

    ERRAND_SQL(recall, "forget.recall");
    ERRAND_SQL(remember, "forget.remember");
    ERRAND_SQL(forget, "forget.drop");
    ERRAND_SQL(forget_old, "forget.drop_old");
    ERRAND_SQL(submit_body, "submit.body");
    ERRAND_SQL(submit_task, "submit.task");
    ERRAND_SQL(submit_again, "submit.again");
    ERRAND_SQL(heads, "claim.heads");
    ERRAND_SQL(take, "claim.take");
    ERRAND_SQL(heads_before, "claim.heads_before");
    ERRAND_SQL(adoptable, "claim.adoptable");
    ERRAND_SQL(take_one, "claim.take_one");
    ERRAND_SQL(lease, "claim.lease");
    ERRAND_SQL(any_ready, "claim.any_ready");
    ERRAND_SQL(finish_end, "finish.end");
    ERRAND_SQL(finish_later, "finish.later");
    ERRAND_SQL(give_back, "finish.give_back");
    ERRAND_SQL(regroup, "finish.regroup");
    ERRAND_SQL(close_claim, "finish.close");
    ERRAND_SQL(lengthen, "extend.lengthen");
    ERRAND_SQL(claim_ends, "extend.ends");
    ERRAND_SQL(holder, "extend.holder");
    ERRAND_SQL(note, "note.write");
    ERRAND_SQL(drop_other_stages, "stage.drop_others");
    ERRAND_SQL(has_stage, "stage.has");
    ERRAND_SQL(add_stage, "stage.add");
    ERRAND_SQL(read_stages, "stages.read");
    ERRAND_SQL(leases_over, "recover.over");
    ERRAND_SQL(first_end, "recover.first_end");
    ERRAND_SQL(held, "recover.held");
    ERRAND_SQL(hold, "recover.hold");
    ERRAND_SQL(due, "promote.due");
    ERRAND_SQL(late, "promote.late");
    ERRAND_SQL(forget_expiry, "promote.forget_expiry");

    ERRAND_SQL(over, "clean.over");
    ERRAND_SQL(drop_list, "clean.drop_list");
    ERRAND_SQL(quiet_queues, "clean.quiet");
    ERRAND_SQL(drop_turns, "clean.drop_turns");
    ERRAND_SQL(drop_queue, "clean.drop_queue");
    ERRAND_SQL(clean_workers, "clean.workers");
    ERRAND_SQL(clean_watched, "clean.watched");
    ERRAND_SQL(clean_mail, "clean.mail");
    ERRAND_SQL(ended_sizes, "trim.sizes");
    ERRAND_SQL(oldest_ended, "trim.oldest");

    ERRAND_SQL(watch, "watch.add");
    ERRAND_SQL(any_watched, "watch.any");
    ERRAND_SQL(watchers, "watch.watchers");
    ERRAND_SQL(forget_watchers, "watch.forget");
    ERRAND_SQL(post, "watch.post");
    ERRAND_SQL(mail, "watch.mail");
    ERRAND_SQL(drop_mail, "watch.drop_mail");

    ERRAND_SQL(worker_of_claim, "find.claim");
    ERRAND_SQL(holder_of_claim, "cancel.holder");
    ERRAND_SQL(revive, "revive.start");
    ERRAND_SQL(revive_as_other, "revive.other");
    ERRAND_SQL(edit, "edit.write");
    ERRAND_SQL(pause, "pause.set");

    ERRAND_SQL(list_oldest, "list.oldest");
    ERRAND_SQL(list_newest, "list.newest");
    ERRAND_SQL(list_claims, "list.claims");
    ERRAND_SQL(sizes, "overview.sizes");
    ERRAND_SQL(next_life, "overview.next_life");
    ERRAND_SQL(totals, "overview.totals");
    ERRAND_SQL(tallies, "overview.tallies");
    ERRAND_SQL(workers, "overview.workers");
    ERRAND_SQL(beat, "beat.alive");
    ERRAND_SQL(alive, "beat.count");
    ERRAND_SQL(alive_until, "beat.until");
    ERRAND_SQL(has_tally, "beat.has_tally");
    ERRAND_SQL(tally, "beat.tally");
    ERRAND_SQL(forget_tally, "beat.forget_tally");
    ERRAND_SQL(leave, "leave.worker");

    ERRAND_SQL(schedule_record, "schedule.record");
    ERRAND_SQL(keep_schedule, "schedule.keep");
    ERRAND_SQL(drop_schedule, "schedule.drop");
    ERRAND_SQL(due_schedules, "schedule.due");
    ERRAND_SQL(next_schedule, "schedule.next");
    ERRAND_SQL(page_of_schedules, "schedule.page");
    ERRAND_SQL(standing_of_run, "schedule.run");
    ERRAND_SQL(all_settings, "settings.all");
    ERRAND_SQL(settings_record, "settings.record");
    ERRAND_SQL(keep_settings, "settings.keep");
    ERRAND_SQL(drop_settings, "settings.drop");
    ERRAND_SQL(settings_changed, "settings.changed");

    ERRAND_SQL(read_quota, "quota.read");
    ERRAND_SQL(keep_quota, "quota.keep");
    ERRAND_SQL(counted_requests, "requests.counted");
    ERRAND_SQL(count_request, "requests.count");
    ERRAND_SQL(drop_requests, "requests.drop");
    ERRAND_SQL(forget_requests, "requests.forget");
    ERRAND_SQL(take_back_request, "requests.take_back");
    ERRAND_SQL(drop_empty_request, "requests.drop_empty");
    ERRAND_SQL(add_figure, "figures.add");
    ERRAND_SQL(drop_figures, "figures.drop_before");
    ERRAND_SQL(all_figures, "figures.all");

    ERRAND_SQL(audit_tasks, "audit.tasks");
    ERRAND_SQL(audit_claims, "audit.claims");
    ERRAND_SQL(audit_waiting, "audit.waiting");
    ERRAND_SQL(audit_stages, "audit.stages");
    ERRAND_SQL(audit_links, "audit.links");
    ERRAND_SQL(audit_listed, "audit.listed");
    ERRAND_SQL(audit_slots, "audit.slots");
    ERRAND_SQL(audit_lines, "audit.lines");
    ERRAND_SQL(audit_slot_gates, "audit.slot_gates");
    ERRAND_SQL(audit_slot_count, "audit.slot_count");
    ERRAND_SQL(audit_ungrouped, "audit.ungrouped");
    ERRAND_SQL(audit_strays, "audit.strays");
    ERRAND_SQL(audit_groups, "audit.groups");
    ERRAND_SQL(audit_stops, "audit.stops");
    ERRAND_SQL(audit_gates, "audit.gates");
    ERRAND_SQL(mend_drop, "audit.drop_task");
    ERRAND_SQL(mend_claim, "audit.unclaim");
    ERRAND_SQL(mend_row, "audit.row");
    ERRAND_SQL(mend_place, "audit.put");
    ERRAND_SQL(mend_lease, "audit.lease");
    ERRAND_SQL(mend_size, "audit.size");
#undef ERRAND_SQL
};

}  // namespace errand::sqlite
