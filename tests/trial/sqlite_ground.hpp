// A SQLite file, on a small file system of its own where this user may mount one.
#pragma once

#include "trial/ground.hpp"

#include <string>

struct sqlite3;

namespace trial {

class sqlite_ground final : public ground {
public:
    // Without `mounted` a full disk is pretended to the processes that use the file.
    explicit sqlite_ground(bool mounted);
    ~sqlite_ground() override;

    const std::filesystem::path& folder() const override { return folder_; }
    way next_way() override { return {url()}; }
    std::string url() const override { return "sqlite://" + path(); }
    bool has_clock() const override { return false; }
    void set_clock(std::int64_t) override {}
    void fill() override;
    bool make_room() override;
    void mend() override { unlock(); }
    std::vector<std::pair<std::string, std::string>> variables() const override;
    std::vector<fault> faults() const override;

    // As a shell with an open transaction does; false when another holds it for long.
    bool lock();
    void unlock();
    // Carries the log over into the file, and cuts it off.
    void fold_log();

private:
    std::string path() const { return (disk_ / "tasks.db").string(); }
    bool mount_disk();
    void resize_disk(std::uintmax_t size) const;
    void pretend(char full) const;
    bool ask(const char* sql);

    std::filesystem::path folder_, disk_;
    bool mounted_ = false;
    sqlite3* own_ = nullptr;  // a connection of the trial's
};

}  // namespace trial
