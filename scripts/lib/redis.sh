# A private Redis for scripts; sourced after common.sh.

# start_redis DIRECTORY [options...]: a Redis that listens on a unix socket in the directory and nowhere else. Sets
# redis_pid and redis_url. Whoever starts one stops it, also on the way out through an error.
start_redis() {
    local directory=$1
    shift
    redis-server --port 0 --unixsocket "$directory/redis.sock" --dir "$directory" --save '' --appendonly no \
        --maxmemory-policy noeviction --daemonize no "$@" >"$directory/redis.log" 2>&1 &
    redis_pid=$!
    redis_url=redis+unix://$directory/redis.sock
    until redis-cli -s "$directory/redis.sock" ping >/dev/null 2>&1; do
        kill -0 "$redis_pid" 2>/dev/null || die "redis-server did not start: $(tail -3 "$directory/redis.log")"
        sleep 0.05
    done
}

stop_redis() {
    [ -n "${redis_pid:-}" ] || return 0
    kill "$redis_pid" 2>/dev/null || true
    wait "$redis_pid" 2>/dev/null || true
    redis_pid=
}
