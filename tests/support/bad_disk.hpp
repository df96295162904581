// A disk under SQLite, in this process, that has no space left when it is told so, or is written to for the last time.
#pragma once

#include <string>

namespace errand::test::bad_disk {

// For all databases that are opened from now on. Once in a process, before the first of them.
void install();
void be_full(bool yes);
// As long as the first byte of this file is not 0.
void be_full_as(const std::string& file);
// The n-th write from now on stops in the middle, and so does this process, by SIGKILL.
void die_at_write(int n);

}  // namespace errand::test::bad_disk
