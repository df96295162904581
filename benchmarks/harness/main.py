"""What scripts/bench runs once everything is built; see there for the options."""
import argparse
import os
import signal
import sys
from contextlib import ExitStack, closing

import against
import embedded
import instructions
import machine
import over_http
import over_shards
import over_shelf
import plots
import repairs
import results
import scale
import table
import transactions
from contenders import PEERS
from databases import KINDS
from measures import BY_NAME, MEASURES
from processes import Failed
from rounds import repeat
from server import GivenRedis, PrivateRedis
from works import WORKS

RESULTS = "build/bench/results.jsonl"
SMOKE_RESULTS = "build/bench/smoke.jsonl"
SCALE_RESULTS = "build/bench/scale.jsonl"
SHARDS_RESULTS = "build/bench/shards.jsonl"
SHARDS_SMOKE_RESULTS = "build/bench/shards_smoke.jsonl"
REPAIRS_RESULTS = "build/bench/repairs.jsonl"
EMBEDDED_RESULTS = "build/bench/embedded.jsonl"
EMBEDDED_SMOKE_RESULTS = "build/bench/embedded_smoke.jsonl"
HTTP_RESULTS = "build/bench/http.jsonl"
HTTP_SMOKE_RESULTS = "build/bench/http_smoke.jsonl"
SHELF_RESULTS = "build/bench/shelf.jsonl"
SHELF_SMOKE_RESULTS = "build/bench/shelf_smoke.jsonl"
IMAGES = "docs/images"
ROUNDS = {"full": 3, "quick": 3, "smoke": 1}


def rows_of(text):
    rows = int(text.replace(",", ""))
    # Fewer come in one page, and nothing is measured.
    if rows < 2_000:
        raise argparse.ArgumentTypeError(f"{rows} rows are too few to be measured: 2000 at least")
    return rows


