#include "browser/browser.hpp"

#include "support/places.hpp"
#include "support/test_app.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <catch2/catch_test_macros.hpp>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <netinet/in.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

namespace browser_test {

namespace json = boost::json;

namespace {

const std::string element_key = "element-6066-11e4-a52e-4f735466cecf";

bool listens(int port) {
    const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_port = htons(static_cast<std::uint16_t>(port));
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const bool there = ::connect(fd, reinterpret_cast<const sockaddr*>(&at), sizeof at) == 0;
    ::close(fd);
    return there;
}

std::string decoded_base64(std::string_view text) {
    std::string out;
    unsigned bits = 0;
    int have = 0;
    for (const char c : text) {
        const auto digit = c >= 'A' && c <= 'Z'   ? c - 'A'
                           : c >= 'a' && c <= 'z' ? c - 'a' + 26
                           : c >= '0' && c <= '9' ? c - '0' + 52
                           : c == '+'             ? 62
                           : c == '/'             ? 63
                                                  : -1;
        if (digit < 0) continue;
        bits = (bits << 6U) | static_cast<unsigned>(digit);
        have += 6;
        if (have < 8) continue;
        have -= 8;
        out.push_back(static_cast<char>((bits >> static_cast<unsigned>(have)) & 0xFFU));
    }
    return out;
}

// The innermost visible one that says this.
const char* const find_by_text = R"(
const fits = [...document.querySelectorAll('dialog[open] button, dialog[open] a, button, a, summary, label')]
  .filter(one => one.textContent.trim() === arguments[0] && one.getClientRects().length > 0);
return fits[0] || null;)";

}  // namespace

browser::browser() : folder_{errand::test::temporary_folder("browser")} {
    errand::test::give_to(errand::test::unprivileged_user(), folder_);
    const auto port = errand::test::free_port();
    driver_.start({.words = {"/usr/bin/env", "HOME=" + folder_.string(),
                             "XDG_CONFIG_HOME=" + folder_.string(), "XDG_CACHE_HOME=" + folder_.string(),
                             "/usr/bin/chromedriver", "--port=" + std::to_string(port)},
                   .folder = folder_,
                   .log = folder_ / "log",
                   .when_orphaned = SIGKILL});
    errand::test::eventually([&] { return listens(port); });
    address_ = "http://127.0.0.1:" + std::to_string(port);
    line_ = std::make_unique<service_test::client>(address_);
    json::array flags{"--headless",
                      "--no-sandbox",
                      "--disable-gpu",
                      "--disable-dev-shm-usage",
                      "--disable-quic",
                      "--no-first-run",
                      "--disable-background-networking",
                      "--disable-component-update",
                      "--disable-sync",
                      "--remote-debugging-pipe",
                      "--host-resolver-rules=MAP console.test 127.0.0.1",
                      "--hide-scrollbars",
                      "--force-color-profile=srgb",
                      "--user-data-dir=" + (folder_ / "profile").string()};
    const json::object chrome{{"args", std::move(flags)}, {"binary", "/usr/bin/chromium"}};
    const json::object wishes{{"browserName", "chrome"},
                              {"goog:chromeOptions", chrome},
                              {"goog:loggingPrefs", json::object{{"browser", "ALL"}}}};
    const auto made = command("POST", "/session", {{"capabilities", json::object{{"alwaysMatch", wishes}}}});
    session_ = "/session/" + std::string{made.at("sessionId").as_string()};
}

