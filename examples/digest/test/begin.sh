# What the digest tests share; sourced with the program as first argument. Sets digest, directory (temporary,
# gone at the end, as are all workers), and tree, an empty directory in it. ERRAND_STORE names a store that is
# there.
set -euo pipefail
digest=$1
name=$(basename "$0")
directory=$(mktemp -d)
tree=$directory/tree
workers=()
mkdir "$tree"
export LC_ALL=C ERRAND_LEASE=30s

say() { printf 'digest %s: %s\n' "$name" "$*"; }
die() {
    say "FAILED: $*" >&2
    for log in "$directory"/worker-*.log; do [ ! -e "$log" ] || tail -5 "$log" >&2; done
    exit 1
}

finish() {
    local pid
    trap '' PIPE  # whoever read the output may be gone
    for pid in "${workers[@]}"; do kill -KILL "$pid" 2>/dev/null || true; done
    chmod -R u+rwx "$directory" 2>/dev/null || true
    rm -rf "$directory"
}
trap finish EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# start_worker COMMAND...: the command is the worker, or starts it in its place.
start_worker() {
    "$@" --ledger "$directory/ledger" >"$directory/worker-${#workers[@]}.log" 2>&1 &
    workers+=($!)
}

# stop_worker PID: it must end in order.
stop_worker() {
    local status=0
    kill -TERM "$1"
    wait "$1" || status=$?
    [ $status = 0 ] || die "a worker ended with $status"
}

# submit OPTIONS...: the tree's checksums to $directory/sums, what was said to $directory/said.
submit() {
    "$digest" submit "$tree" --output "$directory/sums" "$@" >"$directory/said" 2>"$directory/progress" ||
        die "submit: $(cat "$directory/said" "$directory/progress")"
}

# said LINE: among the lines that submit has written.
said() { grep -qxF -- "$1" "$directory/said" || die "no line '$1' in: $(cat "$directory/said")"; }

# same_as_sha256sum FILES...: the checksums are those that sha256sum writes for these files, in this order,
# byte by byte.
same_as_sha256sum() {
    sha256sum -- "$@" >"$directory/expected"
    cmp "$directory/expected" "$directory/sums" ||
        die "not what sha256sum says: $(diff "$directory/expected" "$directory/sums")"
    sha256sum --quiet -c "$directory/sums" || die "sha256sum -c"
}

all_files() { mapfile -d '' files < <(find "$tree" -type f -print0 | sort -z); }
