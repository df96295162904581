#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace errand {

/// A key of AES-256-GCM, and the name under which what it encrypts is kept.
struct encryption_key {
    /// 1 to 32 letters of the alphabet, digits, dots, `_` and `-`, for example `2026-11`. It stands in the store beside what the key
    /// has encrypted, so it never names another key later.
    std::string id{};
    /// 32 bytes, drawn at random (`openssl rand -base64 32`): not a password.
    std::string secret{};
};

/// How content is encrypted before it leaves the program (docs/encryption.md): arguments, results, stages, progress, errors'
/// messages and log lines of tasks.
struct encryption {
    /// The first one encrypts; all of them decrypt.
    std::vector<encryption_key> keys{};
    /// Lines of the log and spans say what a handler has thrown, as they do without encryption. false: its type alone, since its
    /// message may hold what was encrypted.
    bool log_messages = false;
};

/// Reads keys as a key file and ERRAND_ENCRYPTION_KEYS have them: `id:secret`, the secret in base64 or as 64 hexadecimal digits,
/// with commas or line ends between them; from `#` on a line says nothing.
/// @throws usage_error naming the entry that is none, never its secret
[[nodiscard]] std::vector<encryption_key> read_encryption_keys(std::string_view text);

}  // namespace errand
