/* Who is told of which queue: workers on several queues whose wake-ups name the queue, and which then ask that one alone. README.md
 * says what is modelled.
 *
 * Nobody helps here: no worker claims without a reason, and nobody looks after a queue.
 */

#ifndef TASKS
#define TASKS 3
#endif
#ifndef WORKERS
#define WORKERS 1
#endif
#ifndef LANES
#define LANES 2     /* calls of a worker that may be under way at once */
#endif
#ifndef SLOTS
#define SLOTS 3
#endif
#ifndef CUTS
#define CUTS 0      /* connections that break; messages on their way are gone, calls are made again */
#endif
#define QUEUES 2
#define ALL 3       /* sets of queues are bits */

/* ---- the store --------------------------------------------------------------------------------------- */

byte ready[QUEUES];
byte idle[WORKERS];         /* in the idle sets of which queues it stands */
byte unborn = TASKS, ended;

/* ---- the workers --------------------------------------------------------------------------------------- */

bit up[WORKERS];            /* its connection hears */
byte named[WORKERS];        /* messages that there is something in these queues, not read yet */
byte given[WORKERS * QUEUES]; /* tasks of a queue that are handed to it, not read yet */
byte slots[WORKERS];        /* in use */
byte reserved[WORKERS];     /* for what is asked for */
bit hungry[WORKERS];
bit waits[WORKERS];         /* it believes to stand in the idle sets of all queues but these: */
byte told[WORKERS];
#define nothing 0
#define sent 1
#define answered 2
#define CALLS (WORKERS * LANES)
byte call[CALLS];
byte asked[CALLS];          /* which queues */
bit some[CALLS];            /* as it was told of them */
byte limit[CALLS];          /* slots that are reserved */
byte most[CALLS];           /* tasks that it asks for */
byte got[CALLS];
bit woke[CALLS];            /* there was a message since it was sent */
byte heard[CALLS];          /* about these queues */
bit lost[CALLS];            /* all was forgotten since */
bit passed[CALLS];          /* one of all queues that was sent later was filled */
bit before[CALLS];          /* it was sent before the worker's other one */

byte cuts = CUTS;

/* Scratch, zero between steps. */
byte a, b, k, l, n;
bit woken;

#define call_of(w, lane) ((w) * LANES + (lane))
#define has(set, q) (((set) >> (q)) & 1)
#define without(set, q) ((set) & (ALL - (1 << (q))))

#define for_each(x, to) x = 0; do :: x < (to) ->
#define next_one(x) x++ :: else -> break od; x = 0

/* ---- the scripts ------------------------------------------------------------------------------------- */

/* lib_wake.lua: workers leave the idle set of this queue until one has heard, and are told which it was. */
inline wake(q) {
    woken = 0;
    for_each(b, WORKERS)
        if
        :: has(idle[b], q) && !woken ->
            idle[b] = without(idle[b], q);
            if :: up[b] -> named[b] = named[b] | (1 << q); woken = 1 :: else fi
        :: else
        fi;
    next_one(b);
    woken = 0
}

/* submit_new.lua */
inline submit(q, hands) {
    unborn--;
    woken = 0;
    if
    :: hands && ready[q] == 0 ->
        for_each(b, WORKERS)
            if
            :: has(idle[b], q) && !woken ->
                idle[b] = without(idle[b], q);
                if
                :: up[b] -> given[b * QUEUES + q]++; woken = 1; printf("a task of queue %d is handed to worker %d\n", q, b)
                :: else
                fi
            :: else
            fi;
        next_one(b)
    :: else
    fi;
    if
    :: !woken -> ready[q]++; printf("a task of queue %d is ready\n", q); wake(q)
    :: else
    fi;
    woken = 0
}

/* work.lua: `from`: the queue that is looked at first. */
inline work(c, w, from) {
    for_each(k, QUEUES)
        n = (from + k) % QUEUES;
        do
        :: has(asked[c], n) && got[c] < most[c] && ready[n] > 0 -> ready[n]--; got[c]++
        :: else -> break
        od;
    next_one(k);
    n = 0;
    printf("worker %d asks queues %d for %d and gets %d\n", w, asked[c], most[c], got[c]);
    if
    :: got[c] < most[c] -> idle[w] = idle[w] | asked[c]
    :: else ->
        idle[w] = idle[w] & (ALL - asked[c]);
        /* Who leaves a backlog wakes the next. */
        for_each(k, QUEUES)
            if :: has(asked[c], k) && ready[k] > 0 -> wake(k) :: else fi;
        next_one(k)
    fi
}

/* ---- the workers --------------------------------------------------------------------------------------- */

/* fetcher::woken */
inline be_woken(w) {
    hungry[w] = 1;
    for_each(l, LANES)
        if :: call[call_of(w, l)] != nothing -> woke[call_of(w, l)] = 1 :: else fi;
    next_one(l)
}

/* queue_waits::told */
inline be_told(w, q) {
#ifdef LAST_NAME_ONLY
    told[w] = 1 << q;
#else
    told[w] = told[w] | (1 << q);
#endif
    for_each(l, LANES)
        if :: call[call_of(w, l)] != nothing -> heard[call_of(w, l)] = heard[call_of(w, l)] | (1 << q) :: else fi;
    next_one(l);
    be_woken(w)
}

/* queue_waits::forget */
inline forget(w) {
    waits[w] = 0;
    told[w] = 0;
    for_each(l, LANES)
        if :: call[call_of(w, l)] != nothing -> lost[call_of(w, l)] = 1 :: else fi;
    next_one(l)
}

