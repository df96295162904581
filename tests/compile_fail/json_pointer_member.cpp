// expect: errand: a pointer cannot travel as JSON
#include <errand/json.hpp>

struct node {
    int value = 0;
    node* next = nullptr;
};

auto text(const node& n) { return errand::to_json(n); }
