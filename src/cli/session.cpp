#include "cli/session.hpp"

#include "cli/options.hpp"
#include "cli/text.hpp"
#include "cli/views.hpp"
#include "core/config_text.hpp"

#include <boost/json/serialize.hpp>

#include <CLI/CLI.hpp>

#include <chrono>
#include <cstdio>

namespace errand::cli {

void print(std::string_view text) {
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
}

void print_document(const boost::json::value& document) { print(boost::json::serialize(document) + '\n'); }

void complain(const std::string& sentence) { std::fprintf(stderr, "errand: %s\n", plain(sentence).c_str()); }

time_point clock_now() { return std::chrono::floor<duration>(std::chrono::system_clock::now()); }

void declare_common(CLI::App& line, common_options& values) {
    line.add_option("--store", values.store,
                    "Where the tasks are: redis://host:port/db or sqlite:///path (else ERRAND_STORE)")
        ->type_name("URL")
        ->group("Common");
    line.add_option("--namespace", values.name_space, "Whose tasks (else ERRAND_NAME_SPACE, else default)")
        ->type_name("NAME")
        ->group("Common");
    line.add_option("--store-timeout", values.store_timeout, "How long to try when the store is away (10s)")
        ->type_name("TIME")
        ->group("Common");
    line.add_flag("--json", values.json, "One JSON document on standard output")->group("Common");
}

config session::settings() const {
    auto settings = config::from_environment();
    settings.name_spaces.clear();  // a worker's; this runs none
    if (!how_.store.empty()) settings.store = how_.store;
    if (!how_.name_space.empty()) settings.name_space = how_.name_space;
    if (!how_.store_timeout.empty())
        settings.store_timeout = need_length("--store-timeout", how_.store_timeout);
    return settings;
}

exit_code session::seen() {
    const auto away = run(inspect().away());
    if (away.empty()) return exit_code::done;
    complain(away_text(away));
    return exit_code::undone;
}

void session::need_shared_store(const config& settings) {
    if (!keeps_in_memory(settings)) return;
    throw usage_error{
        "no store is named that another program could use: give --store redis://host:port/db or sqlite:///path, or "
        "set ERRAND_STORE, or \"store\" in the file that ERRAND_CONFIG names"};
}

errand::app& session::app() {
    if (app_) return *app_;
    auto settings = this->settings();
    // What goes wrong is said once, in a sentence of the command's own.
    settings.log_level = "off";
    need_shared_store(settings);
    return app_.emplace(std::move(settings));
}

}  // namespace errand::cli
