// The one connection of this process to a database, and the thread that owns it.
//
// Calls of all store objects on that database come in one line. The thread takes all that stand there (in memory, not more
// than one large one), runs them in one transaction, commits, and only then answers: under load one commit carries many
// calls, and no timer delays a lone one.
// When a transaction fails, each of its calls is made again in one of its own, so that only the one at fault is answered
// with the error.
#pragma once

#include "store/settings.hpp"
#include "store/sqlite/address.hpp"
#include "store/sqlite/doorbell.hpp"
#include "store/sqlite/operations.hpp"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

namespace errand::sqlite {

// A call on its way. Run on the engine's thread, once or again; answered once.
class job {
public:
    using moment = std::chrono::steady_clock::time_point;

    virtual ~job() = default;
    virtual void run(operations& in) = 0;
    // Posts the answer to its caller.
    virtual void answer(std::exception_ptr failed) = 0;

    std::string_view name;  // of the call
    caller* by = nullptr;
    bool reads = false;             // changes nothing
    bool adds = false;              // does not wait for room on a full disk
    std::size_t tasks = 1;          // about so many are its concern
    std::optional<moment> until{};  // when it is given up
};

class engine {
public:
    // Where other processes are heard to knock, their file is looked at no later than after this all the same.
    static constexpr std::chrono::milliseconds usual_latest_look{1000};

    // The engine of that file in this process, or of that app's memory.
    static std::shared_ptr<engine> of(const store_settings& settings,
                                      std::chrono::milliseconds latest_look = usual_latest_look);
    // One that makes its calls on this connection, inside of the transactions that its owner begins and ends.
    static std::shared_ptr<engine> inside(const store_settings& settings, sqlite3* connection);

    // Without a thread of its own, a call is done by whoever puts it into the line, or runs another one just then.
    engine(address at, clock_function clock, bool threadless = false,
           std::chrono::milliseconds latest_look = usual_latest_look);
    // Inside of somebody else's transaction; without a thread.
    engine(address at, clock_function clock, sqlite3* inside);
    ~engine();
    engine(const engine&) = delete;
    engine& operator=(const engine&) = delete;

    void attach(caller& who);
    // Its calls that have not begun are given to the caller, which answers them; what runs is waited for. From then on
    // nothing is posted to its executor.
    std::vector<std::shared_ptr<job>> detach(caller& who);
    void put(std::shared_ptr<job> one);
    // False: it runs already, or was answered.
    bool withdraw(const job& one);

    // Somebody of this process has committed something beside it: it looks now for what its callers wait for.
    void look_now();
    // The transaction that it is inside of was committed: the engine of the file in this process, if there is one, looks, and so do
    // those of other processes.
    void committed();

    const address& where() const noexcept { return at_; }
    std::int64_t micros() const { return clock_(); }

private:
    using jobs = std::vector<std::shared_ptr<job>>;

    void run();
    void run_here();
    void rouse();
    void wait_for_work(std::unique_lock<std::mutex>& lock);
    void sleep_by_the_door(std::unique_lock<std::mutex>& lock);
    void turn(bool reading);
    bool open();
    bool begin(bool reading);
    void tell_other_processes();
    jobs take(bool reading);
    void read_meanwhile();
    void run_all(const jobs& all);
    void run_one(const std::shared_ptr<job>& one);
    void judge(const std::shared_ptr<job>& one, const failure& why);
    void give_up_overdue(const failure& why);
    void note_trouble(const failure& why);
    void note_success();
    void tell_all(const std::string& words);
    void fail_all(std::exception_ptr why);
    job::moment not_to_look_before() const;
    void look_if_changed();
    bool look();
    void send_notices();

    const address at_;
    const clock_function clock_;
    const bool threadless_;
    const std::chrono::milliseconds latest_look_{};
    sqlite3* const inside_ = nullptr;

    std::mutex guard_;  // of what follows
    std::condition_variable changed_;
    std::deque<std::shared_ptr<job>> line_;
    std::size_t detaching_ = 0;
    bool running_ = false;
    bool stopping_ = false;
    bool looks_now_ = false;
    std::atomic<bool> asleep_{false};          // by the door: whoever has something for the thread rings
    bool waits_for_others_ = false;            // somebody of this process waits for what another may do
    std::optional<job::moment> not_before_{};  // after a failure that may pass

    // Used by the thread, and by others only while it does not run.
    idle_workers idle_;
    std::unique_ptr<connection> in_;
    std::unique_ptr<operations> operations_;
    std::optional<job::moment> failing_since_{};  // no call that writes has succeeded since then
    bool told_of_trouble_ = false;
    std::string file_;                // its whole path; empty in memory
    std::unique_ptr<doorbell> door_;  // of a file that is shared
    bool unseen_ = false;             // another process has written, and nobody has looked what
    int vain_looks_ = 0;              // so many of the last ones found something for nobody of this process
    job::moment looked_at_{}, again_at_{};

    std::thread thread_;
};

}  // namespace errand::sqlite
