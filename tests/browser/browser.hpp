// A real browser under a test's hands: Debian's chromium, by its chromedriver, which speaks WebDriver.
#pragma once

#include "service/client.hpp"
#include "support/private_process.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace browser_test {

class browser {
public:
    // The one of this test program, started at the first call and with nothing left of the test before.
    static browser& fresh();

    ~browser();
    browser(const browser&) = delete;
    browser& operator=(const browser&) = delete;

    void open(const std::string& address);
    void back();
    void resize(int width, int height);
    void prefer_dark(bool dark);

    // What an expression of JavaScript is in the page.
    boost::json::value value_of(const std::string& expression);
    std::string text_of(const std::string& expression);
    bool holds(const std::string& expression);
    // REQUIREs that it becomes true within a minute.
    void until(const std::string& expression);
    // Until the page says so somewhere.
    void until_text(const std::string& words);
    // The visible button, link or field with this text, or selected by "css=…", as a person clicks it.
    void click(const std::string& what);
    void type(const std::string& selector, const std::string& text);
    void press(const std::string& keys);

    // Errors of the console and violations of the security policy since the last call.
    std::vector<std::string> complaints();
    void screenshot(const std::string& name);
    // Bytes of the page's scripts that are in use, with nothing left that could be thrown away.
    double heap();
    // Tabs, by handle.
    std::string tab();
    std::string new_tab();
    void to_tab(const std::string& handle);
    void close_tab();

private:
    browser();
    boost::json::value command(const std::string& method, const std::string& path,
                               const boost::json::object& body = {});
    // One of the browser's own tools.
    boost::json::value tool(const std::string& name, const boost::json::object& how = {});
    std::string element(const std::string& what);

    std::filesystem::path folder_;
    errand::test::private_process driver_;
    std::string address_;
    std::unique_ptr<service_test::client> line_;
    std::string session_;
};

}  // namespace browser_test
