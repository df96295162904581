// expect: errand: this handler is incomplete here: include the header that defines its class
// first: errand: this handler is incomplete here
#include <errand/errand.hpp>

struct sends_mail;
ERRAND_HANDLER(sends_mail, .queue = "mail")
