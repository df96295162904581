#pragma once

#include <errand/time.hpp>

#include <cstddef>
#include <map>
#include <string>

namespace errand {

/// How a program is connected and how its worker works. Every member can come from code, from the environment
/// (`ERRAND_` + the member's name in capitals: `ERRAND_STORE`, `ERRAND_SHUTDOWN_GRACE=25s`) or from the JSON file that
/// `ERRAND_CONFIG` names (members by name); the environment goes before the file, the file before the defaults.
struct config {
    /// Where tasks are kept: `sqlite::memory:` (they end with the app), `sqlite:///path/file.db` (durable, for processes of one machine;
    /// `?synchronous=normal` is faster), `redis://[user:pass@]host:port/db`, `rediss://…`, `redis+unix:///path`; several such servers with
    /// commas between them, always in the same order; `redis+cluster://host:port,…` or `redis+sentinel://host:port,…/name`.
    std::string store = "sqlite::memory:";
    /// Into how many shards the namespace is divided, dealt out over the servers in turn; 0: one for each server, and 16
    /// on a cluster. The number cannot be changed later.
    std::size_t shards = 0;
    /// Tenants see only their own.
    std::string name_space = "default";
    /// Queues this worker serves, name to weight (1..1000). Empty: the queues of all handlers of this program.
    /// In the environment: `mail:3,default:1`.
    std::map<std::string, int> queues{};
    /// A queue is looked at only when all of a higher weight are empty; false: by weighted chance.
    bool strict_queues = false;
    /// Tasks in flight in this process, over all its threads.
    std::size_t concurrency = 100;
    /// Threads that run handlers.
    std::size_t threads = 1;
    /// Threads for handlers with `.blocking`; 0: one a core.
    std::size_t blocking_threads = 0;
    /// After this long without a sign of life a worker's tasks go to another.
    duration lease = std::chrono::seconds{30};
    /// How long running tasks may go on after SIGTERM.
    duration shutdown_grace = std::chrono::seconds{25};
    /// trace, debug, info, warn, error, critical or off.
    std::string log_level = "info";
    /// Handlers that may wait for other tasks at once.
    std::size_t max_awaiting = 10'000;
    /// How long a call may be repeated while the store is away, before store_error (30s where another takes over). Workers wait for ever.
    duration store_timeout = std::chrono::seconds{10};
    /// Bytes of a task's arguments as JSON, and of its result.
    std::size_t max_payload = 1024 * 1024;
    /// Finished tasks that are kept of each queue, of successes and of each other end; beyond that the oldest go before
    /// their retention is over, though never one whose result somebody awaits.
    std::size_t max_history = 1'000'000;
    /// Namespaces whose tasks this worker runs, name to weight (1..1000): of the slots that become free each that has something
    /// to do gets as many as its weight says, and what one leaves goes to the others. Empty: `name_space` alone. What is submitted
    /// and looked at outside of tasks is that of `name_space` in any case, whether it is among them or not; what a task submits is
    /// of the task's namespace. At most 1000. In the environment: `shop:3,mail:1`.
    std::map<std::string, int> name_spaces{};
    /// Where a worker shows what it measures for monitoring (docs/monitoring/metrics.md), to whoever reaches the address: `:9464`
    /// for all of the machine's addresses, `127.0.0.1:9464`, `[::1]:9464`. Empty: nowhere, and nothing is measured.
    std::string metrics{};
    /// Where spans are sent to a tracer: an attempt that starts within so long of its task's submission is part of the submission's
    /// trace; a later one begins a trace of its own, linked with it. 0: all do (docs/tracing.md).
    duration trace_join_within = std::chrono::minutes{10};
    /// Keys with which the content of tasks is encrypted before it leaves the program (docs/encryption.md): the path of a file that
    /// has them, `/run/secrets/errand.keys` (a relative one begins with a dot and a slash), or the keys themselves,
    /// `2026-11:BASE64,2026-05:BASE64`. The first one encrypts. Empty: nothing is encrypted.
    std::string encryption_keys{};
    /// A database in which tasks that fall due far from now wait, and not in the store's memory (docs/scale.md): `postgresql://…` or
    /// `mysql://…`, of programs that link `errand::postgres` or `errand::mysql`, or `sqlite:///path/file.db`. Which tasks: the policy's
    /// `.shelve_after`. All programs of the namespace have the same. Empty: none.
    std::string shelf{};
    /// So long before they fall due workers bring tasks from the shelf to the store; 1s to 30d.
    duration shelf_ahead = std::chrono::minutes{10};

    /// Reads ERRAND_CONFIG and then the environment.
    /// @throws usage_error naming the variable or the file and the value that does not fit
    static config from_environment();
};

}  // namespace errand
