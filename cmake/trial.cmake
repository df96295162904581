# The trial (scripts/fault): its program, the one of its workers and producers, and the clock that goes wrong.

# Compiled once: the programs with a broken rule differ in sources or scripts of errand's own.
add_library(errand_trial_hand OBJECT trial/hand.cpp trial/chores.cpp trial/declarer.cpp trial/gathered.cpp trial/last_commit.cpp trial/limited.cpp
    trial/limiter.cpp trial/lot.cpp trial/novel.cpp trial/producer.cpp trial/shared_limit.cpp)
target_include_directories(errand_trial_hand PRIVATE "${PROJECT_SOURCE_DIR}/src")
target_link_libraries(errand_trial_hand PRIVATE errand::errand errand_test_support SQLite::SQLite3)
errand_warnings(errand_trial_hand)
errand_test_code(errand_trial_hand)
target_compile_options(errand_trial_hand PRIVATE -Wno-shadow)
errand_precompiled(errand_trial_hand REUSE_FROM errand_test_support)

# errand_hand(target file [sources...]): the program of workers and producers, with these in place of errand's own.
function(errand_hand target file)
    errand_test_program(${target} SOURCES "$<TARGET_OBJECTS:errand_trial_hand>" "${PROJECT_SOURCE_DIR}/cmake/empty.cpp" ${ARGN})
    target_link_libraries(${target} PRIVATE SQLite::SQLite3)
    set_target_properties(${target} PROPERTIES OUTPUT_NAME ${file} RUNTIME_OUTPUT_DIRECTORY programs)
endfunction()

errand_hand(program_hand hand)

add_library(errand_shifted_clock MODULE trial/shifted_clock.cpp)
set_target_properties(errand_shifted_clock PROPERTIES
    PREFIX "" OUTPUT_NAME shifted_clock LIBRARY_OUTPUT_DIRECTORY programs)
errand_warnings(errand_shifted_clock)

errand_test_program(errand_trial SOURCES trial/main.cpp trial/site.cpp trial/clock_file.cpp trial/faults.cpp
    trial/redis_ground.cpp trial/redis_faults.cpp trial/guarded_ground.cpp trial/guarded_faults.cpp trial/rewound.cpp trial/silence.cpp trial/sqlite_ground.cpp trial/sqlite_faults.cpp
    trial/judge.cpp trial/judgement.cpp trial/admissions.cpp trial/batches.cpp trial/lateness.cpp trial/standing.cpp trial/steadiness.cpp
    trial/ticks.cpp trial/waits.cpp trial/processes.cpp
    trial/closing.cpp trial/at_rest.cpp trial/shared_limit.cpp trial/lot.cpp trial/wishes.cpp fault/journal.cpp fault/program.cpp)
target_link_libraries(errand_trial PRIVATE CLI11::CLI11 SQLite::SQLite3)
add_dependencies(errand_trial program_hand errand_shifted_clock)

