/* The life of a task: a store whose steps are errand's scripts, workers that hold tasks under a claim, a
 * recoverer, a client, and everything that goes wrong between them. README.md says what is modelled.
 *
 * Each script is an inline of its name and runs in one atomic step, as in Redis.
 * One file, however long: an inline is expanded where it is used, and what a step may see is all of the store.
 */

#ifndef TASKS
#define TASKS 1    /* submitted in one batch */
#endif
#ifndef WORKERS
#define WORKERS 2
#endif
#ifndef SLOTS
#define SLOTS 1    /* tasks that a worker runs at once; also the most reports of a call: at least TASKS */
#endif
#ifndef LANES
#define LANES 1    /* calls that a worker has in flight at once */
#endif
#ifndef FAULTS
#define FAULTS 2   /* crashes, lost replies, lingering requests, leases lost by slowness; all together */
#endif
#ifndef STOPS
#define STOPS 1    /* workers that are shut down and started again */
#endif
#ifndef CANCELS
#define CANCELS 1  /* of the first task */
#endif
#ifndef SUBMITS
#define SUBMITS 1  /* submissions of the same ids */
#endif
#ifndef ATTEMPTS
#define ATTEMPTS 2 /* after so many a task is dead */
#endif
#define CLAIMS 16  /* more than any run needs; asserted */

/* What must hold, in three groups. A broken variant is looked at by one of them (ONLY), to see that this one
 * finds it. */
#define RESULTS 1
#define ALWAYS 2
#define END 3
#ifndef ONLY
#define one_result(x) assert(x)
#define always(x) assert(x)
#define in_the_end(x) assert(x)
#elif ONLY == RESULTS
#define one_result(x) assert(x)
#define always(x) skip
#define in_the_end(x) skip
#elif ONLY == ALWAYS
#define one_result(x) skip
#define always(x) assert(x)
#define in_the_end(x) skip
#else
#define one_result(x) skip
#define always(x) skip
#define in_the_end(x) assert(x)
#endif

/* ---- the store --------------------------------------------------------------------------------------- */

#define absent 0
#define open 1     /* not ended: it is in `own`, in `due` or in `ready` */
#define success 2
#define dead 3
#define cancelled 4
byte tasks[TASKS];
byte own[TASKS];     /* its claim, 0: none */
bit due[TASKS];
byte ready[TASKS];   /* its entries in the list ... */
byte stale[TASKS];   /* ... and how many of them are void */
byte notes[TASKS];   /* attempts used */
byte life[TASKS];

#define extended 1   /* its holder lives, and extends it */
#define left_alone 2 /* nobody extends it any more */
#define run_out 3
byte leases[CLAIMS]; /* by claim, 0: none */
byte claims[CLAIMS]; /* by claim: the set of its tasks */
byte last_claim;

/* The lanes: of each worker, of the recoverer, of the client, and one for a dead worker's last request. */
#define recoverer_lane (WORKERS * LANES)
#define client_lane (recoverer_lane + 1)
#define grave (recoverer_lane + 2)
#define lanes_in_all (recoverer_lane + 3)
byte lane_number[lanes_in_all]; /* what the store remembers: the number of the last call ... */
byte lane_claim[lanes_in_all];  /* ... and its answer: the claim, */
byte lane_lost[lanes_in_all];   /* and which reports were refused */

/* ---- the others -------------------------------------------------------------------------------------- */

/* How an attempt ended; what a report says. */
#define returned 0
#define threw 1
#define give_back 2
#define lease_lost 3
#define report(task, claim, kind, closes) ((claim) * 16 + (closes) * 8 + (kind) * 2 + (task))
#define task_of(r) ((r) & 1)
#define kind_of(r) (((r) >> 1) & 3)
#define closes(r) (((r) >> 3) & 1)
#define claim_of(r) ((r) >> 4)

/* A call: what a lane has under way, and a request of it that lingers in the network although it was
 * repeated, or its sender has died. `reports`: of `work`; 0: none. */
