#include "service/tls_files.hpp"

#include <errand/error.hpp>

#include <boost/asio/ssl/context.hpp>

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <system_error>

namespace errand::web {

namespace asio = boost::asio;

namespace {

// A chain of certificates has a few thousand bytes.
constexpr std::size_t most_of_file = std::size_t{1024} * 1024;

using memory = std::unique_ptr<BIO, decltype(&::BIO_free)>;
using private_key = std::unique_ptr<EVP_PKEY, decltype(&::EVP_PKEY_free)>;
using certificate = std::unique_ptr<X509, decltype(&::X509_free)>;

[[noreturn]] void refuse(const char* what, const std::string& path, const std::string& why) {
    throw usage_error{"tls: the " + std::string{what} + ' ' + path + ": " + why};
}

std::string text_of(const char* what, const std::string& path) {
    std::ifstream file{path, std::ios::binary};
    if (!file) refuse(what, path, std::generic_category().message(errno));
    std::string text(most_of_file, '\0');
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(file.gcount()));
    // A folder can be opened, and not be read.
    if (file.bad() || !file.eof()) refuse(what, path, "cannot be read as a file of at most 1 MiB");
    return text;
}

memory memory_of(const std::string& text) {
    return {::BIO_new_mem_buf(text.data(), static_cast<int>(text.size())), &::BIO_free};
}

// Nobody sits at the terminal of a service to type one.
int no_passphrase(char*, int, int, void*) { return -1; }

std::string openssl_reason() {
    std::array<char, 256> text{};
    const auto code = ::ERR_peek_last_error();
    const char* reason = ::ERR_reason_error_string(code);
    if (reason) return reason;
    ::ERR_error_string_n(code, text.data(), text.size());
    return text.data();
}

std::string time_text(const ASN1_TIME* at) {
    std::tm parts{};
    std::array<char, 32> text{};
    if (::ASN1_TIME_to_tm(at, &parts) != 1) return "a time that cannot be read";
    text[std::strftime(text.data(), text.size() - 1, "%Y-%m-%dT%H:%M:%SZ", &parts)] = '\0';
    return text.data();
}

void warn_of_time(const std::string& path, const X509* of,
                  const std::function<void(const std::string&)>& warn) {
    const auto* last = ::X509_get0_notAfter(of);
    const auto* first = ::X509_get0_notBefore(of);
    if (::X509_cmp_current_time(last) < 0)
        warn("tls: the certificate " + path + " has expired at " + time_text(last) + ": clients refuse it");
    if (::X509_cmp_current_time(first) > 0)
        warn("tls: the certificate " + path + " is not valid before " + time_text(first) +
             ": clients refuse it until then");
}

std::shared_ptr<asio::ssl::context> context_of(const tls_options& from,
                                               const std::function<void(const std::string&)>& warn) {
    const auto chain = text_of("certificate", from.certificate_file);
    const auto key_text = text_of("key", from.key_file);
    ::ERR_clear_error();
    const certificate own{::PEM_read_bio_X509(memory_of(chain).get(), nullptr, &no_passphrase, nullptr),
                          &::X509_free};
    if (!own) refuse("certificate", from.certificate_file, "holds no certificate in PEM");
    const private_key key{
        ::PEM_read_bio_PrivateKey(memory_of(key_text).get(), nullptr, &no_passphrase, nullptr),
        &::EVP_PKEY_free};
    if (!key) refuse("key", from.key_file, "holds no private key in PEM without a passphrase");
    if (::X509_check_private_key(own.get(), key.get()) != 1)
        refuse("key", from.key_file, "does not belong to the certificate " + from.certificate_file);

    auto made = std::make_shared<asio::ssl::context>(asio::ssl::context::tls_server);
    auto* native = made->native_handle();
    ::SSL_CTX_set_min_proto_version(native, TLS1_2_VERSION);
    ::SSL_CTX_set_options(native, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
    // Clients keep their own tickets: sessions kept here would be for nobody's use but take memory.
    ::SSL_CTX_set_session_cache_mode(native, SSL_SESS_CACHE_OFF);
    boost::system::error_code failed;
    made->use_certificate_chain(asio::buffer(chain), failed);
    if (failed) refuse("certificate", from.certificate_file, "cannot be used: " + failed.message());
    if (::SSL_CTX_use_PrivateKey(native, key.get()) != 1)
        refuse("key", from.key_file, "cannot be used: " + openssl_reason());
    warn_of_time(from.certificate_file, own.get(), warn);
    return made;
}

}  // namespace

tls_files::tls_files(tls_options from, std::function<void(const std::string&)> warn)
    : from_{std::move(from)}, warn_{std::move(warn)} {
    read();
}

void tls_files::read() {
    // Of two calls the one that reads last is heard last.
    const std::lock_guard one_by_one{reading_};
    auto made = context_of(from_, warn_);
    const std::lock_guard lock{guard_};
    read_ = std::move(made);
}

std::shared_ptr<asio::ssl::context> tls_files::now() const {
    const std::lock_guard lock{guard_};
    return read_;
}

}  // namespace errand::web