inline read_given(w, q) {
    given[w * QUEUES + q]--;
    be_told(w, q);
    if
    :: slots[w] + reserved[w] < SLOTS -> slots[w]++
    :: else -> ready[q]++; printf("worker %d gives it back\n", w); wake(q)
    fi
}

#define free_of(w) (SLOTS - slots[w] - reserved[w])

/* Of those that it was told of for half of its slots. */
inline send(c, w) {
    limit[c] = free_of(w);
    reserved[w] = reserved[w] + limit[c];
    some[c] = (waits[w] && told[w] != 0 && limit[c] > 1);
    asked[c] = (some[c] -> told[w] : ALL);
    most[c] = (some[c] -> (limit[c] + 1) / 2 : limit[c]);
    woke[c] = 0;
    heard[c] = 0;
    lost[c] = 0;
    passed[c] = 0;
    for_each(l, LANES)
        before[call_of(w, l)] = (call[call_of(w, l)] != nothing);
    next_one(l);
    before[c] = 0;
    call[c] = sent
}

/* queue_waits::answered, then fetcher::learn */
inline learn(c, w) {
    reserved[w] = reserved[w] - limit[c];
    slots[w] = slots[w] + got[c];
    woken = 0;
    if
    :: got[c] == most[c] && some[c] ->
#ifdef HALF_IS_ALL
        told[w] = told[w] & heard[c]
#else
        forget(w);
        woken = 1
#endif
    :: got[c] == most[c] && !some[c] ->
        waits[w] = 0;
        for_each(l, LANES)
            if :: call_of(w, l) != c && call[call_of(w, l)] != nothing && before[call_of(w, l)] -> passed[call_of(w, l)] = 1 :: else fi;
        next_one(l)
    :: got[c] < most[c] ->
        if
#ifdef LATE_IS_TRUE
        :: lost[c] -> woken = 1
        :: else ->
#else
        :: lost[c] || passed[c] -> woken = 1
        :: else ->
#endif
#ifdef FORGETS_NAMES
            told[w] = 0;
#else
            told[w] = told[w] & heard[c];
#endif
            waits[w] = (some[c] -> waits[w] : 1);
#ifndef SOME_IS_ALL
            woken = !waits[w]
#endif
        fi
    fi;
    if :: woken -> be_woken(w) :: else fi;
    woken = 0;
    hungry[w] = (got[c] == limit[c] || woke[c]);
    call[c] = nothing;
    asked[c] = 0; some[c] = 0; limit[c] = 0; most[c] = 0; got[c] = 0;
    woke[c] = 0; heard[c] = 0; lost[c] = 0; passed[c] = 0; before[c] = 0;
    for_each(l, LANES)
        before[call_of(w, l)] = 0;
    next_one(l)
}

inline cut(w) {
    cuts--;
    up[w] = 0;
    named[w] = 0;
    printf("the connection of worker %d breaks\n", w);
    /* Whoever was handed a task and does not know: the lease runs out. */
    for_each(k, QUEUES)
        do
        :: given[w * QUEUES + k] > 0 -> given[w * QUEUES + k]--; ready[k]++; wake(k)
        :: else -> break
        od;
    next_one(k)
}

#if LANES > 1
/* Calls of one connection are done in the order in which they were sent; answers may come in another, when replicas are waited for. */
#define is_next(w, lane) !(call[call_of(w, 1 - lane)] == sent && before[call_of(w, 1 - lane)])
#else
#define is_next(w, lane) true
#endif

proctype worker(byte w) {
end:
    do
    :: d_step { has(named[w], 0) -> named[w] = without(named[w], 0); be_told(w, 0) }
    :: d_step { has(named[w], 1) -> named[w] = without(named[w], 1); be_told(w, 1) }
    :: d_step { given[w * QUEUES] > 0 -> read_given(w, 0) }
    :: d_step { given[w * QUEUES + 1] > 0 -> read_given(w, 1) }
    :: d_step { slots[w] > 0 -> slots[w]--; ended++ }
    :: d_step { up[w] && cuts > 0 -> cut(w) }
    :: d_step { !up[w] -> up[w] = 1;
#ifndef CUT_IS_TRUSTED
        forget(w);
#endif
        be_woken(w) }
    od
}

proctype lane(byte w, at) {
end:
    do
    :: d_step { call[call_of(w, at)] == nothing && hungry[w] && free_of(w) > 0 -> send(call_of(w, at), w) }
    :: atomic { call[call_of(w, at)] == sent && up[w] && is_next(w, at) ->
        if :: a = 0 :: a = 1 fi;
        d_step { work(call_of(w, at), w, a); call[call_of(w, at)] = answered; a = 0 } }
    :: d_step { call[call_of(w, at)] == answered && up[w] -> learn(call_of(w, at), w) }
    od
}

proctype client() {
end:
    do
    :: atomic { unborn > 0 ->
        if
        :: d_step { submit(0, 0) }
        :: d_step { submit(0, 1) }
        :: d_step { submit(1, 0) }
        :: d_step { submit(1, 1) }
        fi }
    od
}

/* When nothing can happen any more, nobody is deaf: all that was submitted has ended. */
proctype rest() {
    atomic { timeout -> assert(ended == TASKS) }
}

init {
    atomic {
        for_each(n, WORKERS)
            up[n] = 1;
            hungry[n] = 1;
            run worker(n);
            for_each(k, LANES)
                run lane(n, k);
            next_one(k);
        next_one(n);
        run client();
        run rest()
    }
}