#define submit_call 1
#define work_call 2
#define recover_call 3
#define lingering(l) ((l) + lanes_in_all)
byte call[2 * lanes_in_all]; /* 0: none */
byte number[2 * lanes_in_all];
byte limit[2 * lanes_in_all];
byte reports[2 * lanes_in_all * SLOTS];
#define report_of(x, i) reports[(x) * SLOTS + i]

/* The tasks that workers and the recoverer (the last one) hold. */
#define free 0
#define running 1
#define ended(kind) (2 + (kind))
#define places ((WORKERS + 1) * SLOTS)
byte slot[places];         /* free, running, ended(...) */
byte slot_task[places];
byte slot_claim[places];
bit stopping[WORKERS];

byte faults = FAULTS;
byte stops = STOPS;
byte cancels = CANCELS;
byte submits;              /* calls of submit that were made */
bit told;                  /* the client has heard that its tasks were accepted */

/* What no script reads: it only serves assertions. */
bit result[TASKS];         /* a result was accepted in this life */
byte heard[TASKS];         /* the claim of the last report accepted */
byte born[TASKS];          /* the last claim before this life */

/* Scratch, zero between steps. */
byte t, c, i, j, got, taken, lost, first;
#if TASKS > 1
#define any_order if :: first = 0 :: first = 1 fi
#else
#define any_order skip
#endif
#ifdef SPLIT_FINISH
byte verdicts[lanes_in_all];
#endif

#define for_each(x, from, to) x = from; do :: x < (to) ->
#define next_one(x) x++ :: else -> break od; x = 0

/* ---- what must hold after every step of the store ------------------------------------------------------ */

inline sane() {
    for_each(t, 0, TASKS)
        always(ready[t] >= stale[t]);
        if
        :: tasks[t] == open ->
            /* It is in exactly one place: not lost, not twice. */
            always((own[t] != 0) + due[t] + ready[t] - stale[t] == 1);
            /* One that is working has a lease by which it will be found. */
            always(own[t] == 0 || leases[own[t]] != 0 && claims[own[t]] & (1 << t))
        :: else ->
            always(own[t] == 0 && due[t] == 0 && ready[t] == stale[t]);
            always(tasks[t] != absent || !told)
        fi;
        always(notes[t] <= ATTEMPTS);
        /* No submission begins two lives. */
        always(life[t] <= submits);
    next_one(t)
}

/* ---- the scripts ------------------------------------------------------------------------------------- */

inline submit() {
    for_each(t, 0, TASKS)
        if
        :: tasks[t] == absent || tasks[t] == dead || tasks[t] == cancelled ->
            tasks[t] = open;
            notes[t] = 0;
            ready[t]++;
            life[t]++;
            result[t] = 0;
            born[t] = last_claim
        :: else  /* a duplicate leaves no trace */
        fi;
    next_one(t)
}

/* lib_take.lua: the tasks of `taken` come under a new claim. */
inline take(l) {
    if
    :: taken ->
        last_claim++;
        assert(last_claim < CLAIMS);
        for_each(t, 0, TASKS)
            if
            :: taken & (1 << t) ->
                own[t] = last_claim;
                printf("  task %d comes under claim %d\n", t, last_claim)
            :: else
            fi;
        next_one(t);
        leases[last_claim] = extended;
        claims[last_claim] = taken;
        lane_claim[l] = last_claim
    :: else -> lane_claim[l] = 0
    fi;
    taken = 0
}

