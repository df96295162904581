// In the place of opentelemetry-cpp's API where that library is not: its names, as far as the adapter and its tests use them, with
// the types that it gives them. A test on the real one is the same test.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace opentelemetry {

namespace nostd {
using std::get;
using std::get_if;
using std::holds_alternative;
using std::shared_ptr;
using std::span;
using std::string_view;
using std::unique_ptr;
}  // namespace nostd

namespace common {

using AttributeValue =
    std::variant<bool, std::int32_t, std::int64_t, std::uint32_t, double, const char*, std::string_view,
                 std::span<const bool>, std::span<const std::int64_t>, std::uint64_t>;

class KeyValueIterable {
public:
    virtual ~KeyValueIterable() = default;
    virtual std::size_t size() const noexcept = 0;
};

class SystemTimestamp {
public:
    SystemTimestamp() noexcept = default;
    explicit SystemTimestamp(const std::chrono::system_clock::time_point& at) noexcept : at_{at} {}
    operator std::chrono::system_clock::time_point() const noexcept { return at_; }

private:
    std::chrono::system_clock::time_point at_{};
};

}  // namespace common

namespace trace {

template <int Size>
class id {
public:
    static constexpr int kSize = Size;
    id() noexcept = default;
    explicit id(std::span<const std::uint8_t, Size> from) noexcept {
        std::memcpy(bytes_.data(), from.data(), Size);
    }
    void ToLowerBase16(std::span<char, 2 * Size> to) const noexcept {
        constexpr std::string_view digits = "0123456789abcdef";
        for (std::size_t at = 0; at < bytes_.size(); ++at) {
            to[2 * at] = digits[bytes_[at] >> 4U];
            to[2 * at + 1] = digits[bytes_[at] & 15U];
        }
    }
    bool IsValid() const noexcept { return bytes_ != std::array<std::uint8_t, Size>{}; }

private:
    std::array<std::uint8_t, Size> bytes_{};
};

using TraceId = id<16>;
using SpanId = id<8>;

class TraceFlags {
public:
    static constexpr std::uint8_t kIsSampled = 1;
    TraceFlags() noexcept = default;
    explicit TraceFlags(std::uint8_t bits) noexcept : bits_{bits} {}
    bool IsSampled() const noexcept { return (bits_ & kIsSampled) != 0; }

private:
    std::uint8_t bits_ = 0;
};

class TraceState {
public:
    static std::shared_ptr<TraceState> GetDefault() { return std::make_shared<TraceState>(); }
    static std::shared_ptr<TraceState> FromHeader(std::string_view header) {
        auto made = std::make_shared<TraceState>();
        made->header_ = header;
        return made;
    }
    std::string ToHeader() const { return header_; }

private:
    std::string header_;
};

class SpanContext final {
public:
    SpanContext(bool sampled, bool is_remote) noexcept
        : flags_{static_cast<std::uint8_t>(sampled)}, remote_{is_remote} {}
    SpanContext(TraceId trace, SpanId span, TraceFlags flags, bool is_remote,
                std::shared_ptr<TraceState> state = TraceState::GetDefault()) noexcept
        : trace_{trace}, span_{span}, flags_{flags}, remote_{is_remote}, state_{std::move(state)} {}
    bool IsValid() const noexcept { return trace_.IsValid() && span_.IsValid(); }
    bool IsSampled() const noexcept { return flags_.IsSampled(); }
    bool IsRemote() const noexcept { return remote_; }
    const TraceId& trace_id() const noexcept { return trace_; }
    const SpanId& span_id() const noexcept { return span_; }
    const TraceFlags& trace_flags() const noexcept { return flags_; }
    const std::shared_ptr<TraceState> trace_state() const noexcept { return state_; }

private:
    TraceId trace_{};
    SpanId span_{};
    TraceFlags flags_;
    bool remote_;
    std::shared_ptr<TraceState> state_ = TraceState::GetDefault();
};

enum class SpanKind { kInternal, kServer, kClient, kProducer, kConsumer };
enum class StatusCode { kUnset, kOk, kError };

class Span {
public:
    virtual ~Span() = default;
    virtual SpanContext GetContext() const noexcept = 0;
};

class DefaultSpan final : public Span {
public:
    explicit DefaultSpan(SpanContext of) noexcept : of_{std::move(of)} {}
    SpanContext GetContext() const noexcept override { return of_; }

private:
    SpanContext of_;
};

inline std::shared_ptr<Span>& active_span() {
    thread_local std::shared_ptr<Span> active = std::make_shared<DefaultSpan>(SpanContext{false, false});
    return active;
}

class Scope {
public:
    explicit Scope(const std::shared_ptr<Span>& span) noexcept
        : before_{std::exchange(active_span(), span)} {}
    ~Scope() { active_span() = before_; }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

private:
    std::shared_ptr<Span> before_;
};

class Tracer {
public:
    static std::shared_ptr<Span> GetCurrentSpan() noexcept { return active_span(); }
};

}  // namespace trace

}  // namespace opentelemetry
