// expect: errand: this bean has no constructor that takes the arguments of provide
#include <errand/errand.hpp>

struct mailer {
    explicit mailer(std::string url);
};

auto& provide(errand::app& app) { return app.provide<mailer>(1, 2); }
