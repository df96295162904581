// An allocator for objects of which one ends before the next is made nearly always: each thread keeps the memory of one.
#pragma once

#include <cstddef>
#include <new>
#include <utility>

namespace errand {

template <class T>
class kept_piece {
public:
    using value_type = T;

    kept_piece() = default;
    template <class Other>
    explicit(false) kept_piece(const kept_piece<Other>& /*same*/) noexcept {}

    T* allocate(std::size_t count) {
        static_assert(alignof(T) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);
        void* piece = count == 1 ? std::exchange(kept().piece, nullptr) : nullptr;
        return static_cast<T*>(piece ? piece : ::operator new(count * sizeof(T)));
    }
    // On any thread.
    void deallocate(T* piece, std::size_t count) noexcept {
        auto& own = kept();
        if (count != 1 || own.piece || own.closed || is_watched) return ::operator delete(piece);
        own.piece = piece;
        close_at_end();
    }

    template <class Other>
    friend bool operator==(const kept_piece& /*one*/, const kept_piece<Other>& /*other*/) noexcept {
        return true;
    }

private:
    // Who uses what is over is to be found.
#if __has_feature(address_sanitizer)
    static constexpr bool is_watched = true;
#else
    static constexpr bool is_watched = false;
#endif
    struct keeper {
        void* piece = nullptr;
        bool closed = false;
    };
    // Nothing of it is destroyed: what a thread destroys last may come here.
    static keeper& kept() noexcept {
        thread_local constinit keeper own;
        return own;
    }
    static void close_at_end() noexcept {
        struct closing {
            ~closing() {
                auto& own = kept();
                own.closed = true;
                ::operator delete(std::exchange(own.piece, nullptr));
            }
        };
        thread_local const closing at_end;
        static_cast<void>(&at_end);
    }
};

}  // namespace errand