inline finish_one(r) {
    t = task_of(r);
    /* At most one result; none once it was cancelled, or has ended otherwise. */
    one_result(!result[t] || kind_of(r) != returned);
    always(tasks[t] == open);
    /* Only newer claims are heard: none twice, none of an earlier life. */
    always(claim_of(r) > heard[t] && claim_of(r) > born[t]);
    heard[t] = claim_of(r);
    own[t] = 0;
    if
    :: kind_of(r) == returned ->
        tasks[t] = success;
        result[t] = 1;
        printf("  finish: task %d ends with a result (claim %d)\n", t, heard[t])
    :: kind_of(r) == give_back ->
        ready[t]++;
        printf("  finish: task %d is given back (claim %d)\n", t, heard[t])
    :: else ->
        notes[t]++;
        if
        :: notes[t] >= ATTEMPTS ->
            tasks[t] = dead;
            printf("  finish: task %d is dead (claim %d)\n", t, heard[t])
        :: notes[t] < ATTEMPTS && kind_of(r) == threw ->
            due[t] = 1;
            printf("  finish: task %d is to be retried (claim %d)\n", t, heard[t])
        :: else ->
            ready[t]++;
            printf("  finish: task %d is ready again (claim %d)\n", t, heard[t])
        fi
    fi;
    t = 0
}

#ifdef NO_FENCE
#define holds(l, r) true
#elif defined(SPLIT_FINISH)
#define holds(l, r) (verdicts[l] & (1 << i))
#else
#define holds(l, r) (own[task_of(r)] == claim_of(r))
#endif

inline finish(l, x) {
    for_each(i, 0, SLOTS)
        if
        :: report_of(x, i) == 0
        :: else ->
            if
            :: holds(l, report_of(x, i)) -> finish_one(report_of(x, i))
            :: else ->
                lost = lost | (1 << i);
                printf("  finish: task %d is not held by claim %d: refused\n", task_of(report_of(x, i)),
                    claim_of(report_of(x, i)))
            fi
        fi;
    next_one(i);
    for_each(i, 0, SLOTS)
        if
        :: closes(report_of(x, i)) ->
            leases[claim_of(report_of(x, i))] = 0;
            claims[claim_of(report_of(x, i))] = 0
        :: else
        fi;
    next_one(i);
    lane_lost[l] = lost;
    lost = 0
}

/* As many as it asks for, those of task `first` first: the order of the lists is anybody's guess. */
inline claim(l, most) {
    got = 0;
    for_each(i, 0, TASKS)
        t = (i == 0 -> first : 1 - first);
        do
        :: ready[t] > 0 && got < most ->
            ready[t]--;
            if
            :: stale[t] > 0 -> stale[t]--
            :: else -> always(notes[t] < ATTEMPTS); taken = taken | (1 << t); got++
            fi
        :: else -> break
        od;
        t = 0;
    next_one(i);
    got = 0;
    take(l)
}

/* finish and claim in one step */
inline work(l, x) {
    finish(l, x);
    claim(l, limit[x])
}

/* All tasks of all claims whose leases have run out, under one new claim. */
inline recover(l) {
    for_each(c, 1, last_claim + 1)
        if
        :: leases[c] == run_out ->
            for_each(t, 0, TASKS)
                if
                :: claims[c] & (1 << t) && own[t] == c -> taken = taken | (1 << t)
                :: else
                fi;
            next_one(t);
            leases[c] = 0;
            claims[c] = 0;
            got = 1
        :: else
        fi;
    next_one(c);
    take(l);
    lane_lost[l] = 0
}

/* A worker asks about all it holds, and stops what it has lost. That a lease lasts while it is extended is
 * said where it runs out, so an answer that nothing is lost is no step here. A worker that is told of a
 * cancelled task does the same. */
#define is_lost(s) (leases[slot_claim[s]] != extended || own[slot_task[s]] != slot_claim[s])
inline extend(s) {
    printf("extend: task %d under claim %d is lost: stopped\n", slot_task[s], slot_claim[s]);
    slot[s] = ended(give_back)
}

inline promote(task) {
    printf("promote: task %d\n", task);
    due[task] = 0;
    ready[task]++
}

inline cancel(task) {
    printf("cancel: task %d\n", task);
    if
    :: own[task] -> own[task] = 0
    :: due[task] -> due[task] = 0
    :: else -> stale[task]++
    fi;
    tasks[task] = cancelled
}

