// Runs the program `errand` as an operator would: with words, an environment and what is typed into it.
#pragma once

#include <boost/json/value.hpp>

#include <map>
#include <memory>
#include <string>
#include <sys/types.h>
#include <vector>

namespace errand::test {

struct cli_result {
    int code = -1;  // negative for a signal
    std::string out;
    std::string err;

    boost::json::value json() const;  // of `out`; REQUIREs that it is one document
    std::vector<std::string> lines() const;
};

// As exec() takes them; they point into the words.
std::vector<char*> pointers(std::vector<std::string>& words);

// A process that runs. Killed with this object when it has not ended.
class cli_process {
public:
    // @param sockets handed over as systemd does it
    cli_process(const std::vector<std::string>& words, const std::map<std::string, std::string>& variables,
                const std::string& input, const std::vector<int>& sockets = {});
    ~cli_process();
    cli_process(const cli_process&) = delete;
    cli_process& operator=(const cli_process&) = delete;

    void signal(int number) const;
    // On standard output until now.
    std::string said() const;
    cli_result wait();

private:
    struct files;
    std::unique_ptr<files> files_;
    pid_t pid_ = -1;
};

}  // namespace errand::test
