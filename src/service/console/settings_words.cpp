#include "service/console/settings_words.hpp"

#include "core/config_text.hpp"
#include "core/store_list.hpp"
#include "service/words.hpp"

#include <algorithm>
#include <string_view>

namespace errand::console {
namespace {

std::string bytes_text(std::size_t bytes) {
    constexpr std::size_t kib = 1024;
    if (bytes % (kib * kib) == 0) return std::to_string(bytes / kib / kib) + " MiB";
    if (bytes % kib == 0) return std::to_string(bytes / kib) + " KiB";
    return std::to_string(bytes) + " bytes";
}

std::string listed(const std::vector<std::string>& all) {
    std::string text;
    for (const auto& one : all) text += (text.empty() ? "" : ", ") + one;
    return text;
}

std::string store_words(const config& of) {
    if (keeps_in_memory(of)) return "in the memory of this program: they end with it";
    return "in " + shown_stores(of.store) + ", asked for " + length_text(of.store_timeout) +
           " while it is away";
}

std::string caller_words(const service_options& of) {
    if (!of.tokens_file.empty())
        return of.stored_tokens ? "who has a token of its file or of the store"
                                : "who has a token of its file";
    if (of.stored_tokens) return "who has a token of the store";
    return of.allow_anyone ? "everybody who reaches it, without a token"
                           : "everybody on this machine, without a token";
}

std::string size_words(const config& app, const service_options& service) {
    return bytes_text(app.max_payload) + " of arguments or result, " + bytes_text(service.max_body) +
           " of a request";
}

std::string connection_words(const service_options& of) {
    return std::to_string(of.max_connections) + " at once, of which " + std::to_string(of.max_waiting) +
           " may wait for results or tasks; closed after " + length_text(of.idle_timeout) +
           " without a request";
}

// Whose address it is: what stands behind that, or before an @, may be somebody's secret.
std::string host_of(std::string_view address) {
    address.remove_prefix(std::min(address.find("//") + 2, address.size()));
    address = address.substr(0, address.find_first_of("/?#"));
    if (const auto at = address.rfind('@'); at != address.npos) address.remove_prefix(at + 1);
    return std::string{address};
}

std::string link_words(const console_options& of) {
    std::vector<std::string> all;
    if (!of.trace_url.empty()) all.push_back("traces at " + host_of(of.trace_url));
    if (!of.log_url.empty()) all.push_back("log lines at " + host_of(of.log_url));
    return all.empty() ? "neither to traces nor to log lines" : listed(all);
}

const char* log_words(access_log of) {
    switch (of) {
    case access_log::off: return "not written down";
    case access_log::text: return "a line each";
    case access_log::json: return "a JSON object each";
    }
    return "";
}

}  // namespace

std::vector<setting_words> settings_in_words(const config& of_app, const service_options& of_service,
                                             const service_state& now) {
    const auto& console = of_service.console;
    std::vector<setting_words> all{
        {"Tasks are kept", store_words(of_app)},
        {"Their content", now.encrypts ? "encrypted" : "not encrypted"},
        {"Ended tasks", std::to_string(of_app.max_history) + " of each queue and end, at most"},
        {"At most", size_words(of_app, of_service)},
        {"Listens on", listed(of_service.listen)},
        {"TLS", of_service.tls.certificate_file.empty() ? "not spoken here" : "spoken here"},
        {"Let in", caller_words(of_service)},
        {"Connections", connection_words(of_service)},
        {"Requests", log_words(of_service.access_log)},
        {"Arguments and results", console.hide_args ? "shown to nobody here" : "shown here"},
        {"Spans", now.traces ? "sent to a collector" : "not sent"},
        {"Links", link_words(console)},
    };
    if (!of_service.hosts.empty()) all.push_back({"Asked as", listed(of_service.hosts)});
    if (!console.prefix.empty()) all.push_back({"Offered under", console.prefix});
    if (!of_service.lmstfy.listen.empty())
        all.push_back({"lmstfy's API on", listed(of_service.lmstfy.listen)});
    return all;
}

}  // namespace errand::console