/* lib_lane.lua, work_lane.lua: a call that is repeated is answered from memory and changes nothing. */
#ifdef NO_LANE
#define is_new(l, x) true
#else
#define is_new(l, x) (number[x] > lane_number[l])
#endif
inline run_script(l, x) {
    if
    :: is_new(l, x) ->
        if
        :: call[x] == submit_call ->
            printf("submit (lane %d, number %d)\n", l, number[x]);
            submit();
            lane_number[l] = number[x]
        :: call[x] == work_call ->
            printf("work (lane %d, number %d)\n", l, number[x]);
            work(l, x);
            lane_number[l] = number[x]
        :: else ->
            printf("recover (lane %d, number %d)\n", l, number[x]);
            recover(l);
            /* A round that finds nothing is not remembered. */
            if :: got -> lane_number[l] = number[x] :: else fi;
            got = 0
        fi;
        sane()
    :: else -> printf("lane %d, number %d: answered from memory\n", l, number[x])
    fi
}

/* ---- calls, and what goes wrong with them -------------------------------------------------------------- */

#define executed(l) (lane_number[l] == number[l])

/* Only the order of numbers matters: when no request lingers they begin anew. */
inline renumber(l) {
    if
    :: call[lingering(l)] -> skip
    :: else ->
        lane_number[l] = (call[l] && executed(l) -> 1 : 0);
        number[l] = (call[l] -> 1 : 0)
    fi
}

inline begin(l, what) {
    call[l] = what;
    number[l]++
}

/* Call x is no more. */
inline forget(x) {
    call[x] = 0;
    limit[x] = 0;
    for_each(i, 0, SLOTS)
        report_of(x, i) = 0;
    next_one(i)
}

inline answered(l) {
    forget(l);
    lane_claim[l] = 0;
    lane_lost[l] = 0;
    renumber(l)
}

inline copy_call(x, to) {
    call[to] = call[x];
    number[to] = number[x];
    limit[to] = limit[x];
    for_each(i, 0, SLOTS)
        report_of(to, i) = report_of(x, i);
    next_one(i)
}

#ifdef REPORT_ONCE
bit tried[lanes_in_all];
#define may_repeat(l) (tried[l] == 0)
#define no_answer(l) tried[l] = (l) < recoverer_lane
#else
#define may_repeat(l) true
#define no_answer(l) skip
#endif

/* What can happen to a call under way other than that it is answered: the caller hears nothing, and makes the
 * same call again. */
#define goes_wrong(l) \
    atomic { call[l] && faults > 0 && !executed(l) && may_repeat(l) -> any_order; \
        d_step { faults--; run_script(l, l); no_answer(l); first = 0; \
            printf("lane %d: the reply is lost\n", l) } } \
    :: d_step { call[l] && faults > 0 && !executed(l) && !call[lingering(l)] && may_repeat(l) -> \
        faults--; copy_call(l, lingering(l)); no_answer(l); printf("lane %d: the request lingers\n", l) }

/* What a dying process has under way may be executed later, and nobody hears the answer. */
inline leave_behind(l, leaves) {
    if
    :: call[lingering(grave)] == 0 && call[l] && !executed(l) && leaves ->
        lane_number[grave] = lane_number[l];
        copy_call(l, lingering(grave))
    :: call[lingering(grave)] == 0 && call[lingering(l)] && (!call[l] || executed(l)) ->
        lane_number[grave] = lane_number[l];
        copy_call(lingering(l), lingering(grave))
    :: else
    fi;
    forget(lingering(l));
    number[lingering(l)] = 0;
    answered(l);
#ifdef REPORT_ONCE
    tried[l] = 0;
#endif
}

inline clear(s) {
    slot[s] = free;
    slot_task[s] = 0;
    slot_claim[s] = 0
}

/* ---- workers ----------------------------------------------------------------------------------------- */

