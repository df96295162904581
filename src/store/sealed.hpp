// A store in which the content of tasks is encrypted: the same seam, seen from those who have the keys.
#pragma once

#include "core/sealing.hpp"
#include "store/store.hpp"

#include <memory>
#include <string>

namespace errand {

// What is handed to it is sealed and handed on, and what comes back is opened, by core/sealed_records.hpp. What does not open here
// comes back sealed, and goes in again as it is.
std::unique_ptr<store> seal_store(std::unique_ptr<store> in, std::shared_ptr<const sealing> keys,
                                  std::string name_space);
// Over one that somebody else owns, and that outlives it.
std::unique_ptr<store> seal_store(store& in, std::shared_ptr<const sealing> keys, std::string name_space);

}  // namespace errand
