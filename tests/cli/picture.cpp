#include "cli/picture.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>

namespace errand::test {
namespace {

// How many columns it takes, where no character is wider than one.
std::size_t columns_of(std::string_view text) {
    return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) {
        return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
    }));
}

std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : text) {
        switch (c) {
        case '&': out += "&amp;"; break;
        case '<': out += "&lt;"; break;
        case '>': out += "&gt;"; break;
        default: out += c;
        }
    }
    return out;
}

class screen {
public:
    void write(std::string_view sent) {
        while (!sent.empty()) {
            const auto used = sent.starts_with("\x1b[") ? control(sent) : character(sent);
            sent.remove_prefix(used);
        }
    }
    std::vector<std::string> lines() && {
        while (!lines_.empty() && lines_.back().empty()) lines_.pop_back();
        return std::move(lines_);
    }

private:
    std::string& line() {
        if (lines_.size() <= row_) lines_.resize(row_ + 1);
        return lines_[row_];
    }

    std::size_t character(std::string_view sent) {
        switch (sent[0]) {
        case '\r': at_ = 0; break;
        case '\n': ++row_; break;
        default:
            // What stood there is written over; a longer one than was there lengthens the line.
            line().replace(std::min(at_, line().size()), std::size_t{at_ < line().size()}, 1, sent[0]);
            ++at_;
        }
        return 1;
    }

    // "\x1b[K" and the like; what is not known would be missing in the picture.
    std::size_t control(std::string_view sent) {
        const auto end = sent.find_first_of("ABCDEFGHJKhlm", 2);
        REQUIRE(end != sent.npos);
        const auto what = sent.substr(2, end + 1 - 2);
        if (what == "H") {
            row_ = at_ = 0;
        } else if (what == "K") {
            line().resize(std::min(at_, line().size()));
        } else if (what == "J") {
            line().resize(std::min(at_, line().size()));
            lines_.resize(row_ + 1);
        } else if (what == "?1049h") {
            lines_.clear();
            row_ = at_ = 0;
        } else {
            INFO(what);
            REQUIRE((what == "?1049l" || what == "?25l" || what == "?25h"));
        }
        return end + 1;
    }

    std::vector<std::string> lines_;
    std::size_t row_ = 0;
    std::size_t at_ = 0;  // in bytes
};

}  // namespace

std::vector<std::string> lines_on_screen(const std::string& sent) {
    screen all;
    all.write(sent);
    return std::move(all).lines();
}

std::string picture_of(const std::string& command, const std::vector<std::string>& lines) {
    constexpr double wide = 8.4;
    constexpr int high = 19;
    constexpr int margin = 14;
    auto shown = lines;
    shown.insert(shown.begin(), "$ " + command);
    std::size_t columns = 0;
    for (const auto& one : shown) columns = std::max(columns, columns_of(one));
    const auto pixels = [&](std::size_t of) {
        return std::to_string(static_cast<int>(static_cast<double>(of) * wide));
    };
    const auto width = std::to_string(static_cast<int>(static_cast<double>(columns) * wide) + 2 * margin);
    const auto height = std::to_string(static_cast<int>(shown.size()) * high + 2 * margin);
    std::string svg =
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + width + "\" height=\"" + height +
        "\" viewBox=\"0 0 " + width + ' ' + height + "\" role=\"img\">\n<title>" + escaped(command) +
        "</title>\n<rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"#14181c\"/>\n"
        "<g font-family=\"ui-monospace, 'DejaVu Sans Mono', monospace\" font-size=\"14\" fill=\"#dde3e8\">\n";
    for (std::size_t row = 0; row < shown.size(); ++row) {
        if (shown[row].empty()) continue;
        // Columns stay under each other whatever the font is.
        svg += "<text xml:space=\"preserve\" x=\"" + std::to_string(margin) + "\" y=\"" +
               std::to_string(margin + static_cast<int>(row + 1) * high - 5) + "\" textLength=\"" +
               pixels(columns_of(shown[row])) + '"' + (row == 0 ? " fill=\"#6fb3f2\"" : "") + '>' +
               escaped(shown[row]) + "</text>\n";
    }
    return svg + "</g>\n</svg>\n";
}

void keep_picture(const std::string& name, const std::string& svg) {
    const auto* named = std::getenv("ERRAND_PICTURES");
    const std::filesystem::path folder{named ? named : ERRAND_PICTURES_OF_BUILD};
    std::filesystem::create_directories(folder);
    std::ofstream file{folder / (name + ".svg"), std::ios::binary};
    file << svg;
    file.close();
    REQUIRE(file.good());
}

}  // namespace errand::test