/* `w`: a worker or the recoverer, which stands behind them. */
#define first_slot(w) ((w) * SLOTS)
#define end_slot(w) ((w) * SLOTS + SLOTS)
#define first_lane(w) ((w) * LANES)
#define end_lane(w) ((w) < WORKERS -> (w) * LANES + LANES : client_lane)

#if TASKS > 1
#define some_ready (ready[0] || ready[1])
#else
#define some_ready (ready[0])
#endif
#if LANES > 1
#define asked_for(w) (limit[first_lane(w)] + limit[first_lane(w) + 1])
#define some_call(w) (call[first_lane(w)] || call[first_lane(w) + 1])
#else
#define asked_for(w) (limit[first_lane(w)])
#define some_call(w) (call[first_lane(w)])
#endif
#if SLOTS > 1
#define room(w) ((!slot[first_slot(w)]) + (!slot[first_slot(w) + 1]) - asked_for(w))
#define some_ended(w) (slot[first_slot(w)] > running || slot[first_slot(w) + 1] > running)
#define is_empty(w) (!slot[first_slot(w)] && !slot[first_slot(w) + 1])
#else
#define room(w) ((!slot[first_slot(w)]) - asked_for(w))
#define some_ended(w) (slot[first_slot(w)] > running)
#define is_empty(w) (!slot[first_slot(w)])
#endif

inline take_reports(w, l) {
    for_each(i, 0, SLOTS)
        j = first_slot(w) + i;
        if
        :: slot[j] > running ->
            report_of(l, i) = report(slot_task[j], slot_claim[j], slot[j] - 2, 0);
#ifdef SPLIT_FINISH
            verdicts[l] = verdicts[l] & ~(1 << i) | (own[slot_task[j]] == slot_claim[j]) << i;
#endif
            clear(j)
        :: else
        fi;
    next_one(i);
    j = 0;
    /* A call closes the claims of which nothing is left: no task that runs, and no report in another call
     * that is still under way. Other claims of which nothing is left are struck off when they run out. */
    for_each(i, 0, SLOTS)
        c = claim_of(report_of(l, i));
        if
        :: c ->
            got = 1;
            for_each(j, first_slot(w), end_slot(w))
                if :: slot_claim[j] == c -> got = 0 :: else fi;
            next_one(j);
#ifndef CLOSE_EARLY
            for_each(j, first_lane(w) * SLOTS, end_lane(w) * SLOTS)
                if :: j / SLOTS != l && claim_of(reports[j]) == c -> got = 0 :: else fi;
            next_one(j);
#endif
            if
            :: got -> report_of(l, i) = report_of(l, i) + 8
            :: else
            fi;
            got = 0
        :: else
        fi;
        c = 0;
    next_one(i)
}

/* It asks for as many as it has room for. */
inline count_room(w, l) {
    if
    :: some_ready && !stopping[w] -> limit[l] = room(w)
    :: else
    fi
}

/* One that has no task left changes nothing any more: it need not run out to be gone. */
inline strike_off(c) {
    for_each(t, 0, TASKS)
        if :: own[t] == c -> got = 1 :: else fi;
    next_one(t);
    if
    :: got -> got = 0
    :: else -> leases[c] = 0; claims[c] = 0
    fi
}

/* Claims whose holder does not know of them any more, or never did. */
inline let_go() {
    for_each(c, 1, last_claim + 1)
        if
        :: leases[c] == extended ->
            got = 0;
            for_each(j, 0, places)
                if :: slot_claim[j] == c -> got = 1 :: else fi;
            next_one(j);
            for_each(j, 0, client_lane)
                if :: call[j] && executed(j) && lane_claim[j] == c -> got = 1 :: else fi;
            next_one(j);
            for_each(j, 0, client_lane * SLOTS)
                if :: claim_of(reports[j]) == c -> got = 1 :: else fi;
            next_one(j);
            if
            :: got -> got = 0
            :: else ->
                leases[c] = left_alone;
                strike_off(c)
            fi
        :: else
        fi;
    next_one(c)
}

