#include "worker/frame_names.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <cxxabi.h>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <link.h>
#include <memory>
#include <optional>
#include <sstream>
#include <string_view>
#include <sys/mman.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace errand {
namespace {

// A part of a file in memory, as /proc/self/maps has it.
struct mapping {
    std::uint64_t from = 0, to = 0, offset = 0, inode = 0;
    std::string path{};
};

// "55d0c000-55d0d000 r-xp 00002000 08:01 1234    /usr/bin/shop"
std::optional<mapping> read_mapping(const std::string& line) {
    std::istringstream words{line};
    std::string range, rights, device;
    mapping one;
    words >> range >> rights >> std::hex >> one.offset >> device >> std::dec >> one.inode >> std::ws;
    std::getline(words, one.path);
    const auto dash = range.find('-');
    if (dash == range.npos || rights.find('x') == rights.npos || one.path.empty()) return std::nullopt;
    std::from_chars(range.data(), range.data() + dash, one.from, 16);
    std::from_chars(range.data() + dash + 1, range.data() + range.size(), one.to, 16);
    return one;
}

std::vector<mapping> code_in_memory() {
    std::vector<mapping> all;
    std::ifstream file{"/proc/self/maps"};
    for (std::string line; std::getline(file, line);) {
        if (auto one = read_mapping(line)) all.push_back(std::move(*one));
    }
    return all;
}

// A file as it was when the program was loaded from it; empty when it has been replaced since.
class image {
public:
    explicit image(const mapping& of) {
        // The program itself is found under this name also after it was replaced.
        constexpr auto self = "/proc/self/exe";
        std::error_code failed;
        if (std::filesystem::read_symlink(self, failed) == of.path) {
            open(self, std::nullopt);
        } else {
            open(of.path.c_str(), of.inode);
        }
    }
    ~image() {
        if (bytes_) ::munmap(bytes_, size_);
    }
    image(const image&) = delete;
    image& operator=(const image&) = delete;

    // `count` of them at `offset`; empty where the file does not have so many.
    template <class T>
    std::span<const T> at(std::uint64_t offset, std::uint64_t count) const {
        if (!bytes_ || offset > size_ || count > (size_ - offset) / sizeof(T) || offset % alignof(T) != 0)
            return {};
        return {reinterpret_cast<const T*>(static_cast<const std::byte*>(bytes_) + offset),
                static_cast<std::size_t>(count)};
    }
    std::string_view text(const ElfW(Shdr) & strings, std::uint64_t offset) const {
        const auto all = at<char>(strings.sh_offset, strings.sh_size);
        if (offset >= all.size()) return {};
        const auto rest = all.subspan(static_cast<std::size_t>(offset));
        return {rest.begin(), std::ranges::find(rest, '\0')};
    }

private:
    void open(const char* path, std::optional<std::uint64_t> inode) {
        const int file = ::open(path, O_RDONLY | O_CLOEXEC);
        if (file < 0) return;
        struct stat about{};
        if (::fstat(file, &about) == 0 && about.st_ino == inode.value_or(about.st_ino) && about.st_size > 0) {
            size_ = static_cast<std::size_t>(about.st_size);
            auto* const bytes = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file, 0);
            if (bytes != MAP_FAILED) bytes_ = bytes;
        }
        ::close(file);
    }

    void* bytes_ = nullptr;
    std::size_t size_ = 0;
};

// Null where it is no program or library.
const ElfW(Ehdr) * head_of(const image& file) {
    const auto head = file.at<ElfW(Ehdr)>(0, 1);
    return !head.empty() && std::memcmp(head[0].e_ident, ELFMAG, SELFMAG) == 0 ? head.data() : nullptr;
}

// The address that the linker gave to what stands at this offset of the file.
std::optional<std::uint64_t> linked_address(const image& file, std::uint64_t offset) {
    const auto* const head = head_of(file);
    if (!head) return std::nullopt;
    for (const auto& part : file.at<ElfW(Phdr)>(head->e_phoff, head->e_phnum)) {
        if (part.p_type == PT_LOAD && offset >= part.p_offset && offset - part.p_offset < part.p_filesz) {
            return offset - part.p_offset + part.p_vaddr;
        }
    }
    return std::nullopt;
}

