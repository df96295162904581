// The numbers by which PostgreSQL knows its built-in types; they never change.
#pragma once

#include <libpq-fe.h>

namespace errand::postgres {

constexpr Oid type_unknown = 0;
constexpr Oid type_bool = 16;
constexpr Oid type_bytea = 17;
constexpr Oid type_int8 = 20;
constexpr Oid type_int2 = 21;
constexpr Oid type_int4 = 23;
constexpr Oid type_float4 = 700;
constexpr Oid type_float8 = 701;

}  // namespace errand::postgres
