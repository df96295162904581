// A trial's own program once more, with other words: its workers, and whoever submits.
#pragma once

#include <string>
#include <sys/types.h>
#include <vector>

namespace errand::test {

// Its exit status comes from waitpid.
pid_t start_self(const std::vector<std::string>& words);
// Signals it and waits for its end.
void end_self(pid_t pid, int signal);

}  // namespace errand::test
