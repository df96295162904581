# Shared by the scripts; sourced, never run. Sets root (the checkout) and goes there.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cd "$root"

say() { printf '%s: %s\n' "$(basename "$0")" "$*"; }
die() { say "$*" >&2; exit 1; }

# part NAME COMMAND...: runs the command and says how long it took, also when it fails.
part() {
    local name=$1 start=$SECONDS status=0
    shift
    say "$name ..."
    "$@" || status=$?
    say "$name: $([ $status = 0 ] && echo ok || echo FAILED) after $(((SECONDS - start) / 60)) min $(((SECONDS - start) % 60)) s"
    return $status
}
