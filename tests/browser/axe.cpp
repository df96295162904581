#include "browser/axe.hpp"

#include <catch2/catch_test_macros.hpp>

#include <fstream>
#include <sstream>

namespace browser_test {

namespace {

std::string source() {
    std::ifstream file{ERRAND_TESTS_DIR "/browser/vendor/axe.js"};
    REQUIRE(file);
    std::ostringstream text;
    text << file.rdbuf();
    return std::move(text).str();
}

// At least something is held against its rules, or it was told to look at nothing. There are no frames, and no style sheet of
// another site that it would have to fetch.
const char* const look =
    R"(axe.run(document, {resultTypes: ['violations'], iframes: false, preload: false}).then((found) => {
  if (found.passes.length < 5) return 'axe has looked at nothing';
  const words = (one) => one.any.concat(one.all, one.none).map((why) => why.message).join('; ');
  return found.violations.filter((one) => one.impact === 'serious' || one.impact === 'critical')
    .flatMap((one) => one.nodes.map((node) => one.id + ': ' + node.html.slice(0, 200) + ': ' + words(node))).join('\n');
}))";

}  // namespace

std::string barriers(browser& b) {
    static const auto axe = source();
    if (!b.holds("window.axe")) b.value_of("(() => {" + axe + "\nreturn true; })()");
    return b.text_of(look);
}

}  // namespace browser_test
