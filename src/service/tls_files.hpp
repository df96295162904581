// The service's certificate and its key, from files.
#pragma once

#include <errand/service.hpp>

#include <functional>
#include <memory>
#include <mutex>
#include <string>

namespace boost::asio::ssl {
class context;
}

namespace errand::web {

// May be used from any thread.
class tls_files {
public:
    // @param warn is told of a certificate that no client will take today; outlives this
    // Throws usage_error saying what is wrong with the files.
    tls_files(tls_options from, std::function<void(const std::string&)> warn);

    // Reads the files anew. When it throws (usage_error), what was there stays.
    void read();
    // What a connection that begins now is served with; it may be gone once that has begun.
    std::shared_ptr<boost::asio::ssl::context> now() const;

private:
    const tls_options from_;
    const std::function<void(const std::string&)> warn_;
    std::mutex reading_;
    mutable std::mutex guard_;
    std::shared_ptr<boost::asio::ssl::context> read_;
};

}  // namespace errand::web