browser::~browser() {
    // The test program is over: nothing can be REQUIREd any more.
    if (line_ && !session_.empty()) {
        line_->send("DELETE " + session_ + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
        line_->is_answered();
    }
    driver_.end(SIGTERM);
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
}

browser& browser::fresh() {
    static browser one;
    one.open("about:blank");
    one.resize(1280, 900);
    one.prefer_dark(false);
    one.complaints();
    return one;
}

json::value browser::command(const std::string& method, const std::string& path, const json::object& body) {
    const auto got =
        line_->ask(method, session_ + path, method == "POST" ? json::serialize(body) : std::string{});
    INFO(method << ' ' << path << ' ' << json::serialize(body).substr(0, 500) << ": "
                << got.body.substr(0, 2000));
    REQUIRE(got.status == 200);
    return json::parse(got.body).at("value");
}

void browser::open(const std::string& address) { command("POST", "/url", {{"url", address}}); }
void browser::back() { command("POST", "/back"); }

json::value browser::tool(const std::string& name, const json::object& how) {
    return command("POST", "/goog/cdp/execute", {{"cmd", name}, {"params", how}});
}

// Not by its window: that of a headless browser has a least width.
void browser::resize(int width, int height) {
    tool("Emulation.setDeviceMetricsOverride",
         {{"width", width}, {"height", height}, {"deviceScaleFactor", 1}, {"mobile", false}});
}

void browser::prefer_dark(bool dark) {
    const json::object feature{{"name", "prefers-color-scheme"}, {"value", dark ? "dark" : "light"}};
    tool("Emulation.setEmulatedMedia", {{"features", json::array{feature}}});
}

double browser::heap() {
    tool("HeapProfiler.collectGarbage");
    const auto used = tool("Runtime.getHeapUsage");
    return used.at("usedSize").to_number<double>();
}

json::value browser::value_of(const std::string& expression) {
    return command("POST", "/execute/sync",
                   {{"script", "return (" + expression + ");"}, {"args", json::array{}}});
}

std::string browser::text_of(const std::string& expression) {
    const auto got = value_of(expression);
    return got.is_string() ? std::string{got.as_string()} : json::serialize(got);
}

bool browser::holds(const std::string& expression) {
    const auto got = value_of("Boolean(" + expression + ')');
    return got.as_bool();
}

void browser::until(const std::string& expression) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes{1};
    while (!holds(expression)) {
        INFO(expression << "\n" << text_of("document.body.innerText").substr(0, 2000));
        REQUIRE(std::chrono::steady_clock::now() < end);
        std::this_thread::sleep_for(std::chrono::milliseconds{30});
    }
}

void browser::until_text(const std::string& words) {
    until("document.body.innerText.includes(" + json::serialize(json::value{words}) + ')');
}

std::string browser::element(const std::string& what) {
    json::value found;
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes{1};
    do {
        const bool by_selector = what.starts_with("css=");
        const std::string script =
            by_selector
                ? "return [...document.querySelectorAll(arguments[0])].find(one => one.getClientRects().length > 0) || null;"
                : find_by_text;
        found = command("POST", "/execute/sync",
                        {{"script", script}, {"args", json::array{by_selector ? what.substr(4) : what}}});
        INFO(what << "\n" << (found.is_null() ? text_of("document.body.innerText").substr(0, 2000) : ""));
        REQUIRE(std::chrono::steady_clock::now() < end);
    } while (found.is_null());
    return std::string{found.at(element_key).as_string()};
}

void browser::click(const std::string& what) {
    // A page that is drawn anew takes the element along: then there is another.
    for (int tries = 1;; ++tries) {
        const auto path = session_ + "/element/" + element(what) + "/click";
        const auto got = line_->ask("POST", path, "{}");
        INFO(what << ": " << got.body.substr(0, 2000));
        if (got.status == 200) return;
        REQUIRE(tries < 20);
        std::this_thread::sleep_for(std::chrono::milliseconds{50});
    }
}

void browser::type(const std::string& selector, const std::string& text) {
    const auto which = element("css=" + selector);
    command("POST", "/element/" + which + "/clear");
    command("POST", "/element/" + which + "/value", {{"text", text}});
}

void browser::press(const std::string& keys) {
    json::array actions;
    for (std::size_t at = 0; at < keys.size();) {
        // Keys without a sign are characters of three bytes.
        const std::size_t size = static_cast<unsigned char>(keys[at]) >= 0xE0 ? 3 : 1;
        const auto key = keys.substr(at, size);
        actions.push_back(json::object{{"type", "keyDown"}, {"value", key}});
        actions.push_back(json::object{{"type", "keyUp"}, {"value", key}});
        at += size;
    }
    const json::object board{{"type", "key"}, {"id", "keyboard"}, {"actions", std::move(actions)}};
    command("POST", "/actions", {{"actions", json::array{board}}});
}

std::vector<std::string> browser::complaints() {
    std::vector<std::string> all;
    const auto got = command("POST", "/se/log", {{"type", "browser"}});
    for (const auto& one : got.as_array()) {
        if (one.at("level") == "SEVERE" || one.at("level") == "WARNING")
            all.emplace_back(one.at("message").as_string());
    }
    return all;
}

void browser::screenshot(const std::string& name) {
    const auto* folder = std::getenv("ERRAND_PICTURES");
    if (!folder) return;
    const auto got = command("GET", "/screenshot");
    std::ofstream{std::filesystem::path{folder} / (name + ".png"), std::ios::binary}
        << decoded_base64(std::string_view{got.as_string()});
}

std::string browser::tab() { return std::string{command("GET", "/window").as_string()}; }
std::string browser::new_tab() {
    const auto made = command("POST", "/window/new", {{"type", "tab"}});
    return std::string{made.at("handle").as_string()};
}
void browser::to_tab(const std::string& handle) { command("POST", "/window", {{"handle", handle}}); }
void browser::close_tab() { command("DELETE", "/window"); }

}  // namespace browser_test
