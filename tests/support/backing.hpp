// What stands behind a store in a test: a server of its own, a file, or memory; and the look inside that a test of what is
// left behind takes.
#pragma once

#include "store/settings.hpp"
#include "store/store.hpp"
#include "support/store_kind.hpp"

#include <memory>
#include <string>

namespace errand::test {

class backing {
public:
    virtual ~backing() = default;

    // Where stores are to be opened.
    virtual void place(store_settings& with) = 0;
    // How many things of this kind are kept, by the names of docs/internals/storage.md; -1 when it cannot be seen.
    virtual long kept(const std::string& part) const = 0;
    // The clock has come so far that the registration of this task is overdue.
    virtual void make_overdue(const task_id& id) = 0;
    // The last claim had this number, whatever the time is now.
    virtual void set_last_claim(claim_number number) = 0;
};

// A fresh one of the kind that the tests run on.
std::unique_ptr<backing> make_backing();

// A file below a temporary folder that goes with the program.
std::string fresh_database();

}  // namespace errand::test