/* The answer is there. What a late reply would tell is told at once: that worker is slow, which it may be. */
inline hear(w, l, phase) {
    for_each(i, 0, SLOTS)
        if
        :: lane_lost[l] & (1 << i) ->
            /* The answer is true: what was accepted is never called lost. */
            always(heard[task_of(report_of(l, i))] != claim_of(report_of(l, i)))
        :: else
        fi;
    next_one(i);
    j = first_slot(w);
    for_each(t, 0, TASKS)
        if
        :: lane_claim[l] && own[t] == lane_claim[l] && claims[lane_claim[l]] & (1 << t) ->
            do
            :: j < end_slot(w) && slot[j] != free -> j++
            :: else -> break
            od;
            assert(j < end_slot(w));
            slot[j] = phase;
            slot_task[j] = t;
            slot_claim[j] = lane_claim[l]
        :: else
        fi;
    next_one(t);
    j = 0;
    answered(l);
    let_go()
}

inline crash(w, leaves) {
    printf("worker %d crashes\n", w);
    faults--;
    for_each(j, first_lane(w), end_lane(w))
        leave_behind(j, leaves);
    next_one(j);
    for_each(j, first_slot(w), end_slot(w))
        clear(j);
    next_one(j);
    let_go()
}

/* What a worker does with one of its tasks: the handler returns, throws, or has to stop because the task is
 * not the worker's any more or the worker stops. It may also return although it was told to stop. */
#define tell_of(s, text) printf(text, s / SLOTS, slot_task[s], slot_claim[s])
#define slot_steps(w, s) \
    d_step { slot[s] == running -> slot[s] = ended(returned); \
        tell_of(s, "worker %d: handler of task %d returns (claim %d)\n") } \
    :: d_step { slot[s] == running -> slot[s] = ended(threw); \
        tell_of(s, "worker %d: handler of task %d throws (claim %d)\n") } \
    :: d_step { slot[s] == running && stopping[w] -> slot[s] = ended(give_back); \
        tell_of(s, "worker %d stops: task %d is given back (claim %d)\n") } \
    :: d_step { slot[s] == running && is_lost(s) -> extend(s) }

/* One of its lanes: finish and claim in one call. */
#define lane_steps(w, l) \
    d_step { !call[l] && (some_ended(w) || some_ready && !stopping[w] && room(w) > 0) -> \
        take_reports(w, l); count_room(w, l); begin(l, work_call) } \
    :: atomic { call[l] && may_repeat(l) -> any_order; \
        d_step { run_script(l, l); hear(w, l, running); first = 0 } } \
    :: goes_wrong(l)

proctype worker(byte w) {
end:
    do
    :: slot_steps(w, first_slot(w))
#if SLOTS > 1
    :: slot_steps(w, first_slot(w) + 1)
#endif
    :: lane_steps(w, first_lane(w))
#if LANES > 1
    :: lane_steps(w, first_lane(w) + 1)
#endif
    :: d_step { stops > 0 && !stopping[w] && !is_empty(w) -> stops--; stopping[w] = 1 }
    :: d_step { stopping[w] && is_empty(w) && !some_call(w) -> stopping[w] = 0 }
    :: d_step { faults > 0 && (!is_empty(w) || some_call(w)) -> crash(w, false); stopping[w] = 0 }
    :: d_step { faults > 0 && some_call(w) && !call[lingering(grave)] -> crash(w, true); stopping[w] = 0 }
    od
}

#define recovering WORKERS
#define some_run_out (leases[1] == run_out || leases[2] == run_out || leases[3] == run_out || \
    leases[4] == run_out || leases[5] == run_out || leases[6] == run_out || leases[7] == run_out || \
    leases[8] == run_out || leases[9] == run_out || leases[10] == run_out || leases[11] == run_out || \
    leases[12] == run_out || leases[13] == run_out || leases[14] == run_out || leases[15] == run_out)
