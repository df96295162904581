// Who is told of a store's calls and connections, to measure them. From any thread; it outlives the store objects that tell it.
#pragma once

#include <chrono>
#include <string_view>

namespace errand {

class store_observer {
public:
    // A call is over. `operation` is a literal.
    virtual void called(std::string_view operation, std::chrono::steady_clock::duration took,
                        bool answered) noexcept = 0;
    // A connection was lost, or refused: once, until it is there.
    virtual void away() noexcept = 0;
    // It is there after away(), or the store object is closed. `again`: it had been there before.
    virtual void back(bool again) noexcept = 0;

protected:
    ~store_observer() = default;
};

// Tells of a call when it ends, by the end of its scope.
class observed_call {
public:
    observed_call(store_observer* by, std::string_view operation) noexcept : by_{by}, operation_{operation} {
        if (by_) began_ = std::chrono::steady_clock::now();
    }
    ~observed_call() {
        if (by_) by_->called(operation_, std::chrono::steady_clock::now() - began_, answered_);
    }
    observed_call(const observed_call&) = delete;
    observed_call& operator=(const observed_call&) = delete;

    void answered() noexcept { answered_ = true; }

private:
    store_observer* by_;
    std::string_view operation_;
    std::chrono::steady_clock::time_point began_{};
    bool answered_ = false;
};

}  // namespace errand
