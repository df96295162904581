// Certificates of tests: each signs itself, and is the authority that a client is to trust.
#pragma once

#include <errand/service.hpp>

#include <filesystem>
#include <string>

namespace service_test {

struct certificate_kind {
    long first_day = -1;  // from today
    long last_day = 1;
    std::string passphrase{};  // of the key; empty: none
};

// A folder with `cert.pem` and `key.pem` for 127.0.0.1 and localhost, as long as this object.
class certificate_files {
public:
    certificate_files();
    ~certificate_files();
    certificate_files(const certificate_files&) = delete;
    certificate_files& operator=(const certificate_files&) = delete;

    // Another pair in their place.
    void renew(const certificate_kind& kind = {}) const;
    // What is there now, under another name that stays.
    std::string kept_as(const std::string& name) const;

    std::string certificate() const { return (folder_ / "cert.pem").string(); }
    std::string key() const { return (folder_ / "key.pem").string(); }
    errand::tls_options options() const { return {.certificate_file = certificate(), .key_file = key()}; }
    const std::filesystem::path& folder() const noexcept { return folder_; }

private:
    std::filesystem::path folder_;
};

}  // namespace service_test
