#include "service/certificates.hpp"

#include "support/places.hpp"

#include <catch2/catch_test_macros.hpp>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <cstdio>
#include <memory>
#include <random>

namespace service_test {
namespace {

struct closes {
    void operator()(std::FILE* file) const { std::fclose(file); }
    void operator()(EVP_PKEY* key) const { ::EVP_PKEY_free(key); }
    void operator()(X509* one) const { ::X509_free(one); }
};

std::unique_ptr<std::FILE, closes> file_at(const std::string& path) {
    std::unique_ptr<std::FILE, closes> file{std::fopen(path.c_str(), "w")};
    REQUIRE(file);
    return file;
}

void extend(X509* of, int name, const char* value) {
    X509V3_CTX context;
    X509V3_set_ctx_nodb(&context);
    ::X509V3_set_ctx(&context, of, of, nullptr, nullptr, 0);
    auto* extension = ::X509V3_EXT_conf_nid(nullptr, &context, name, value);
    REQUIRE(extension);
    REQUIRE(::X509_add_ext(of, extension, -1) == 1);
    ::X509_EXTENSION_free(extension);
}

}  // namespace

certificate_files::certificate_files() : folder_{errand::test::temporary_folder("tls")} { renew(); }

certificate_files::~certificate_files() { std::filesystem::remove_all(folder_); }

void certificate_files::renew(const certificate_kind& kind) const {
    const std::unique_ptr<EVP_PKEY, closes> made{::EVP_EC_gen("P-256")};
    REQUIRE(made);
    const std::unique_ptr<X509, closes> one{::X509_new()};
    constexpr long version_3 = 2;
    REQUIRE(::X509_set_version(one.get(), version_3) == 1);
    ::ASN1_INTEGER_set(::X509_get_serialNumber(one.get()), static_cast<long>(std::random_device{}() >> 1U));
    ::X509_time_adj_ex(::X509_getm_notBefore(one.get()), static_cast<int>(kind.first_day), 0, nullptr);
    ::X509_time_adj_ex(::X509_getm_notAfter(one.get()), static_cast<int>(kind.last_day), 0, nullptr);
    ::X509_set_pubkey(one.get(), made.get());
    auto* name = ::X509_get_subject_name(one.get());
    const std::string text = "errand's test " + std::to_string(std::random_device{}());
    ::X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
                                 reinterpret_cast<const unsigned char*>(text.c_str()), -1, -1, 0);
    ::X509_set_issuer_name(one.get(), name);
    extend(one.get(), NID_subject_alt_name, "IP:127.0.0.1,DNS:localhost");
    extend(one.get(), NID_basic_constraints, "critical,CA:TRUE");
    REQUIRE(::X509_sign(one.get(), made.get(), ::EVP_sha256()) > 0);
    REQUIRE(::PEM_write_X509(file_at(certificate()).get(), one.get()) == 1);
    const auto* cipher = kind.passphrase.empty() ? nullptr : ::EVP_aes_128_cbc();
    REQUIRE(::PEM_write_PrivateKey(file_at(key()).get(), made.get(), cipher,
                                   reinterpret_cast<const unsigned char*>(kind.passphrase.data()),
                                   static_cast<int>(kind.passphrase.size()), nullptr, nullptr) == 1);
}

std::string certificate_files::kept_as(const std::string& name) const {
    const auto copy = folder_ / name;
    std::filesystem::copy_file(certificate(), copy);
    return copy.string();
}

}  // namespace service_test
