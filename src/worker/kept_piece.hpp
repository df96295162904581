// An allocator for objects of which one ends before the next is made nearly always: each thread keeps the memory of one.
#pragma once

#include <cstddef>
#include <memory>
#include <new>

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
        void* piece = count == 1 ? kept().release() : nullptr;
        return static_cast<T*>(piece ? piece : ::operator new(count * sizeof(T)));
    }
    // On any thread.
    void deallocate(T* piece, std::size_t count) noexcept {
        if (count == 1 && !kept())
            kept().reset(piece);
        else
            ::operator delete(piece);
    }

    template <class Other>
    friend bool operator==(const kept_piece& /*one*/, const kept_piece<Other>& /*other*/) noexcept {
        return true;
    }

private:
    struct freed {
        void operator()(void* piece) const noexcept { ::operator delete(piece); }
    };
    static std::unique_ptr<void, freed>& kept() {
        thread_local std::unique_ptr<void, freed> piece;
        return piece;
    }
};

}  // namespace errand