proctype recoverer() {
end:
    do
    :: d_step { !call[recoverer_lane] && some_ended(recovering) ->
        take_reports(recovering, recoverer_lane); begin(recoverer_lane, work_call) }
    :: d_step { !call[recoverer_lane] && is_empty(recovering) && some_run_out ->
        begin(recoverer_lane, recover_call) }
    :: d_step { call[recoverer_lane] && may_repeat(recoverer_lane) ->
        run_script(recoverer_lane, recoverer_lane); hear(recovering, recoverer_lane, ended(lease_lost)) }
    :: goes_wrong(recoverer_lane)
    :: d_step { faults > 0 && (!is_empty(recovering) || call[recoverer_lane]) -> crash(recovering, false) }
    :: d_step { faults > 0 && call[recoverer_lane] && !call[lingering(grave)] -> crash(recovering, true) }
    od
}

/* ---- the client, the clock and the network ------------------------------------------------------------- */

proctype client() {
end:
    do
    :: d_step { !call[client_lane] && submits < SUBMITS -> submits++; begin(client_lane, submit_call) }
    :: d_step { call[client_lane] && may_repeat(client_lane) ->
        run_script(client_lane, client_lane); answered(client_lane); told = 1 }
    :: goes_wrong(client_lane)
    :: d_step { cancels > 0 && tasks[0] == open -> cancels--; cancel(0); sane() }
    od
}

/* A lease that is extended runs out when its holder is too slow: that is a fault. */
#define lease_steps(c) \
    d_step { leases[c] == left_alone -> leases[c] = run_out; printf("the lease of claim %d runs out\n", c) } \
    :: d_step { leases[c] == extended && faults > 0 -> faults--; leases[c] = run_out; \
        printf("the lease of claim %d runs out although it is extended: its holder is slow\n", c) }

proctype clock() {
end:
    do
    :: d_step { due[0] -> promote(0); sane() }
#if TASKS > 1
    :: d_step { due[1] -> promote(1); sane() }
#endif
    :: lease_steps(1) :: lease_steps(2) :: lease_steps(3) :: lease_steps(4) :: lease_steps(5)
    :: lease_steps(6) :: lease_steps(7) :: lease_steps(8) :: lease_steps(9) :: lease_steps(10)
    :: lease_steps(11) :: lease_steps(12) :: lease_steps(13) :: lease_steps(14) :: lease_steps(15)
    od
}

/* A request that lingers is executed at any time; nobody hears the answer. */
proctype network(byte l) {
end:
    do
    :: atomic { call[lingering(l)] -> any_order; d_step {
        run_script(l, lingering(l));
        forget(lingering(l));
        number[lingering(l)] = 0;
        if
        :: call[l] && executed(l) -> skip
        :: else -> lane_claim[l] = 0; lane_lost[l] = 0
        fi;
        renumber(l);
        let_go();
        first = 0
    } }
    od
}

/* When nothing can happen any more all is done: no task is stuck, and nothing is left over. */
proctype rest() {
    atomic {
        timeout ->
        in_the_end(told);
        for_each(t, 0, TASKS)
            in_the_end(tasks[t] > open && ready[t] == 0);
        next_one(t);
        for_each(c, 1, last_claim + 1)
            in_the_end(leases[c] == 0 && claims[c] == 0);
        next_one(c);
        for_each(j, 0, lanes_in_all)
            in_the_end(call[j] == 0);
        next_one(j)
    }
}

init {
    atomic {
        for_each(i, 0, WORKERS)
            run worker(i);
        next_one(i);
        run recoverer();
        run client();
        run clock();
        for_each(i, 0, lanes_in_all)
            run network(i);
        next_one(i);
        run rest()
    }
}

#if TASKS > 1
#define all_ended (tasks[0] > open && tasks[1] > open)
#else
#define all_ended (tasks[0] > open)
#endif
ltl ends { <> [] all_ended }