def parse(words):
    parser = argparse.ArgumentParser(prog="bench", add_help=False)
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--quick", dest="mode", action="store_const", const="quick", default="full")
    size.add_argument("--smoke", dest="mode", action="store_const", const="smoke")
    parser.add_argument("--only", action="append", choices=list(BY_NAME), metavar="NAME")
    parser.add_argument("--peers", action="store_true")
    parser.add_argument("--store", metavar="URL")
    parser.add_argument("--against", metavar="DIRECTORY")
    parser.add_argument("--metrics", action="store_true")
    parser.add_argument("--scale", action="store_true")
    parser.add_argument("--repairs", action="store_true")
    parser.add_argument("--http", action="store_true")
    parser.add_argument("--transactions", nargs="?", const="all", choices=["all", *KINDS], metavar="DATABASE")
    parser.add_argument("--shelf", nargs="?", const="all", choices=["all", *KINDS], metavar="DATABASE")
    parser.add_argument("--rows", type=rows_of, metavar="N")
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("--plot", nargs="?", const=IMAGES, metavar="DIRECTORY")
    parser.add_argument("--check-options", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(words)
    if options.scale and (options.store or options.peers or options.only or options.mode == "smoke"):
        parser.error("--scale goes with --quick only")
    if options.repairs and (options.store or options.peers or options.only or options.scale):
        parser.error("--repairs goes with --quick and --smoke only")
    if options.against and (options.peers or options.scale or options.repairs):
        parser.error("--against goes with --quick, --only and --store only")
    if options.metrics and (options.against or options.peers or options.scale or options.repairs or options.transactions
                            or options.http or options.store == "sqlite"):
        parser.error("--metrics goes with --quick, --only and --store only")
    if options.transactions and (options.store or options.peers or options.only or options.scale or options.repairs
                                 or options.against):
        parser.error("--transactions goes with --quick and --smoke only")
    if options.http and (options.store or options.only or options.scale or options.repairs or options.against
                         or options.transactions or options.plot):
        parser.error("--http goes with --quick, --smoke, --peers and --markdown only")
    if options.shelf and (options.store or options.peers or options.only or options.scale or options.repairs
                          or options.against or options.metrics or options.transactions or options.http or options.plot):
        parser.error("--shelf goes with --quick, --smoke, --rows and --markdown only")
    if options.rows and not options.shelf:
        parser.error("--rows goes with --shelf only")
    return options


def choose(options, store):
    """The measures of this run, the works they need, and why others are left out."""
    measures, notes = [BY_NAME[name] for name in options.only or BY_NAME], []

    def leave_out(unwanted, why):
        names = [one.name for one in measures if unwanted(one)]
        if names:
            notes.append(f"left out: {', '.join(names)}: {why}")
        measures[:] = [one for one in measures if not unwanted(one)]

    if options.store:
        leave_out(lambda one: "life_append_only" in one.works, "it needs a Redis of its own settings")
    counted = {work.name for work in WORKS if work.reads == "instructions"}
    if any(counted & set(one.works) for one in measures) and not instructions.tool():
        leave_out(lambda one: counted & set(one.works), instructions.WITHOUT)
    if not store.is_local:
        leave_out(lambda one: one.reads_cpu, "Redis runs elsewhere")
    needed = {work for one in measures for works in (one.works, one.floor_works) for work in works}
    if options.peers:
        needed |= {work for one in measures for works in one.for_peers for work in works}
    return measures, [work for work in WORKS if work.name in needed], notes


def competitors(options, store, notes):
    names = ["errand"]
    if store.serves_all:
        names.append("floor")
    else:
        notes.append("left out: the floor: it speaks only plain TCP and unix sockets, without a password")
    if options.peers and store.serves_peers:
        names += PEERS
        if options.mode == "quick":
            notes.append("The peers did everything once.")
    elif options.peers:
        notes.append("left out: the peers: they need a local Redis that listens on a unix socket and on a port")
    return names


def trim(works, measures, contenders):
    """Without what only another contender's measures would look at."""
    own = {"errand": {work for one in measures for work in one.works},
           "floor": {work for one in measures for work in one.floor_works or one.works}}
    kept = []
    for work in works:
        calls = {name: call for name, call in work.calls.items() if name in PEERS or work.name in own[name]}
        if any(name in calls for name in contenders):
            kept.append(type(work)(**{**vars(work), "calls": calls}))
    return kept


def results_of(mode):
    return SMOKE_RESULTS if mode == "smoke" else RESULTS


def is_of_database(one):
    return "database" in one


def measure(options):
    with ExitStack() as stack:
        store = stack.enter_context(closing(GivenRedis(options.store) if options.store else PrivateRedis()))
        measures, works, notes = choose(options, store)
        contenders = competitors(options, store, notes)
        works = trim(works, measures, contenders)
        stores = {"plain": store}
        if any(work.store == "append_only" for work in works):
            stores["append_only"] = stack.enter_context(closing(PrivateRedis(append_only=True)))
        if options.against or options.metrics:
            text, failures = against.measure(measures, works, options.against, options.mode, stores)
            print("\n".join([text, *notes, *(f"FAILED: {who}: {why}" for who, why in failures)]))
            return 1 if failures else 0
        about = machine.about(store, options.mode)
        samples = repeat(works, contenders, options.mode, ROUNDS[options.mode], stores)
    for work, who in samples.unknown.items():
        samples.fail(work, who, f"{who}, {work}: its program is of an older version: build it")
    records = [one for one in (results.record(each, samples, about) for each in measures) if one]
    if records:
        results.write(results_of(options.mode), records, beside=is_of_database)
        print(table.whole(records))
    for note in notes + [f"FAILED: {why}" for _, why in samples.failures]:
        print(note)
    if options.peers and options.mode == "full" and not options.only and records:
        print("plots: " + ", ".join(plots.draw(records, IMAGES)))
    # A peer that fails is told of; it says nothing about errand.
    failed = any(name not in PEERS for name, _ in samples.failures)
    return 1 if failed or not records or len(records) < len(measures) else 0


def from_files(options):
    if options.shelf:
        if not os.path.exists(SHELF_RESULTS):
            raise Failed(f"there is no {SHELF_RESULTS} yet: run --shelf first")
        print(over_shelf.whole(results.read(SHELF_RESULTS), table.as_markdown))
        return 0
    if options.http:
        if not os.path.exists(HTTP_RESULTS):
            raise Failed(f"there is no {HTTP_RESULTS} yet: run --http first")
        print(over_http.whole(results.read(HTTP_RESULTS), table.as_markdown))
        return 0
    if not os.path.exists(RESULTS):
        raise Failed(f"there is no {RESULTS} yet: run without options first")
    records = [one for one in results.read(RESULTS) if not is_of_database(one)]
    of_databases = [one for one in results.read(RESULTS) if is_of_database(one)]
    if options.markdown:
        if records:
            print(table.whole(records, table.as_markdown))
        if of_databases:
            print("\n" + transactions.whole(of_databases, table.as_markdown))
        if os.path.exists(SCALE_RESULTS):
            print("\n" + scale.whole(results.read(SCALE_RESULTS), table.as_markdown))
        if os.path.exists(SHARDS_RESULTS):
            print("\n" + over_shards.whole(results.read(SHARDS_RESULTS), table.as_markdown))
        if os.path.exists(EMBEDDED_RESULTS):
            print("\n" + embedded.whole(results.read(EMBEDDED_RESULTS), table.as_markdown))
        if os.path.exists(REPAIRS_RESULTS):
            print("\n" + repairs.whole(results.read(REPAIRS_RESULTS), table.as_markdown))
        if os.path.exists(HTTP_RESULTS):
            print("\n" + over_http.whole(results.read(HTTP_RESULTS), table.as_markdown))
        if os.path.exists(SHELF_RESULTS):
            print("\n" + over_shelf.whole(results.read(SHELF_RESULTS), table.as_markdown))
    if options.plot:
        made = plots.draw(records, options.plot)
        if os.path.exists(SCALE_RESULTS):
            made.append(plots.draw_scale(results.read(SCALE_RESULTS), options.plot))
        print("plots: " + ", ".join(made))
    return 0


def measure_repairs(mode):
    records = repairs.measure(mode)
    results.write(REPAIRS_RESULTS, records)
    print(repairs.whole(records))
    failed = repairs.failures(records)
    for one in failed:
        print(f"FAILED: {one}")
    return 1 if failed else 0


def measure_http(mode, with_peers):
    records, notes, failed = over_http.measure(mode, with_peers)
    if records:
        results.write(HTTP_SMOKE_RESULTS if mode == "smoke" else HTTP_RESULTS, records)
        print(over_http.whole(records))
    for one in notes:
        print(one)
    return 1 if failed or not records else 0


def measure_embedded(mode):
    records = embedded.measure(mode)
    results.write(EMBEDDED_SMOKE_RESULTS if mode == "smoke" else EMBEDDED_RESULTS, records)
    print(embedded.whole(records))
    return 0


def measure_shards(mode):
    records = over_shards.measure(mode)
    results.write(SHARDS_SMOKE_RESULTS if mode == "smoke" else SHARDS_RESULTS, records)
    print(over_shards.whole(records))


def measure_transactions(chosen, mode):
    kinds = KINDS if chosen == "all" else [chosen]
    records = transactions.measure(kinds, mode)
    results.write(results_of(mode), records, beside=lambda one: one.get("database") not in kinds)
    print(transactions.whole(records))
    return 0


def measure_shelf(chosen, mode, rows):
    kinds = over_shelf.there(KINDS) if chosen == "all" else [chosen]
    records = over_shelf.measure(kinds, mode, rows)
    # Those of another database stay, unless they are of another number of rows.
    results.write(SHELF_SMOKE_RESULTS if mode == "smoke" else SHELF_RESULTS, records,
                  beside=lambda one: one["shelf"] not in kinds and one["rows"] == records[0]["rows"]
                  and one["mode"] == mode)
    print(over_shelf.whole(records))
    return 0


def end_in_order(number, _):
    raise SystemExit(128 + number)


def main():
    options = parse(sys.argv[1:])
    if options.check_options:
        return 0
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, end_in_order)
    try:
        if options.markdown or options.plot:
            return from_files(options)
        if options.repairs:
            return measure_repairs(options.mode)
        if options.store == "sqlite":
            return measure_embedded(options.mode)
        if options.scale:
            records = scale.measure(options.mode)
            results.write(SCALE_RESULTS, records)
            print(scale.whole(records) + "\n")
            measure_shards(options.mode)
            return 0
        if options.transactions:
            return measure_transactions(options.transactions, options.mode)
        if options.http:
            return measure_http(options.mode, options.peers)
        if options.shelf:
            return measure_shelf(options.shelf, options.mode, options.rows)
        failed = measure(options)
        # Whether they still work.
        if options.mode == "smoke" and not (options.only or options.store or options.against or options.metrics):
            measure_shards(options.mode)
            measure_embedded(options.mode)
            failed = measure_transactions("all", options.mode) or failed
            failed = measure_shelf("all", options.mode, None) or failed
            failed = measure_http(options.mode, False) or failed
        return failed
    except Failed as why:
        print(f"bench: {why}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
