/* Who is told that there is something to do: a store with an idle set, workers that sleep until they are told, tasks that
 * are handed over, and everything by which a message or a place in the set gets lost. README.md says what is modelled.
 *
 * Calls are reliable here: life.pml has what goes wrong with them.
 */

#ifndef TASKS
#define TASKS 2
#endif
#ifndef WORKERS
#define WORKERS 2   /* of which all but the first may die */
#endif
#ifndef CUTS
#define CUTS 0      /* connections that break; what was on its way to them is gone */
#endif
#ifndef DEATHS
#define DEATHS 0
#endif
#ifndef LOSSES
#define LOSSES 0    /* of an entry of the idle set: a fail-over to an older copy */
#endif
#ifndef EMPTIED
#define EMPTIED 0   /* the store loses all its data, and the connections stay */
#endif
#define CLAIMS 12   /* more than any run needs; asserted */

/* ---- the store --------------------------------------------------------------------------------------- */

#define absent 0
#define is_ready 1
#define held 2
#define done 3
byte tasks[TASKS];
byte own[TASKS];        /* its claim, 0: none */
byte last_claim;
bit over[CLAIMS];       /* by claim: its lease has run out */
bit idle[WORKERS];
bit made = 1;           /* the shard has its stamp */

/* ---- the workers, one slot each ----------------------------------------------------------------------- */

bit up[WORKERS];        /* its connection hears */
bit gone[WORKERS];
bit woken[WORKERS];     /* a message that there may be something, not read yet */
chan given[WORKERS] = [4] of { byte, byte }; /* tasks handed over, under which claim; not read yet */
bit hungry[WORKERS];    /* it believes that there may be more than it was given */
#define free 0
#define running 1
#define ended 2
byte slot[WORKERS];
byte slot_task[WORKERS];
byte slot_claim[WORKERS];
#define none 0
#define sent 1
#define answered 2
byte call[WORKERS];
bit asks[WORKERS];      /* the call claims: the slot is reserved */
byte reported[WORKERS]; /* the task that it reports, and one; 0: none */
byte under[WORKERS];    /* the claim of that */
byte got[WORKERS];      /* what the answer brings: a task and one; 0: none */
byte got_claim[WORKERS];
bit told[WORKERS];      /* it was told something while the call was under way */

byte cuts = CUTS, deaths = DEATHS, losses = LOSSES, empties = EMPTIED;

/* Scratch, zero between steps. */
byte t, x, n, m;
bit woke;

#if TASKS > 1
#define some_ready (tasks[0] == is_ready || tasks[1] == is_ready)
#else
#define some_ready (tasks[0] == is_ready)
#endif

#if WORKERS > 1
#define some_idle (idle[0] || idle[1])
#else
#define some_idle (idle[0])
#endif

#define for_each(a, to) a = 0; do :: a < (to) ->
#define next_one(a) a++ :: else -> break od; a = 0

/* ---- the scripts ------------------------------------------------------------------------------------- */

/* lib_wake.lua: takes workers out of the idle set until one has heard. `from`: with which it begins, anybody's guess. */
inline wake(from) {
    woke = 0;
    for_each(n, WORKERS)
        x = (from + n) % WORKERS;
        if
        :: idle[x] && !woke -> idle[x] = 0; woken[x] = woken[x] || up[x]; woke = up[x]
        :: else
        fi;
    next_one(n);
    x = 0;
    woke = 0
}

inline make_ready(task, from) {
    own[task] = 0;
    tasks[task] = is_ready;
    wake(from)
}

inline take(task) {
    last_claim++;
    assert(last_claim < CLAIMS);
    own[task] = last_claim;
    tasks[task] = held
}

/* submit_new.lua: a lone task goes to an idle worker that hears of it, not past tasks that are ready. */
inline submit(task, from, hands) {
    if
    :: hands && !some_ready ->
        for_each(n, WORKERS)
            x = (from + n) % WORKERS;
            if
            :: idle[x] && tasks[task] == absent ->
                idle[x] = 0;
                if
                :: up[x] ->
                    take(task);
                    assert(nfull(given[x]));
                    given[x]!task, last_claim;
                    printf("task %d is handed to worker %d under claim %d\n", task, x, last_claim)
                :: else
                fi
            :: else
            fi;
        next_one(n);
        x = 0
    :: else
    fi;
    if
    :: tasks[task] == absent -> make_ready(task, from); printf("task %d is ready\n", task)
    :: else
    fi
}

