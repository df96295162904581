// The files of which the pages are made. Every page is the same file: which one it shows, it reads in its own address.
#include "service/console/calls.hpp"
#include "service/console/office.hpp"
#include "service/refusal.hpp"

namespace errand::console {
namespace {

constexpr std::string_view content_policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; "
    "form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types errand";

void put_in(std::string& text, std::string_view place, std::string_view value) {
    for (auto at = text.find(place); at != text.npos; at = text.find(place, at + value.size()))
        text.replace(at, place.size(), value);
}

// All are asked for at once, rather than each when another one that needs it has come.
std::string links_to(const std::vector<std::string_view>& modules) {
    std::string links;
    for (const auto one : modules)
        links += "<link rel=\"modulepreload\" href=\"%PREFIX%/ui/%BUILD%/" + std::string{one} + "\">\n";
    return links;
}

web::answer file_answer(std::string text, std::string_view name) {
    web::answer made{.body = std::move(text), .type = type_of(name)};
    made.headers.push_back({"Content-Security-Policy", std::string{content_policy}});
    made.headers.push_back({"Cross-Origin-Opener-Policy", "same-origin"});
    return made;
}

}  // namespace

awaitable<web::answer> show_page(web::call& c) {
    auto& hub = c.at.shared();
    const auto& files = office_of(hub).files;
    auto text = files.find("index.html").value_or("");
    put_in(text, "%MODULES%", links_to(files.modules()));
    put_in(text, "%PREFIX%", hub.options.console.prefix);
    put_in(text, "%BUILD%", files.build());
    co_return file_answer(std::move(text), "index.html");
}

awaitable<web::answer> show_file(web::call& c) {
    const auto& files = office_of(c.at.shared()).files;
    std::string name = "icon.svg";
    if (c.path.contains("file")) {
        name = c.part("file");
        if (c.path.contains("folder")) name = c.part("folder") + '/' + name;
        if (c.part("build") != files.build())
            throw web::not_found("this file is of another version of the console");
    }
    auto text = files.find(name);
    if (!text || name == "index.html") throw web::not_found("the console has no such file");
    auto made = file_answer(std::move(*text), name);
    if (files.lasting() && c.path.contains("build"))
        made.headers.push_back({"Cache-Control", "public, max-age=31536000, immutable"});
    co_return made;
}

}  // namespace errand::console
