#include "trial/clock_file.hpp"

#include <fstream>
#include <stdexcept>

namespace trial {

clock_file::clock_file(std::string path, std::int64_t ms) : path_{std::move(path)} {
    std::ofstream to{path_, std::ios::binary};
    to.write(reinterpret_cast<const char*>(&ms), sizeof ms);
    if (!to.flush()) throw std::runtime_error{"cannot write " + path_};
}

void clock_file::set(std::int64_t ms) const {
    std::fstream to{path_, std::ios::binary | std::ios::in | std::ios::out};
    to.write(reinterpret_cast<const char*>(&ms), sizeof ms);
}

std::map<std::string, std::string> clock_file::variables() const {
    return {{"LD_PRELOAD", ERRAND_PROGRAMS_DIR "/shifted_clock.so"}, {"ERRAND_CLOCK_SHIFT", path_}};
}

}  // namespace trial
