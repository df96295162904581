#include "store/sqlite/refusal.hpp"

#include <sqlite3.h>

#include <filesystem>

namespace errand::sqlite {
namespace {

std::string why_not_opened(const address& at) {
    std::error_code ignored;
    const auto folder = std::filesystem::absolute(at.path, ignored).parent_path();
    if (!std::filesystem::is_directory(folder, ignored))
        return "the folder " + folder.string() + " does not exist: make it, or name another";
    return "it cannot be opened or made: look whether this user may write to it and to the folder " +
           folder.string() + ", where SQLite keeps two files beside it";
}

std::string sentence(const address& at, const failure& why) {
    switch (why.code) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return "another process, or a transaction of this one, keeps the file locked: end what it does there (a "
               "backup, a shell with an open transaction, a body that takes long), then try again";
    case SQLITE_NOTADB: return "it is no SQLite database, and was left as it is: name another file";
    case SQLITE_CORRUPT:
        return "it is damaged: restore it from a backup, or save what `sqlite3 FILE .recover` still reads";
    case SQLITE_READONLY: return "it is read-only for this user: errand has to write to it and to its folder";
    case SQLITE_CANTOPEN: return why_not_opened(at);
    case SQLITE_SCHEMA:
        return "a newer errand has brought it to its own format meanwhile: restart this program with that version";
    case SQLITE_FULL: return "there is no space left where it lies: make room";
    case SQLITE_IOERR: return "its file system answers with an error";
    case SQLITE_NOMEM: return "there is no memory left";
    case SQLITE_TOOBIG: return "a value is larger than SQLite keeps";
    default: return "SQLite refuses";
    }
}

}  // namespace

bool is_locked(const failure& why) { return why.code == SQLITE_BUSY || why.code == SQLITE_LOCKED; }

bool may_pass(const failure& why) {
    return is_locked(why) || why.code == SQLITE_FULL || why.code == SQLITE_IOERR || why.code == SQLITE_NOMEM;
}

std::string in_words(const address& at, const failure& why) {
    return at.shown + ": " + sentence(at, why) + " (SQLite: " + why.what() + ")";
}

std::string in_words(std::string_view call, const address& at, const failure& why) {
    return std::string{call} + ": " + in_words(at, why);
}

}  // namespace errand::sqlite
