#pragma once

#include <errand/app.hpp>
#include <errand/awaitable.hpp>
#include <errand/time.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace errand {

/// How the service writes down what was asked of it.
enum class access_log : unsigned char {
    off,   ///< none
    text,  ///< one line a request
    json,  ///< one JSON object a request
};

/// lmstfy's API and admin API on ports of their own (docs/lmstfy.md), so that its clients work with errand's tasks. Off unless
/// addresses are named. A bad value is a usage_error naming the member.
struct lmstfy_options {
    /// Of the API, as service_options::listen names them; `:7777` is what clients expect. Whoever asks needs a token there,
    /// wherever it listens.
    std::vector<std::string> listen{};
    /// Of the admin API, which makes tokens; `127.0.0.1:7778` is what its tools expect. Where others than this machine reach it
    /// it needs accounts_file, unless service_options::allow_anyone is set.
    std::vector<std::string> admin_listen{};
    /// Stores beside the app's own, which is the pool `default`: name to URL, as config::store has it.
    std::map<std::string, std::string> pools{};
    /// Who may use the admin API by HTTP basic authentication: a file of lines as `errand token --scope admin` writes them, each
    /// a user and the SHA-256 of the password. Empty: nobody is asked.
    std::string accounts_file{};
    bool open_sizes = false;  ///< the two `size` calls need no token, as in lmstfy

    // What a request that does not say it means, in seconds.
    std::uint32_t ttl = 86'400;  ///< 0: for ever
    std::uint32_t delay = 0;     ///< until it is due
    std::uint16_t tries = 1;     ///< deliveries until it is dead
    std::uint32_t ttr = 120;     ///< a delivered job comes back after it
    std::uint32_t timeout = 0;   ///< how long a consumer waits for a job

    /// Told once it listens, with the addresses of both, before service_options::on_listening.
    std::function<void(const std::vector<std::string>& api, const std::vector<std::string>& admin)>
        on_listening{};
};

/// The web console that the service offers beside `/v1` (docs/console.md): pages on which people see whether work gets done, and put
/// right what fails.
struct console_options {
    bool offered = true;  ///< false: no console, and its addresses are not found
    /// The path under which something before the service offers it, as `/errand`; whether that takes it off the path or not. It
    /// counts for `/v1` as well. Empty: none.
    std::string prefix{};
    /// A folder from which the pages' files are read at each request, while one edits them. Empty: those that were there when
    /// errand was built.
    std::string files{};
    /// Arguments, results and what stages have kept are not shown to anybody.
    bool hide_args = false;
    /// Where the trace of a task is seen, as `https://jaeger.example.com/trace/{trace_id}`: a task's page has a link there. `{id}`,
    /// `{handler}` and `{queue}` are those of the task; one that belongs to no trace has no link. Empty: none has.
    std::string trace_url{};
    /// Likewise where the lines of its log are looked for, as `https://logs.example.com/search?q={id}`.
    std::string log_url{};
};

/// Whom the service is to clients that ask by `https`, by files in PEM (docs/deployment.md). Off unless they are named.
struct tls_options {
    std::string
        certificate_file{};  ///< its certificate, and those of the authorities between it and the root
    std::string key_file{};  ///< the private key of that certificate, without a passphrase
};

