// One run of a stage, as what is performed under it sees it: the ambient of its executor carries it.
//
// A task submitted under it gets an id that the next run gives to the same submission, so that a crash between the
// submission and the stage's end leaves one child and not two.
#pragma once

#include "core/record.hpp"
#include "core/task_id.hpp"

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace errand {

class reserved_child;

class stage_run : public std::enable_shared_from_this<stage_run> {
public:
    // `outer`: the stage that this one was called in; null when in none. `keeps` lives as long as the run.
    stage_run(task_id task, incarnation life, std::string name, std::shared_ptr<stage_run> outer,
              std::shared_ptr<const void> keeps);

    const std::shared_ptr<stage_run>& outer() const noexcept { return outer_; }

    // An id for a child of this handler and these arguments: the first that no child alike has. From any thread.
    std::shared_ptr<reserved_child> reserve_child(std::string_view identity, std::string_view args);

    // The stages called under this one, however deep. On the task's home loop only.
    std::vector<std::string> called;

private:
    friend class reserved_child;
    void free(const task_id& alike, std::size_t at);

    const task_id task_;
    const incarnation life_;
    const std::string name_;
    const std::shared_ptr<stage_run> outer_;
    const std::shared_ptr<const void> keeps_;

    std::mutex guard_;  // of what follows
    // Which numbers are taken, by the id that the first one alike has.
    std::map<task_id, std::vector<bool>> taken_;
};

// The id of one child. A submission that failed leaves it to the next one alike: should
// the store have taken it all the same, that one meets it.
class reserved_child {
public:
    reserved_child(std::shared_ptr<stage_run> of, task_id alike, std::size_t at, task_id id);
    ~reserved_child();
    reserved_child(const reserved_child&) = delete;
    reserved_child& operator=(const reserved_child&) = delete;

    const task_id& id() const noexcept { return id_; }
    // It was submitted.
    void keep() noexcept { kept_ = true; }

private:
    std::shared_ptr<stage_run> of_;
    task_id alike_;
    std::size_t at_;
    task_id id_;
    bool kept_ = false;
};

}  // namespace errand
