// The processes of the trial: a clerk that submits tasks for later and cancels some of them, and workers that run them.
#pragma once

#include <errand/errand.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace shelf_trial {

// What each process tells, a line at a time, in one file.
class journal {
public:
    explicit journal(const std::string& path);
    ~journal();
    journal(const journal&) = delete;
    journal& operator=(const journal&) = delete;

    void say(char what, std::int64_t number, std::int64_t attempt = 0, std::int64_t late = 0) const;

    static constexpr char accepted = 'a';
    static constexpr char to_be_cancelled =
        'u';  // said before, so that who is killed over it is not taken for one who did not
    static constexpr char cancelled = 'c';  // long before it fell due
    static constexpr char shelved = 's';    // it was accepted, and the store does not have it
    static constexpr char ran = 'r';

private:
    int file_;
};

// Tells that it ran. Nothing is kept of it then, so that whoever submitted it once more would have it run once more.
struct later {
    explicit later(journal& to) : to_{to} {}
    errand::awaitable<void> perform(std::int64_t number, std::int64_t due);

private:
    journal& to_;
};
// The same under a name.
struct named_later {
    explicit named_later(journal& to) : to_{to} {}
    errand::awaitable<void> perform(std::int64_t number, std::int64_t due);
    static std::string biz_id(std::int64_t number, std::int64_t due);

private:
    journal& to_;
};

struct place {
    std::string shelf, store, journal;
};

errand::config settings_of(const place& in);

// Each returns what the process ends with.
int run_clerk(const place& in, std::int64_t first, int tasks);
int run_worker(const place& in);

}  // namespace shelf_trial

ERRAND_DECLARE_HANDLER(shelf_trial::later, .max_retry = 10'000, .retention = std::chrono::seconds{0},
                       .shelve_after = std::chrono::seconds{1})
ERRAND_DECLARE_HANDLER(shelf_trial::named_later, .max_retry = 10'000, .unique_for = std::chrono::seconds{0},
                       .retention = std::chrono::seconds{0}, .shelve_after = std::chrono::seconds{1})