/// Where the HTTP service listens, what it takes, and for how long. A bad value is a usage_error naming the member.
struct service_options {
    /// `127.0.0.1:7070`, `[::1]:7070`, `0.0.0.0:7070` (every address of the machine), `unix:/run/errand.sock`; a port of 0 is
    /// any that is free. `fd:3`: a socket of this process that listens already; it is closed at the end. With tls, addresses speak
    /// TLS, but those that begin with `http://` and unix sockets that are not named `https://unix:/run/errand.sock`.
    std::vector<std::string> listen{"127.0.0.1:7070"};
    tls_options tls{};  ///< for clients that ask by `https`, where its files are named
    /// Names under which it is asked besides `localhost` and the address itself. A request whose Host header says another is
    /// refused: a page in a browser could otherwise reach it by a name that it made up.
    std::vector<std::string> hosts{};
    /// Origins as `https://shop.example.com` whose pages may use `/v1` and `/flow` from a browser (CORS), as far as their tokens let
    /// them; pages of any other one may not.
    std::vector<std::string> origins{};
    /// A file of the tokens that let in, a line each, as `errand token` writes them: who asks needs one of them. It is looked at
    /// with each request, so that a line that is taken out lets nobody in any more. Beside them those let in that the store keeps
    /// (stored_tokens). Empty, and no stored_tokens: nobody needs a token.
    std::string tokens_file{};
    /// Who asks needs a token also where there is no tokens_file: one that the store keeps for the namespace, as `errand token
    /// --stored` and `POST /v1/{namespace}/tokens` make them. They count on all servers of the namespace that ask for tokens.
    bool stored_tokens = false;
    /// Where calls with the scope `admin` are offered, named as `listen` does; then they are offered there alone, and nothing else is.
    /// Empty: they are offered with all others.
    std::vector<std::string> admin_listen{};
    /// Without tokens, anybody who reaches it may use the tasks: then it listens on this machine alone, unless this is set.
    bool allow_anyone = false;

    std::size_t max_body = std::size_t{8} * 1024 * 1024;  ///< bytes of a request's body
    std::size_t max_header = std::size_t{16} * 1024;      ///< bytes of its first line and headers
    std::size_t max_connections = 1000;                   ///< further ones wait to be accepted
    /// Requests that wait for a result or for tasks; further ones are refused (429). Less than max_connections, so that others get in.
    std::size_t max_waiting = 800;

    duration header_timeout =
        std::chrono::seconds{10};  ///< from the first byte of a request to the end of its headers
    duration body_timeout = std::chrono::seconds{60};  ///< from there to the end of its body
    duration idle_timeout =
        std::chrono::seconds{75};  ///< between two requests; before the first, header_timeout at most
    duration write_timeout = std::chrono::seconds{30};  ///< until an answer has been taken
    duration stop_grace = std::chrono::seconds{10};     ///< how long requests may go on after stop()

    errand::access_log access_log = errand::access_log::text;  ///< how it writes down what was asked
    /// Takes the lines of the access log, without a line break; on the thread that serves. What it throws is logged, and the
    /// line is lost. Empty: standard error.
    std::function<void(std::string_view line)> access_log_sink{};
    /// A type of flow tasks (docs/flow.md) that nobody has made appears when a task of it is created or it is held, as it is
    /// without being set. False: that is refused, so that a typing error is no type.
    bool flow_types_appear = false;
    lmstfy_options lmstfy{};    ///< lmstfy's API, where addresses are named
    console_options console{};  ///< the console, where it is asked for
    /// Told with the addresses of admin_listen, where there are any, before on_listening.
    std::function<void(const std::vector<std::string>& addresses)> on_admin_listening{};
    /// Told once it listens, with the addresses as they are now, on the thread that serves.
    std::function<void(const std::vector<std::string>& addresses)> on_listening{};
};

/// Offers the tasks of an app's namespace over HTTP: what docs/http.md says. It runs on the loop of whoever awaits it, by
/// `app.block_on(service.run())` on the calling thread, else on one in the background.
///
/// `co_await errand::service{app, options}.run()` serves until the coroutine is cancelled.
class service {
public:
    /// @param app must outlive the service and its run() @throws usage_error for options that do not fit; nothing listens yet
    explicit service(app& app, service_options options = {});
    /// Stops it as stop() does; a run() that is under way completes by itself.
    ~service();
    service(const service&) = delete;
    service& operator=(const service&) = delete;

    /// Listens and serves until stop(). Once.
    /// @throws usage_error when an address cannot be listened on, saying why
    [[nodiscard]] awaitable<void> run();

    /// Accepts no more; requests that wait for a result are answered with what is there, others go on for `stop_grace`. run()
    /// completes when all have ended. From any thread, also before run().
    void stop();

    /// Reads the files of service_options::tls anew, for connections from now on; those that are there go on as they are. From any
    /// thread. @throws usage_error saying what is wrong with the files; what was read before stays
    void reload_tls();

private:
    class server;
    std::shared_ptr<server> server_;
};

}  // namespace errand
