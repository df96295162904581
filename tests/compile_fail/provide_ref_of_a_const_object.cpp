// expect: errand: lend a bean that is not const
#include <errand/errand.hpp>

struct settings {};

auto& provide(errand::app& app, const settings& object) { return app.provide_ref(object); }
