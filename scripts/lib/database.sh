# A private PostgreSQL or MariaDB for scripts; sourced after common.sh. Neither runs as root: when this is root, as nobody.

# as_nobody COMMAND...: a server that ends with this shell. Its folder is the nobody's.
as_nobody() {
    if [ "$(id -u)" = 0 ]; then
        exec setpriv --reuid nobody --regid "$(id -g nobody)" --clear-groups --pdeathsig "$orphan_signal" "$@"
    fi
    exec setpriv --pdeathsig "$orphan_signal" "$@"
}

postgres_programs() { ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -1; }

# own_folder DIRECTORY: made, for the user who runs the server.
own_folder() {
    mkdir -p "$1"
    if [ "$(id -u)" = 0 ]; then chown nobody "$1"; fi
}

# await_server DIRECTORY COMMAND...: until the command succeeds.
await_server() {
    local log=$1/log
    shift
    until "$@" >/dev/null 2>&1; do
        kill -0 "$database_pid" 2>/dev/null || die "the database did not start: $(tail -5 "$log")"
        sleep 0.1
    done
}

# start_postgres DIRECTORY: listens on a Unix socket in the directory and nowhere else. Sets database_pid and database_url.
# Whoever starts one stops it, also on the way out through an error.
start_postgres() {
    local directory=$1 programs
    programs=$(postgres_programs)
    [ -n "$programs" ] || die "there is no PostgreSQL here: run scripts/setup"
    own_folder "$directory"
    orphan_signal=QUIT
    (as_nobody "$programs/initdb" --pgdata "$directory/data" --username errand --auth trust --encoding UTF8 \
        --locale C.UTF-8 --no-sync) >"$directory/log" 2>&1 || die "initdb failed: $(tail -5 "$directory/log")"
    (as_nobody "$programs/postgres" -D "$directory/data" -c listen_addresses= -c "unix_socket_directories=$directory" \
        -c fsync="${database_fsync:-off}") >>"$directory/log" 2>&1 &
    database_pid=$!
    await_server "$directory" "$programs/psql" -h "$directory" -U errand -c 'SELECT 1' postgres
    database_url="postgres://errand@/postgres?host=$directory"
}

# start_mariadb DIRECTORY: likewise; its database is called errand. One that starts clears the folder of temporary tables, so
# each has its own.
start_mariadb() {
    local directory=$1
    own_folder "$directory"
    orphan_signal=KILL
    (TMPDIR=$directory as_nobody mariadb-install-db --no-defaults --datadir="$directory/data" --skip-test-db \
        --auth-root-authentication-method=normal) >"$directory/log" 2>&1 || die "$(tail -5 "$directory/log")"
    (TMPDIR=$directory as_nobody "$(PATH=$PATH:/usr/sbin command -v mariadbd)" --no-defaults --datadir="$directory/data" --skip-networking \
        --socket="$directory/socket" --pid-file="$directory/pid" --character-set-server=utf8mb4) >>"$directory/log" 2>&1 &
    database_pid=$!
    await_server "$directory" mariadb --no-defaults --socket="$directory/socket" --user=root -e 'CREATE DATABASE errand'
    database_url="mysql://root@localhost/errand?socket=$directory/socket"
}

# start_database KIND DIRECTORY: postgres, mysql or sqlite; sets database_url.
start_database() {
    case $1 in
        postgres) start_postgres "$2" ;;
        mysql) start_mariadb "$2" ;;
        sqlite) mkdir -p "$2" && database_url=sqlite://$2/orders.db ;;
        *) die "no database of the kind '$1': postgres, mysql or sqlite" ;;
    esac
}

stop_database() {
    [ -n "${database_pid:-}" ] || return 0
    kill -INT "$database_pid" 2>/dev/null || true
    kill -TERM "$database_pid" 2>/dev/null || true
    wait "$database_pid" 2>/dev/null || true
    database_pid=
}