inline finish(task, claim) {
    if
    :: own[task] == claim && tasks[task] == held ->
        own[task] = 0;
        tasks[task] = done;
        printf("task %d ends under claim %d\n", task, claim)
    :: else -> printf("the report of task %d under claim %d is refused\n", task, claim)
    fi
}

/* work.lua: finish and claim */
inline work(w, from) {
    if
    :: reported[w] -> finish(reported[w] - 1, under[w]); reported[w] = 0; under[w] = 0
    :: else
    fi;
    if
    :: asks[w] && some_ready ->
        t = (tasks[from % TASKS] == is_ready -> from % TASKS : TASKS - 1 - from % TASKS);
        take(t);
        got[w] = t + 1;
        got_claim[w] = last_claim;
        printf("worker %d claims task %d under claim %d\n", w, t, last_claim);
        t = 0;
        idle[w] = 0;
        /* One that leaves a backlog wakes the next. */
        if :: some_ready -> wake(from) :: else fi
    :: asks[w] && !some_ready -> idle[w] = 1; printf("worker %d finds nothing\n", w)
    :: else
    fi
}

/* ---- the workers ------------------------------------------------------------------------------------- */

#define some_order if :: m = 0 :: m = 1 fi

/* Whatever comes means that the worker stands in the idle set no more. */
inline hear(w) {
    hungry[w] = 1;
    told[w] = (call[w] != none)
}

/* A task that was handed over is read: in time, or later than its lease. */
inline read_given(w) {
    given[w]?t, n;
    if
    :: over[n] ->
        printf("worker %d reads of task %d when its lease is over\n", w, t);
#ifndef LATE_IS_DROPPED
        hear(w)
#endif
    :: else ->
        hear(w);
        if
        :: slot[w] == free -> slot[w] = running; slot_task[w] = t; slot_claim[w] = n
        :: else ->
            /* No room: it is given back. */
            if :: own[t] == n -> make_ready_kept(t, m) :: else fi
        fi
    fi;
    t = 0;
    n = 0
}
/* As make_ready, which uses n itself. */
inline make_ready_kept(task, from) {
    x = n;
    own[task] = 0;
    tasks[task] = is_ready;
    n = 0;
    x = 0;
    wake(from)
}

inline send(w) {
    if
    :: slot[w] == ended ->
        reported[w] = slot_task[w] + 1;
        under[w] = slot_claim[w];
        slot[w] = free;
        slot_task[w] = 0;
        slot_claim[w] = 0
    :: else
    fi;
    asks[w] = hungry[w];
    told[w] = 0;
    call[w] = sent
}

inline learn(w) {
    if
    :: asks[w] ->
#ifdef FORGETS_WAKE
        hungry[w] = (got[w] != 0)
#else
        hungry[w] = (got[w] != 0 || told[w])
#endif
    :: else
    fi;
    if
    :: got[w] -> slot[w] = running; slot_task[w] = got[w] - 1; slot_claim[w] = got_claim[w]
    :: else
    fi;
    got[w] = 0;
    got_claim[w] = 0;
    told[w] = 0;
    asks[w] = 0;
    call[w] = none
}

inline lose_messages(w) {
    woken[w] = 0;
    do
    :: len(given[w]) > 0 -> given[w]?t, n
    :: else -> break
    od;
    t = 0;
    n = 0
}

inline die(w) {
    printf("worker %d dies\n", w);
    lose_messages(w);
    gone[w] = 1;
    up[w] = 0;
    hungry[w] = 0;
    slot[w] = free; slot_task[w] = 0; slot_claim[w] = 0;
    call[w] = none; asks[w] = 0; reported[w] = 0; under[w] = 0;
    got[w] = 0; got_claim[w] = 0; told[w] = 0
}

