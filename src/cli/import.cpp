// Submitting what a file holds, and which imports there were.
#include <errand/error.hpp>
#include <errand/proxy.hpp>

#include "cli/commands.hpp"
#include "cli/import_jobs.hpp"
#include "cli/import_run.hpp"
#include "cli/options.hpp"
#include "cli/table.hpp"
#include "cli/text.hpp"
#include "cli/views.hpp"
#include "core/json_quote.hpp"
#include "core/rate_text.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <CLI/CLI.hpp>

#include <cstdlib>
#include <memory>

namespace errand::cli {

namespace json = boost::json;

namespace {

constexpr std::size_t longest_import_name = 200;

struct import_line {
    import_order order;
    std::string format;
    std::string rate;
    std::string spread;
    std::string from;
    std::string wait;
    std::string ttr;
    bool list = false;
    bool forget = false;
};

void check_name(const std::string& name) {
    if (name.empty())
        throw usage_error{
            "give the import a --name: it goes on under it when it was stopped, and each line counts once"};
    if (name.size() > longest_import_name || plain(name) != name) {
        throw usage_error{"--name: a name has at most " + std::to_string(longest_import_name) +
                          " bytes and no control characters"};
    }
}

import_order order_of(const import_line& given) {
    auto order = given.order;
    if (order.file.empty())
        throw usage_error{
            "name the file to import, or - for standard input; --list shows the imports there were"};
    check_name(order.name);
    order.csv = given.format.empty() ? order.file.ends_with(".csv") : given.format == "csv";
    if (!given.rate.empty()) {
        order.rate = read_pace(given.rate);
        if (!order.rate || order.rate->count < 1 || order.rate->per <= duration{0})
            throw usage_error{"--rate: write tasks and time, such as 20000/s, not \"" + given.rate + '"'};
    }
    if (!given.spread.empty()) order.spread = need_length("--spread", given.spread);
    if (order.most_ready == 0) throw usage_error{"--most-ready: give at least 1"};
    return order;
}

json::object json_of_import(const std::string& name, const import_record& record) {
    return {{"name", name},
            {"began", instant_text(record.began)},
            {"complete", record.complete},
            {"lines", record.lines},
            {"accepted", record.accepted},
            {"duplicates", record.duplicates},
            {"rejected", record.rejected},
            {"offset", record.offset},
            {"size", record.size == 0 ? json::value{} : json::value{record.size}}};
}

std::string counts_of(const import_record& record) {
    return tasks_text(record.accepted) + " accepted, " + std::to_string(record.duplicates) + " duplicates, " +
           std::to_string(record.rejected) + " rejected";
}

exit_code tell(session& on, const import_order& order, const import_record& record, std::uint64_t unsaid) {
    if (on.json()) {
        print_document(json_of_import(order.name, record));
    } else if (record.complete) {
        print("imported " + std::to_string(record.lines) + " lines: " + counts_of(record) + '\n');
    }
    if (!record.complete) {
        complain("stopped behind line " + std::to_string(record.lines) + " (" + counts_of(record) +
                 "); the same command goes on there");
        return exit_code::interrupted;
    }
    if (unsaid > 0)
        complain(std::to_string(unsaid) +
                 " more lines were rejected: with --rejects FILE they are kept with their reasons");
    if (record.rejected == 0) return exit_code::done;
    complain(
        std::to_string(record.rejected) + " of " + std::to_string(record.lines) +
        " lines were rejected: put them right in a file of their own, and import that under another --name");
    return exit_code::undone;
}

exit_code import_file_of(session& on, const import_line& given) {
    const auto order = order_of(given);
    import_record record;
    std::uint64_t unsaid = 0;
    try {
        // Its bar is gone when it is.
        import_run all{on, order};
        record = all.run();
        unsaid = all.unsaid();
    } catch (const store_error& why) {
        throw store_error{std::string{why.what()} +
                          "; what was accepted stays, and the same command goes on there"};
    }
    return tell(on, order, record, unsaid);
}

exit_code list(session& on) {
    const auto all = on.run(list_imports(detail::core_of(on.app())));
    if (on.json()) {
        json::array imports;
        for (const auto& one : all) imports.emplace_back(json_of_import(one.name, one.record));
        print_document(json::object{{"imports", std::move(imports)}});
        return on.seen();
    }
    table shown{{{.title = "import", .least = 10},
                 {.title = "began"},
                 {.title = "lines", .right = true},
                 {.title = "accepted", .right = true},
                 {.title = "duplicates", .right = true},
                 {.title = "rejected", .right = true},
                 {.title = "complete"}}};
    for (const auto& [name, record] : all) {
        shown.add({name, from_now(record.began, clock_now()), std::to_string(record.lines),
                   std::to_string(record.accepted), std::to_string(record.duplicates),
                   std::to_string(record.rejected), record.complete ? "yes" : "no"});
    }
    print(all.empty() ? "there was no import\n" : shown.text(line_width()));
    return on.seen();
}

exit_code forget(session& on, const std::string& name) {
    check_name(name);
    auto& core = detail::core_of(on.app());
    const auto known = on.run(find_import(core, name));
    if (known.stamp == 0) {
        complain("there was no import " + detail::quoted_extract(name) + "; errand import --list shows them");
        return exit_code::undone;
    }
    on.run(drop_import(core, name, known.stamp));
    if (on.json()) print_document(json_of_import(name, known));
    return exit_code::done;
}

// What a file is asked about says nothing of jobs, each of which brings its queue and has an id.
void check_drain(const import_line& given) {
    const auto& order = given.order;
    const bool of_files = !order.file.empty() || !order.name.empty() || !given.format.empty() ||
                          !order.rules.handler.empty() || !order.rules.queue.empty() || !given.rate.empty() ||
                          !given.spread.empty() || order.most_ready;
    if (of_files || order.rules.biz_id != import_rules{}.biz_id || order.rules.at != import_rules{}.at)
        throw usage_error{"--from takes --wait, --ttr and --rejects alone: jobs bring all the rest"};
}

// Of delayed jobs, and of those that somebody has taken, nobody is told.
json::object json_of_drain(const drain_order& order, const drain_counts& got) {
    json::object one{{"from", order.from.shown},
                     {"complete", !got.interrupted && got.ready == 0},
                     {"accepted", got.accepted},
                     {"rejected", got.rejected},
                     {"left", nullptr}};
    if (!got.interrupted) {
        one["left"] = {
            {"ready", got.ready}, {"dead_letters", got.dead}, {"delayed", nullptr}, {"taken", nullptr}};
    }
    return one;
}

std::string left_text(const drain_counts& got) {
    return std::to_string(got.ready) + " ready, " + std::to_string(got.dead) +
           " dead letters, and what is delayed or taken, of which lmstfy does not tell: --wait 10m stays until none "
           "has come for so long";
}

exit_code tell(session& on, const drain_order& order, const drain_counts& got) {
    if (on.json()) {
        print_document(json_of_drain(order, got));
    } else {
        print("imported " + std::to_string(got.accepted) + " jobs; " + std::to_string(got.rejected) +
              " were rejected\n");
        if (!got.interrupted) print("left there: " + left_text(got) + '\n');
    }
    if (got.unsaid > 0)
        complain(std::to_string(got.unsaid) +
                 " more jobs were rejected: with --rejects FILE they are kept with their reasons");
    if (got.interrupted) {
        complain("stopped before the queue was empty; the same command goes on there");
        return exit_code::interrupted;
    }
    if (got.ready > 0)
        complain(
            "jobs are ready there and were given to nobody, or came while it ended: the same command goes on "
            "there");
    if (got.rejected > 0)
        complain("what was rejected stays where it was, and comes again there when its ttr is over");
    return got.ready > 0 || got.rejected > 0 ? exit_code::undone : exit_code::done;
}

exit_code drain(session& on, const import_line& given) {
    check_drain(given);
    drain_order order{.from = lmstfy::read_source(given.from)};
    if (order.from.token.empty()) {
        const char* token = std::getenv("ERRAND_LMSTFY_TOKEN");
        if (token) order.from.token = token;
    }
    if (!given.wait.empty()) order.wait = need_length("--wait", given.wait);
    if (!given.ttr.empty()) order.ttr = need_length("--ttr", given.ttr);
    if (order.ttr < std::chrono::seconds{1}) throw usage_error{"--ttr: give at least 1s"};
    order.rejects = given.order.rejects;
    drain_counts got;
    try {
        import_jobs all{on, order};
        got = all.run();
    } catch (const store_error& why) {
        throw store_error{std::string{why.what()} +
                          "; what was taken there and is not here comes again, and the same command goes on"};
    }
    return tell(on, order, got);
}

exit_code import_or_list(session& on, const import_line& given) {
    if (given.list && given.forget) throw usage_error{"choose one of --list and --forget"};
    if ((given.list || given.forget) && (!given.order.file.empty() || !given.from.empty()))
        throw usage_error{"--list and --forget take no file"};
    if (given.list) return list(on);
    if (given.forget) return forget(on, given.order.name);
    return given.from.empty() ? import_file_of(on, given) : drain(on, given);
}

}  // namespace

runner prepare_import(CLI::App& line) {
    const auto given = std::make_shared<import_line>();
    auto& order = given->order;
    line.add_option("file", order.file, "JSON Lines or CSV; -: standard input")->type_name("FILE");
    line.add_option("--name", order.name, "Under which it goes on when it was stopped")->type_name("NAME");
    line.add_option("--format", given->format, "jsonl or csv (csv for files of that ending)")
        ->check(CLI::IsMember({"jsonl", "csv"}))
        ->type_name("FORMAT");
    line.add_option("--handler", order.rules.handler, "The handler of lines that name none")
        ->type_name("NAME");
    line.add_option("--queue", order.rules.queue, "The queue of lines that name none")->type_name("QUEUE");
    line.add_option("--biz-id", order.rules.biz_id, "The member or column that is the biz_id (biz_id)")
        ->type_name("FIELD");
    line.add_option("--at", order.rules.at, "The member or column that says when it is due (at)")
        ->type_name("FIELD");
    line.add_option("--rate", given->rate, "No more than so many tasks in a time, such as 20000/s")
        ->type_name("RATE");
    line.add_option("--spread", given->spread, "Lines that do not say when are due evenly over so long")
        ->type_name("TIME");
    line.add_option("--most-ready", order.most_ready, "Waits while so many tasks are ready")->type_name("N");
    line.add_option("--rejects", order.rejects, "Takes the lines that are refused, with the reasons")
        ->type_name("FILE");
    line.add_option("--from", given->from,
                    "Takes the jobs of an lmstfy: lmstfy://TOKEN@host:7777/namespace/queue,queue")
        ->type_name("URL");
    line.add_option("--wait", given->wait, "With --from: goes on until no job has come for so long")
        ->type_name("TIME");
    line.add_option("--ttr", given->ttr,
                    "With --from: what is not brought over by then comes back there (2m)")
        ->type_name("TIME");
    line.add_flag("--list", given->list, "Which imports there were, and how far they are");
    line.add_flag("--forget", given->forget, "Forgets the import of this --name");
    return [given](session& on) { return import_or_list(on, *given); };
}

}  // namespace errand::cli
