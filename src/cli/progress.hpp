// How far a long command is: a bar on the error stream, when that is a terminal.
#pragma once

#include <cstddef>
#include <string>

namespace errand::cli {

// "[#####---------------]  25%  revived 1200"; without a total only the words.
std::string bar_text(std::size_t done, std::size_t total, const std::string& words);

class progress_bar {
public:
    // @param total what 100 % is; 0: not known
    explicit progress_bar(std::size_t total);
    ~progress_bar();
    progress_bar(const progress_bar&) = delete;
    progress_bar& operator=(const progress_bar&) = delete;

    void show(std::size_t done, const std::string& words);

private:
    std::size_t total_;
    bool shown_;
    bool drawn_ = false;
};

}  // namespace errand::cli
