// Notes that are changed together with the body, of a task that nobody runs; and those that a cancelled task keeps.
#include "support/ward.hpp"

#include <catch2/generators/catch_generators.hpp>

using namespace errand;
using namespace errand::test;
using namespace std::chrono_literals;

namespace {

struct noted_tasks : ward_on<store_fixture> {
    member by = join("by:1");

    found_task look(const task_id& id) {
        auto found = await(io, worker->find(id));
        REQUIRE(found);
        return std::move(*found);
    }
    edit_verdict edit(const found_task& seen, const std::string& progress) {
        auto body = decode_body(seen.body);
        body.args = "[\"" + progress + "\"]";
        edit_call call{
            .id = seen.id, .seen = seen.body, .body = encode(body), .due_at = {}, .expires_at = {}};
        task_notes notes;
        if (!seen.notes.empty()) notes = decode_notes(seen.notes);
        notes.progress_text = progress;
        notes.flow.emplace().content = progress;
        call.notes = encode(notes);
        call.seen_notes = seen.notes;
        return await(io, worker->edit(call));
    }
};

}  // namespace

TEST_CASE("body and notes are changed together, if both are as they were seen") {
    noted_tasks t;
    const auto priority = GENERATE(0, 4);
    const auto item = item_of("[1]", "default", priority);
    t.submit(t.worker, item);
    const auto blank = t.look(item.id);
    CHECK(t.edit(blank, "first") == edit_verdict::done);
    const auto first = t.look(item.id);
    CHECK(first.where == state::ready);
    CHECK(decode_notes(first.notes).progress_text == "first");
    CHECK(decode_body(first.body).args == R"(["first"])");
    // The body is the same again, the notes are not those that were seen.
    auto stale = first;
    stale.notes = blank.notes;
    CHECK(t.edit(stale, "late") == edit_verdict::changed);
    stale = first;
    stale.body = blank.body;
    CHECK(t.edit(stale, "late") == edit_verdict::changed);
    CHECK(t.look(item.id).notes == first.notes);
    CHECK(t.edit(first, "second") == edit_verdict::done);
    CHECK(t.check().empty());
    // Whoever claims it has both.
    const auto got = t.claim(t.by, 10).claimed;
    REQUIRE(got.size() == 1);
    CHECK(args_of(got[0]) == R"(["second"])");
    CHECK(decode_notes(got[0].notes).flow->content == "second");
    CHECK(t.claim(t.by, 10).claimed.empty());
    CHECK(t.edit(t.look(item.id), "third") == edit_verdict::unchanged);
    // Also while it waits for its time.
    CHECK(t.finish(t.by, {report_of(got[0], report::kind::retry, 1h)}) ==
          std::vector{report_verdict::accepted});
    CHECK(t.edit(t.look(item.id), "fourth") == edit_verdict::done);
    CHECK(t.look(item.id).where == state::retry);
    CHECK(t.look(item.id).due_at);
    CHECK(decode_notes(t.look(item.id).notes).progress_text == "fourth");
    CHECK(t.check().empty());
}

TEST_CASE(
    "a task that is cancelled keeps its notes beside its outcome, and starts again with those it is given") {
    noted_tasks t;
    const auto held = item_of("[1]");
    const auto pending = item_of("[2]");
    t.submit(t.worker, held);
    CHECK(t.edit(t.look(held.id), "mine") == edit_verdict::done);
    REQUIRE(t.claim(t.by, 1).claimed.size() == 1);
    t.submit(t.worker, pending);
    CHECK(t.edit(t.look(pending.id), "mine") == edit_verdict::done);
    for (const auto& id : {held.id, pending.id}) {
        CHECK(await(t.io, t.worker->cancel(id, 0, outcome_of(state::cancelled))).cancelled);
        const auto end = t.look(id);
        CHECK(end.where == state::cancelled);
        REQUIRE(!end.notes.empty());
        CHECK(decode_notes(end.notes).progress_text == "mine");
        CHECK(await(t.io, t.worker->revive(id, incarnation_of(end.body), *end.finished_at, end.notes)));
        CHECK(t.look(id).notes == end.notes);
    }
    CHECK(t.claim(t.by, 10).claimed.size() == 2);
    CHECK(t.check().empty());
}