proctype worker(byte w) {
end:
    do
    :: d_step { woken[w] -> woken[w] = 0; hear(w) }
    /* Whether a reserved slot stays free the answer decides. */
    :: atomic { nempty(given[w]) && !asks[w] -> some_order; d_step { read_given(w); m = 0 } }
    :: d_step { !gone[w] && call[w] == none && (slot[w] == ended || slot[w] == free && hungry[w]) -> send(w) }
    :: atomic { call[w] == sent -> some_order; d_step { work(w, m); call[w] = answered; m = 0 } }
    :: d_step { call[w] == answered -> learn(w) }
    :: d_step { slot[w] == running -> slot[w] = ended }
    /* extend.lua says that it is not its own any more. */
    :: d_step { slot[w] == running && own[slot_task[w]] != slot_claim[w] ->
        slot[w] = free; slot_task[w] = 0; slot_claim[w] = 0 }
    :: d_step { up[w] && cuts > 0 -> cuts--; up[w] = 0; lose_messages(w);
        printf("the connection of worker %d breaks\n", w) }
    :: d_step { !up[w] && !gone[w] -> up[w] = 1;
#ifndef CUT_IS_SILENT
        hear(w)
#endif
        }
    :: d_step { w > 0 && !gone[w] && deaths > 0 -> deaths--; die(w) }
#ifndef NO_NET
    /* Now and then it claims, whatever it believes. A look that finds nothing is no step. */
    :: d_step { !gone[w] && !hungry[w] && call[w] == none && slot[w] == free && some_ready -> hungry[w] = 1 }
#endif
    od
}

/* ---- the others -------------------------------------------------------------------------------------- */

/* Submits what the store does not know: at first, and when it has lost its data. */
proctype client(byte task) {
end:
    do
    :: atomic { tasks[task] == absent -> some_order;
        if
        :: d_step { submit(task, m, 1); m = 0 }
        :: d_step { submit(task, m, 0); m = 0 }
        fi }
    od
}

#define knows(w) (slot[w] == running && slot_claim[w] == own[task] || slot[w] == ended && slot_claim[w] == own[task] || \
    reported[w] == task + 1 && under[w] == own[task] || got[w] == task + 1 && got_claim[w] == own[task])
#if WORKERS > 1
#define known (knows(0) || knows(1))
#else
#define known (knows(0))
#endif

/* A lease runs out that nobody extends: of a task whose holder does not know of it (yet), or is dead. recover.lua */
proctype clock(byte task) {
end:
    do
    :: atomic { tasks[task] == held && !known -> some_order; d_step {
        over[own[task]] = 1;
        printf("the lease of claim %d runs out\n", own[task]);
        make_ready(task, m);
        m = 0 } }
    od
}

proctype trouble() {
end:
    do
    :: d_step { losses > 0 && idle[0] -> losses--; idle[0] = 0; printf("worker 0 is lost from the idle set\n") }
    :: d_step { empties > 0 && made -> empties--;
        printf("the store is emptied\n");
        for_each(t, TASKS)
            if :: tasks[t] != done -> tasks[t] = absent; own[t] = 0 :: else fi;
        next_one(t);
        for_each(n, WORKERS)
            idle[n] = 0;
        next_one(n);
        made = 0 }
#ifndef NO_PROMOTE
    /* promote.lua: somebody looks at each queue now and then, and wakes for what is ready another that waits: who was woken
     * first may have died of it. */
    :: atomic { some_ready && some_idle -> some_order; d_step { wake(m); m = 0 } }
#endif
    /* beat.lua: whoever comes first makes the shard again, and all are told. */
    :: d_step { !made -> made = 1;
#ifndef REMADE_SILENTLY
        for_each(n, WORKERS)
            woken[n] = woken[n] || up[n];
        next_one(n)
#endif
        }
    od
}

/* When nothing can happen any more, nobody is deaf: all that was submitted has ended. */
proctype rest() {
    atomic {
        timeout ->
        for_each(t, TASKS)
            assert(tasks[t] == done && own[t] == 0);
        next_one(t)
    }
}

init {
    atomic {
        for_each(n, WORKERS)
            up[n] = 1;
            hungry[n] = 1;
            run worker(n);
        next_one(n);
        for_each(n, TASKS)
            run client(n);
            run clock(n);
        next_one(n);
        run trouble();
        run rest()
    }
}