# errand_broken_source(result FILE file FROM text TO text): a copy of a source under src/ in which a rule is broken. The
# text must be there exactly once, so that a rule which moves is not forgotten.
function(errand_broken_source rule result)
    cmake_parse_arguments(PARSE_ARGV 2 broken "" "FILE;FROM;TO" "")
    set(original "${PROJECT_SOURCE_DIR}/src/${broken_FILE}")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${original}")
    file(READ "${original}" text)
    string(FIND "${text}" "${broken_FROM}" first)
    string(FIND "${text}" "${broken_FROM}" last REVERSE)
    if(first EQUAL -1 OR NOT first EQUAL last)
        message(FATAL_ERROR "${broken_FILE}: the rule to be broken (${rule}) is not there once: ${broken_FROM}")
    endif()
    string(REPLACE "${broken_FROM}" "${broken_TO}" text "${text}")
    get_filename_component(name "${broken_FILE}" NAME)
    # An object of its own in the library, which the copy takes the place of.
    set_source_files_properties("${original}" TARGET_DIRECTORY errand PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    set(copy "${CMAKE_CURRENT_BINARY_DIR}/broken/${rule}/${name}")
    file(CONFIGURE OUTPUT "${copy}" CONTENT "${text}" @ONLY)
    set(${result} "${copy}" PARENT_SCOPE)
endfunction()

# errand_broken_hand(rule FINDS kind [VALKEY] [STORE sqlite] [MODE mode] [SECONDS s] [SOURCES files...] [SCRIPTS files...] [SQL files...]
# [FAULTS options...]): the workers' program with these in place of errand's own; the trial has to find what is violated then.
function(errand_broken_hand rule)
    cmake_parse_arguments(PARSE_ARGV 1 broken "VALKEY" "FINDS;STORE;MODE;SECONDS" "SOURCES;SCRIPTS;SQL;FAULTS")
    errand_hand(program_${rule} hand-${rule} ${broken_SOURCES})
    if(broken_SCRIPTS)
        file(GLOB scripts CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/store/redis/scripts/*.lua")
        foreach(script IN LISTS broken_SCRIPTS)
            get_filename_component(name "${script}" NAME)
            list(FILTER scripts EXCLUDE REGEX "/${name}$")
        endforeach()
        errand_embed_text(program_${rule} NAMESPACE errand::redis NAME script_texts
            HEADER store/redis/script_texts.hpp FILES ${scripts} ${broken_SCRIPTS})
    endif()
    if(broken_SQL)
        file(GLOB texts CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/store/sqlite/sql/*.sql")
        foreach(text IN LISTS broken_SQL)
            get_filename_component(name "${text}" NAME)
            list(FILTER texts EXCLUDE REGEX "/${name}$")
        endforeach()
        errand_embed_text(program_${rule} NAMESPACE errand::sqlite NAME sql_texts
            HEADER store/sqlite/sql_texts.hpp FILES ${texts} ${broken_SQL})
    endif()
    add_dependencies(errand_trial program_${rule})
    set(on "")
    if(broken_VALKEY)
        set(on VALKEY)
    endif()
    errand_finds(${rule} ${on} FINDS "${broken_FINDS}" STORE "${broken_STORE}" MODE "${broken_MODE}" SECONDS "${broken_SECONDS}"
        FAULTS ${broken_FAULTS})
endfunction()

# errand_finds(rule FINDS kind [ON where] [VALKEY] [STORE sqlite] [MODE mode] [SECONDS s] [FAULTS options...]): the trial finds with the
# program of that rule what is violated; once more, elsewhere, when it is said where.
function(errand_finds rule)
    cmake_parse_arguments(PARSE_ARGV 1 broken "VALKEY" "FINDS;ON;STORE;MODE;SECONDS" "FAULTS")
    if(NOT broken_SECONDS)
        set(broken_SECONDS 15)
    endif()
    set(mode --mode alone)
    if(broken_MODE)
        set(mode --mode ${broken_MODE})
    endif()
    if(broken_STORE)
        list(APPEND mode --store ${broken_STORE})
    endif()
    set(name "fault: the trial finds a broken rule: ${rule}")
    if(broken_ON)
        string(APPEND name ", on ${broken_ON}")
    endif()
    set(on "")
    if(broken_VALKEY)
        set(on "${PROJECT_SOURCE_DIR}/tests/trial/on_valkey")
    endif()
    add_test(NAME "${name}"
        COMMAND ${on} "${PROJECT_SOURCE_DIR}/tests/trial/finds" 20 "${broken_FINDS}"
            $<TARGET_FILE:errand_trial> ${mode} --seconds ${broken_SECONDS} --hand hand-${rule} ${broken_FAULTS})
    set_tests_properties("${name}" PROPERTIES TIMEOUT 900 LABELS "fault;trial;broken_rule" COST 40)
    if(broken_VALKEY)
        errand_on_valkey("${name}")
    endif()
endfunction()

# Where Valkey is not unpacked (scripts/setup --valkey) it is left out, but in CI.
function(errand_on_valkey name)
    set_tests_properties("${name}" PROPERTIES SKIP_RETURN_CODE 77
        ENVIRONMENT "ERRAND_TEST_REDIS_SERVER=${PROJECT_SOURCE_DIR}/.deps/valkey/bin/valkey-server")
endfunction()

errand_broken_source(no_fence finish FILE store/redis/scripts/finish.lua
    FROM "if holders[i] ~= claim then" TO "if not holders[i] then")
errand_broken_hand(no_fence FINDS stale_accepted SCRIPTS "${finish}" FAULTS --no-lots --only freeze --pause 200)

errand_broken_source(finish_in_two_steps finish FILE store/redis/scripts/finish.lua
    FROM "many('HDEL', own, ids, 1, count)"
    TO "many('HDEL', own, ids, 1, count) if now % 2 == 0 then error('cut off here') end")
errand_broken_hand(finish_in_two_steps FINDS "(stuck|check: lost)" SCRIPTS "${finish}" FAULTS --patience 20)

errand_broken_source(report_not_repeated caller FILE store/redis/caller.cpp
    FROM "judge_abort(at)" TO "judge_abort(at), give_up(at)")
errand_broken_source(report_not_repeated reporter FILE worker/reporter.cpp
    FROM "append(reports_, call.reports)" TO "static_cast<void>(call)")
errand_broken_hand(report_not_repeated FINDS "(stuck|unsettled|check: no_lease)" SOURCES "${caller}" "${reporter}"
    FAULTS --rate 150 --patience 20 --no-lots --only cut,truncate,stall,restart_store)

# Neither told that it missed a task, nor looking by itself.
errand_broken_source(deaf shard_store FILE store/redis/shard_store.cpp
    FROM "else\n            listener_->woken();" TO "else\n            (void)0;")
errand_broken_source(deaf fetcher FILE worker/fetcher.cpp
    FROM "doubts_ = true;\n        woken();" TO "doubts_ = false;")
errand_broken_hand(deaf MODE lone FINDS late_start SOURCES "${shard_store}" "${fetcher}"
    SECONDS 15 FAULTS --patience 8 --only pause)

errand_finds(deaf ON valkey VALKEY MODE lone FINDS late_start SECONDS 11 FAULTS --patience 6 --only pause)
errand_finds(deaf ON "three servers" MODE lone FINDS late_start SECONDS 11 FAULTS --shards 3 --patience 9 --only pause)

# One wake-up in four is missed, and nobody looks by himself. A SQLite file hands no task to a worker: what may be missed there is that.
errand_broken_source(wake_up_missed fetcher FILE worker/fetcher.cpp
    FROM "asio::co_spawn(home_.executor(), claim_now_and_then(), asio::detached);  // likewise\n}\n\nvoid fetcher::woken() {\n    ++wakes_;"
    TO "again_.cancel();\n}\n\nvoid fetcher::woken() {\n    if (++wakes_ % 4 == 0) return;")
errand_broken_hand(wake_up_missed STORE sqlite MODE lone FINDS late_start SOURCES "${fetcher}"
    SECONDS 10 FAULTS --patience 6 --only silence)

errand_broken_source(demoted_is_kept refusal FILE store/redis/refusal.cpp
    FROM "row{\"READONLY\", remedy::reconnect" TO "row{\"READONLY\", remedy::wait")
errand_broken_hand(demoted_is_kept FINDS "(unexplained|stuck|late_start)" MODE replicated SOURCES "${refusal}"
    FAULTS --patience 20 --no-lots --only demote)

# A round goes on when all shards have answered.
errand_broken_source(others_wait work FILE store/shards/work.cpp
    FROM "const bool go_on = answered > 0 || asked.size() < shards();" TO "const bool go_on = false;")
errand_broken_hand(others_wait MODE shards FINDS "(held_up|late_start)" SOURCES "${work}"
    FAULTS --patience 20 --no-lots --only server_of_shard_away)

# Only the store's own time-out ends a call: who waits for the one before him has longer.
errand_broken_source(timeout_of_call submitter FILE runtime/submitter.cpp
    FROM "if (watching_ || closed_ || !patience_) return;" TO "if (watching_ || closed_ || patience_) return;")
errand_broken_hand(timeout_of_call MODE shards FINDS overdue SOURCES "${submitter}"
    FAULTS --patience 20 --no-lots --only server_of_shard_away)

# The store does not remember what came from the shelf: met there again it is taken for another one.
errand_broken_source(shelf_forgotten submit_read FILE store/redis/scripts/submit_read.lua
    FROM "many('HSET', arrived, pairs_of, 1, n)" TO "")
file(GLOB scripts CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/store/redis/scripts/*.lua")
list(FILTER scripts EXCLUDE REGEX "/submit_read\\.lua$")
errand_test_program(errand_shelf_trial_forgotten SOURCES shelf_trial/main.cpp shelf_trial/yard.cpp trial/wishes.cpp)
errand_embed_text(errand_shelf_trial_forgotten NAMESPACE errand::redis NAME script_texts
    HEADER store/redis/script_texts.hpp FILES ${scripts} "${submit_read}")
target_link_libraries(errand_shelf_trial_forgotten PRIVATE errand::postgres errand::mysql CLI11::CLI11)
add_test(NAME "fault: the trial of the shelf finds a broken rule: shelf_forgotten"
    COMMAND "${PROJECT_SOURCE_DIR}/tests/trial/finds" 20 accepted_twice
        $<TARGET_FILE:errand_shelf_trial_forgotten> --shelf postgres --seconds 10)
set_tests_properties("fault: the trial of the shelf finds a broken rule: shelf_forgotten" PROPERTIES TIMEOUT 900
    LABELS "fault;trial;broken_rule" COST 40)

# A repeat on a fresh connection writes nothing, so WAIT has nothing to wait for there. What a connection asks first is a write,
# too.
errand_broken_source(confirmed_by_nothing caller FILE store/redis/caller.cpp
    FROM "to.push(\"PUBLISH\", confirm_, \"\");" TO "to.push(\"PING\");")
errand_broken_source(confirmed_by_nothing connection FILE store/redis/connection_config.cpp
    FROM "config.setup.push(in_cluster ? \"SPUBLISH\" : \"PUBLISH\", channel, \"\");" TO "config.setup.push(\"PING\");")
errand_broken_hand(confirmed_by_nothing VALKEY MODE replicated FINDS lost SOURCES "${caller}" "${connection}"
    FAULTS --patience 20 --no-lots --only fail_over_behind)

# What claims and recoveries carry is counted without the notes.
errand_broken_source(notes_not_counted carry FILE store/redis/scripts/lib_carry.lua
    FROM "left = left - #text" TO "left = left - 0")
errand_broken_source(notes_not_counted recover FILE store/redis/scripts/recover.lua
    FROM "#body + (text and #text or 0)" TO "#body")
errand_broken_hand(notes_not_counted MODE lone FINDS "(stuck|late_start)" SCRIPTS "${carry}" "${recover}"
    FAULTS --patience 15 --only large)

# All processes mark their claims alike.
errand_broken_source(claims_unmarked claim_text FILE store/redis/claim_text.cpp
    FROM "static_cast<unsigned>(std::random_device{}())" TO "0U")
errand_broken_hand(claims_unmarked MODE rewound FINDS stale_accepted SOURCES "${claim_text}")

# Whoever looked at a schedule writes what follows, whatever has become of it since.
errand_broken_source(fire_without_compare step FILE store/redis/scripts/schedules_step.lua
    FROM "if stamp ~= seen then return stamp == sub(record, 1, 8) and 'done' or 'stale' end"
    TO "if stamp == sub(record, 1, 8) then return 'done' end")
errand_broken_hand(fire_without_compare FINDS "(tick_uncounted|tick_lost|arguments_lost|not_paused|schedule_stopped)" SCRIPTS "${step}"
    FAULTS --patience 20 --no-lots --only slow_line,stall)

errand_broken_source(fire_without_compare_on_sqlite schedules FILE store/sqlite/schedules.cpp
    FROM "stamp == one.seen &&" TO "(stamp == one.seen || stamp > 0) &&")
errand_broken_hand(fire_without_compare_on_sqlite STORE sqlite
    FINDS "(tick_uncounted|tick_lost|arguments_lost|not_paused|schedule_stopped)" SOURCES "${schedules}"
    FAULTS --patience 20 --no-lots --only lock,freeze)

# Now and then the end of a run is told to nobody, and nobody looks after who waits for one.
errand_broken_source(end_unheard schedule_ends FILE worker/schedule_ends.cpp
    FROM "if (!over) continue;" TO "if (!over || id.bytes[8] % 8 == 0) continue;")
errand_broken_source(end_unheard schedule_rules FILE core/schedule_rules.cpp
    FROM "if (!record.next) return checked;" TO "if (!record.next) return std::nullopt;")
errand_broken_hand(end_unheard FINDS schedule_stopped SOURCES "${schedule_ends}" "${schedule_rules}"
    FAULTS --patience 20 --no-lots --only kill)

# What an attempt holds is given back twice.
errand_broken_source(slot_freed_twice groups FILE store/redis/scripts/lib_let_go.lua
    FROM "come_back(text)" TO "come_back(text) come_back(text)")
errand_broken_hand(slot_freed_twice FINDS limit_exceeded SCRIPTS "${groups}" FAULTS --patience 20 --no-lots --only kill)

# Of what is to be given back one in eight is not, whoever says so.
errand_broken_source(slot_leaked groups FILE store/redis/scripts/lib_let_go.lua
    FROM "if text then\n      freed" TO "if text and now % 8 ~= 0 then\n      freed")
errand_broken_hand(slot_leaked FINDS "(stuck|limit_held|held_back|check: slot_leaked)" SCRIPTS "${groups}"
    FAULTS --patience 20 --no-lots --only kill)

errand_broken_source(gates_unchecked turns FILE store/redis/scripts/claim_turns.lua
    FROM "local gate, till = first_closed(text)" TO "local gate, till = false, false")
errand_broken_hand(gates_unchecked FINDS "(limit_exceeded|rate_exceeded)" SCRIPTS "${turns}"
    FAULTS --patience 20 --no-lots --only kill)

errand_broken_source(gates_unchecked_on_sqlite in_turns FILE store/sqlite/claim_in_turns.cpp
    FROM "!closed.empty()) {" TO "closed.size() == 1) {")
errand_broken_hand(gates_unchecked_on_sqlite STORE sqlite FINDS "(limit_exceeded|rate_exceeded)" SOURCES "${in_turns}"
    FAULTS --patience 20 --no-lots --only kill)

# A task that some workers do not know is ready for all when it is tried again.
errand_broken_source(strange_is_ready promote FILE store/redis/scripts/promote_aside.lua
    FROM "if not call('ZSCORE', links, 'a' .. id) then" TO "if id then")
errand_broken_hand(strange_is_ready FINDS strange_again SCRIPTS "${promote}"
    FAULTS --patience 20 --no-lots --only slow_line)

# Nobody is told of what stands aside, and who looks finds nothing.
errand_broken_source(aside_untold tell FILE store/redis/scripts/lib_tell.lua
    FROM "return ear and call('PUBLISH'" TO "return ear and not name and call('PUBLISH'")
errand_broken_source(aside_untold adopt FILE store/redis/scripts/adopt.lua
    FROM "number, more and 1 or 0, after" TO "number, limit > 0 and more and 1 or 0, after")
errand_broken_hand(aside_untold FINDS "(stuck|left_aside)" SCRIPTS "${tell}" "${adopt}"
    FAULTS --patience 20 --no-lots --only slow_line)

foreach(rule strange_is_ready aside_untold)
    set(finds strange_again)
    if(rule STREQUAL "aside_untold")
        set(finds "(stuck|left_aside)")
    endif()
    errand_finds(${rule} ON valkey VALKEY FINDS "${finds}" SECONDS 5 FAULTS --patience 6 --no-lots --only slow_line)
    errand_finds(${rule} ON "three servers" MODE shards FINDS "${finds}" SECONDS 5 FAULTS --patience 6 --no-lots --only slow_line)
endforeach()

errand_broken_source(strange_is_ready_on_sqlite promote FILE store/sqlite/sql/promote.sql
    FROM "notes IS NOT NULL, grp" TO "0, grp")
errand_broken_hand(strange_is_ready_on_sqlite STORE sqlite FINDS strange_again SQL "${promote}"
    SECONDS 5 FAULTS --patience 6 --no-lots --only fold_log)

errand_broken_source(aside_untold_on_sqlite in_turns FILE store/sqlite/claim_in_turns.cpp
    FROM "got.more = any_adoptable(aside_.lists(asked.queues, handlers, asked.all_but));\n    if (got.more) {\n        tx_.idle.stop_waiting_aside(tx_.by());\n    } else if (!asked.all_but) {"
    TO "got.more = asked.limit > 0 && any_adoptable(aside_.lists(asked.queues, handlers, asked.all_but));\n    if (asked.all_but && asked.queues.empty()) {")
errand_broken_hand(aside_untold_on_sqlite STORE sqlite FINDS "(stuck|left_aside)" SOURCES "${in_turns}"
    SECONDS 5 FAULTS --patience 6 --no-lots --only fold_log)

# One item in four is released although its run has ended well.
errand_broken_source(item_released items FILE store/redis/scripts/lib_items.lua
    FROM "elseif letter == 'A' then" TO "elseif letter == 'A' or now % 4 == 0 then")
errand_broken_hand(item_released FINDS item_twice SCRIPTS "${items}" SECONDS 6 FAULTS --patience 10 --no-lots --only kill)

# What has been claimed goes on taking items, so that the next attempt is given others.
errand_broken_source(bundle_open_for_ever join FILE store/redis/scripts/finish_join.lua
    FROM "or is_ended(one.body) or call('HEXISTS', own, one.carrier) == 1\n    or call('HEXISTS', notes, one.carrier) == 1"
    TO "or is_ended(one.body)")
errand_broken_source(bundle_open_for_ever bundle FILE store/redis/scripts/bundle.lua
    FROM "bundle.close(carrier)\n" TO "\n")
errand_broken_hand(bundle_open_for_ever FINDS batch_changed SCRIPTS "${join}" "${bundle}"
    SECONDS 6 FAULTS --patience 10 --no-lots --only kill)

# Nobody is to look at a bundle that is not full.
errand_broken_source(bundle_undue join FILE store/redis/scripts/finish_join.lua
    FROM "call('ZADD', due_of(q), digits(due), text)" TO "call('ZADD', due_of(q), digits(due + 3600000), text)")
errand_broken_hand(bundle_undue FINDS "(stuck|late_start)" SCRIPTS "${join}" SECONDS 6 FAULTS --patience 5 --no-lots --only kill)

errand_broken_source(bundle_undue_on_sqlite bundle FILE store/sqlite/sql/bundle.sql
    FROM "place = ?4, priority = ?5" TO "place = ?4 + 3600000, priority = ?5")
errand_broken_hand(bundle_undue_on_sqlite STORE sqlite FINDS "(stuck|late_start)" SQL "${bundle}"
    SECONDS 6 FAULTS --patience 5 --no-lots --only fold_log)

set(of_claim "WHERE n = coalesce(?7, (SELECT n FROM errand_task WHERE ns = ?1 AND id = ?2)) AND id = ?2 AND claim")
errand_broken_source(no_fence_on_sqlite finish FILE store/sqlite/sql/finish.sql
    FROM "notes = NULL, outcome = ?6\n${of_claim} = ?3" TO "notes = NULL, outcome = ?6\n${of_claim} > 0")
errand_broken_hand(no_fence_on_sqlite STORE sqlite FINDS stale_accepted SQL "${finish}"
    FAULTS --no-lots --only freeze --pause 200)

errand_broken_source(steps_by_themselves statements FILE store/sqlite/sql/lib_transaction.sql
    FROM "BEGIN IMMEDIATE\n\n-- name: begin_reading\nBEGIN\n\n-- name: commit\nCOMMIT"
    TO "SELECT 1\n\n-- name: begin_reading\nSELECT 1\n\n-- name: commit\nSELECT 1")
errand_broken_hand(steps_by_themselves STORE sqlite FINDS "(stuck|check: [a-z_]*)" SQL "${statements}"
    FAULTS --patience 20)

function(errand_trial_test name seconds)
    add_test(NAME "fault: ${name}" COMMAND errand_trial --seconds ${seconds} ${ARGN})
    # They judge how soon tasks start: with as much room as two others.
    set_tests_properties("fault: ${name}" PROPERTIES TIMEOUT 300 LABELS "fault;trial" COST ${seconds} PROCESSORS 2)
endfunction()
errand_trial_test("a mixed load under every fault loses nothing, on sqlite" 25 --store sqlite --mode alone)
errand_trial_test("a mixed load under every fault loses nothing" 30 --mode alone)
errand_trial_test("a mixed load on a store that fails over loses nothing" 20 --mode replicated)
errand_trial_test("a fail-over and a primary that is demoted lose nothing" 15 --mode replicated --no-lots
    --only fail_over,fail_over_behind,demote)
errand_trial_test("one worker alone starts in time what is ready" 30 --mode lone)
errand_trial_test("one worker alone starts in time what is ready, on three servers" 10 --mode lone --shards 3
    --only silence,pause)
errand_trial_test("a mixed load on three servers, of which one is away at times, loses nothing" 25 --mode shards)
errand_trial_test("three servers of which one is away keep up with the rest" 20 --mode shards --no-lots
    --only server_of_shard_away)
# They judge how soon tasks start: others must not take the disk to which their servers force each change.
set_tests_properties("fault: three servers of which one is away keep up with the rest"
    "fault: a mixed load on three servers, of which one is away at times, loses nothing" PROPERTIES RUN_SERIAL ON)
errand_trial_test("a mixed load on a cluster whose leaders change, die and stand still loses nothing" 15 --mode cluster --rate 40)
errand_trial_test("a mixed load on a Redis that a Sentinel watches over loses nothing" 15 --mode sentinel --rate 40)
# Whole lives on a cluster as fast as they go, counted (scripts/fault --cluster --soak).
errand_test_program(errand_soak SOURCES trial/soak.cpp)
target_link_libraries(errand_soak PRIVATE errand::postgres CLI11::CLI11)
add_test(NAME "fault: whole lives on a cluster whose leaders change are each there once"
    COMMAND errand_soak --minutes 0.2 --every 4 --rate 4000)
add_test(NAME "fault: beside what a shelf brings whole lives on a cluster are each there once"
    COMMAND errand_soak --minutes 0.2 --every 4 --rate 2000 --shelved 10000)
set_tests_properties("fault: whole lives on a cluster whose leaders change are each there once"
    "fault: beside what a shelf brings whole lives on a cluster are each there once" PROPERTIES
    TIMEOUT 300 LABELS "fault;trial" COST 20 PROCESSORS 2)
errand_trial_test("a claim number that is given twice is two claims" 5 --mode rewound)
add_test(NAME "fault: what was confirmed outlives a fail-over to a replica that was behind"
    COMMAND "${PROJECT_SOURCE_DIR}/tests/trial/on_valkey" $<TARGET_FILE:errand_trial> --seconds 12 --mode replicated
        --no-lots --only fail_over_behind)
set_tests_properties("fault: what was confirmed outlives a fail-over to a replica that was behind"
    PROPERTIES TIMEOUT 300 LABELS "fault;trial" COST 20)
errand_on_valkey("fault: what was confirmed outlives a fail-over to a replica that was behind")
errand_trial_test("one worker alone starts in time what is ready, on sqlite" 30 --mode lone --store sqlite)

errand_test_program(errand_piles SOURCES trial/piles.cpp trial/clock_file.cpp trial/wishes.cpp)
target_link_libraries(errand_piles PRIVATE CLI11::CLI11)
add_dependencies(errand_piles errand_shifted_clock)
add_test(NAME "fault: what the dead leave behind is swept" COMMAND errand_piles --long --things 2000 --untimed)
set_tests_properties("fault: what the dead leave behind is swept" PROPERTIES TIMEOUT 300 LABELS "fault;trial" COST 20)

errand_test_program(errand_overlook SOURCES trial/overlook.cpp trial/abundance.cpp)
target_link_libraries(errand_overlook PRIVATE errand::service CLI11::CLI11)
add_test(NAME "fault: the console before a store with much in it"
    COMMAND errand_overlook --console --tasks 4000 --queues 80 --workers 20 --days 3 --seconds 2 --untimed)
set_tests_properties("fault: the console before a store with much in it" PROPERTIES TIMEOUT 300 LABELS "fault;trial" COST 15)

foreach(program trial piles overlook outbox_trial)
    add_test(NAME "fault: a word that no trial knows is refused in a sentence by errand_${program}"
        COMMAND errand_${program} --seconds 5 --tings 100)
    set_tests_properties("fault: a word that no trial knows is refused in a sentence by errand_${program}" PROPERTIES
        PASS_REGULAR_EXPRESSION "^fault: .*--tings.*scripts/fault --help names the options" LABELS "fault;trial")
endforeach()