std::string_view function_in(const image& file, const ElfW(Shdr) & table, const ElfW(Shdr) & strings,
                             std::uint64_t address) {
    for (const auto& one : file.at<ElfW(Sym)>(table.sh_offset, table.sh_size / sizeof(ElfW(Sym)))) {
        const bool is_function = (one.st_info & 0xf) == STT_FUNC;
        if (is_function && address >= one.st_value && address - one.st_value < one.st_size) {
            return file.text(strings, one.st_name);
        }
    }
    return {};
}

// Symbols for linking say more than those that are exported, where there are both.
std::string_view function_at(const image& file, std::uint64_t address) {
    const auto* const head = head_of(file);
    if (!head) return {};
    const auto sections = file.at<ElfW(Shdr)>(head->e_shoff, head->e_shnum);
    for (const ElfW(Word) kind : std::array<ElfW(Word), 2>{SHT_SYMTAB, SHT_DYNSYM}) {
        for (const auto& one : sections) {
            if (one.sh_type != kind || one.sh_link >= sections.size()) continue;
            const auto found = function_in(file, one, sections[one.sh_link], address);
            if (!found.empty()) return found;
        }
    }
    return {};
}

void replace_all(std::string& in, std::string_view what, std::string_view with) {
    for (auto at = in.find(what); at != in.npos; at = in.find(what, at + with.size())) {
        in.replace(at, what.size(), with);
    }
}

// As who wrote it knows it: "resize::perform(std::string)", also of a coroutine's part that goes on.
std::string readable(std::string_view symbol) {
    const std::string text{symbol};
    int failed = 0;
    const std::unique_ptr<char, decltype(&std::free)> name{
        abi::__cxa_demangle(text.c_str(), nullptr, nullptr, &failed), &std::free};
    if (failed != 0 || !name) return text;
    std::string shown{name.get()};
    shown.resize(std::min(shown.size(), shown.find(" [clone ")));
    replace_all(shown, "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >",
                "std::string");
    return shown;
}

std::string in_hex(std::uint64_t number) {
    std::ostringstream text;
    text << "0x" << std::hex << number;
    return text.str();
}

std::string name_of(std::uint64_t address, const std::vector<mapping>& code) {
    const auto in = std::ranges::find_if(code, [&](const mapping& one) {
        return address >= one.from && address < one.to;
    });
    if (in == code.end()) return in_hex(address);
    const auto offset = address - in->from + in->offset;
    const image file{*in};
    const auto linked = linked_address(file, offset);
    if (linked) {
        if (const auto symbol = function_at(file, *linked); !symbol.empty()) return readable(symbol);
    }
    return in->path.substr(in->path.find_last_of('/') + 1) + "+" + in_hex(linked.value_or(offset));
}

// From here on it is who calls handlers: the machinery of coroutines.
bool calls_handlers(const std::string& name) {
    return name.find("boost::asio::detail::awaitable_") != name.npos;
}

constexpr std::size_t most_shown_frames = 12;
constexpr std::size_t longest_name = 120;

}  // namespace

std::vector<std::string> frame_names(std::span<void* const> addresses) {
    const auto code = code_in_memory();
    std::vector<std::string> names;
    for (auto* const one : addresses) {
        const auto address = reinterpret_cast<std::uintptr_t>(one);
        // A call may be the last thing in a function, and what it returns to in the next one.
        names.push_back(name_of(names.empty() ? address : address - 1, code));
    }
    return names;
}

std::string stack_in_words(const std::vector<std::string>& names) {
    std::string words;
    std::size_t count = 0;
    for (const auto& name : names) {
        if (calls_handlers(name)) break;
        if (count++ == most_shown_frames) return words + " < …";
        words += (words.empty() ? "" : " < ") +
                 (name.size() <= longest_name ? name : name.substr(0, longest_name) + "…");
    }
    return words;
}

}  // namespace errand
