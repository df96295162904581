#pragma once

#include "shop.hpp"

class send_receipt {
public:
    explicit send_receipt(mailer& m);
    errand::awaitable<receipt> perform(order o);
};
ERRAND_HANDLER(send_receipt)
