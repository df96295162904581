#pragma once

namespace errand::detail {

/// Never true: what a refusing static_assert asks, so that the compiler prints the type beside the sentence
/// ("due to requirement 'supported<shop::order>'").
template <class...>
inline constexpr bool supported = false;

}  // namespace errand::detail
