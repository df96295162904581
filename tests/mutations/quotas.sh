#!/usr/bin/env bash
# quota_mutations.sh N: applies mutation N in the current checkout (git checkout -- src restores). Beside each: what must fail.
set -e
m() { sed -i "$2" "$1"; git diff --quiet -- "$1" && { echo "mutation does not apply: $1"; exit 1; } || git diff --stat -- "$1" | head -1; }
case $1 in
1) m src/core/quota_rules.cpp 's/if (room < may) {/if (room + 1 < may) {/' ;;            # unit "the smaller of two members"; conformance sqlite "with 100 tasks"
2) m src/store/redis/scripts/quota_take.lua 's/if room < may then/if room + 1 < may then/' ;; # conformance redis "with 100 tasks", "stores let through what the rules"
3) m src/worker/scheduler.cpp 's/if (room < runs) steps/if (room < 0) steps/' ;;           # conformance "ticks that the quota keeps are skipped"
4) m src/outbox/commit.cpp 's/if (!on.app().overrides.any_quota() ||/if (on.app().overrides.any_quota() ||/' ;; # transaction "is rolled back" (not sqlite-inside)
5) m src/outbox/commit.cpp 's/entry.admitted = admitted;/entry.admitted = admitted \&\& false;/' ;; # transaction "What a commit was let through for"
6) m src/outbox/courier.cpp 's/if (asks(entries\[i\]) \&\& left-- == 0) co_return i;/if (asks(entries[i]) \&\& left-- == -1) co_return i;/' ;; # transaction "What nobody has asked for waits"
7) m src/outbox/same_database.cpp 's/if (got.admitted < count) std/if (got.admitted < 0) std/' ;; # transaction sqlite-inside "is rolled back"
8) m src/client/submit.cpp '/count_what_runs(\*rules, one.body);/d' ;;                     # limits "whatever way", "no more than a quota's max_running"
9) m src/client/submit.cpp '/count_what_runs(\*rules, all\[i\].body);/d' ;;                # limits "whatever way"
10) m src/client/plan.cpp '/count_what_runs(\*rules, one.body);/d' ;;                      # limits "whatever way"
11) m src/client/open_transaction.cpp '/count_what_runs(\*rules, one->what.body);/d' ;;    # limits "whatever way"
12) m src/client/schedule_calls.cpp '/count_what_runs(\*rules, made.body);/d; s/if (const auto rules = app->overrides.quota_rules())/if (app->overrides.any_quota())/; ' ;; # see below
13) m src/worker/scheduler.cpp '/count_what_runs(app().overrides, move);/d' ;;             # limits "whatever way"
14) m src/client/quota.cpp 's/if (set.rules.max_running) rule =/if (!set.rules.max_running) rule =/' ;; # limits, all of namespace_test that start a worker
15) m src/runtime/task_gates.cpp 's/if (is_counted) body.gates/if (is_counted \&\& body.gates.empty()) body.gates/' ;; # limits "keeps them beside that of its namespace"
16) m src/core/quota_rules.cpp 's/|| queued <= \*rules.max_queued) return;/|| queued >= 0) return;/' ;; # unit "a length below what is queued"; conformance "a quota below what is queued"; cli "[cli] a quota is shown"
17) m src/core/quota_rules.cpp 's/|| shards <= 1) return;/|| shards >= 1) return;/' ;;     # unit "in one shard alone"; limits "over several shards"
18) m src/worker/executor.cpp 's/ \&\& !before.revived;/;/' ;;                              # testing "what was run in the harness"
19) m src/testing/solo_worker.cpp 's/if (!counts.empty()) co_await/if (counts.size() > 1000) co_await/' ;; # testing "what was run in the harness"
20) m src/worker/maintenance_thread.cpp 's/if (is_there \&\& figures_sender_)/if (!is_there \&\& figures_sender_)/' ;; # conformance "what workers have run is seen", "several workers' figures"
21) m src/store/redis/scripts/figures_add.lua "s/'HINCRBY'/'HSET'/" ;;                      # conformance redis "a store adds numbers up"
22) m src/store/sqlite/sql/figures.sql 's/times = times + excluded.times/times = excluded.times/' ;; # conformance sqlite "a store adds numbers up"
23) m src/service/refusal.cpp 's/if (const auto after = e.retry_after())/if (const auto after = e.retry_after(); after \&\& after->count() < 0)/' ;; # service "is answered 429"
24) m src/core/schedule_rules.cpp 's/if (move.room <= 0) {/if (move.room < 0) {/' ;;        # unit schedule_room_test; conformance "ticks that the quota keeps"
25) m src/client/within_quota.cpp 's/if (there + added <= \*rules->max_schedules) co_return;/co_return;/' ;; # conformance, transaction "a schedule too many" (may warn of unreachable code)
26) m src/runtime/quota_desk.cpp 's/left -= one->answer.admitted;/left -= 0;/' ;;           # conformance "submissions that ask at the same time share"
27) m src/core/histogram.hpp 's/(doubling - 1) \* 4 + quarter/(doubling - 1) * 4/' ;;       # unit histogram_test
*) echo "no such mutation" ;;
esac
