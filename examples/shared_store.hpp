// For examples whose workers and submitters are programs of their own: what one keeps in memory no other one sees.
#pragma once

#include <errand/errand.hpp>

#include <stdexcept>

inline errand::config shared_store() {
    auto settings = errand::config::from_environment();
    if (settings.store == "sqlite::memory:") {
        throw std::runtime_error{
            "ERRAND_STORE names no store that several programs share: sqlite:///path/tasks.db, redis://host:port, "
            "redis+unix:///path"};
    }
    return settings;
}
