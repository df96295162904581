# What has passed and need not be run again; sourced by scripts/test. What is remembered is the name of a part under a hash of all that
# could change its outcome: the sources (pages apart: what reads them is run in the last part, always) and the packages that are
# installed. It is kept for a day, since not all that happens on a machine is its sources' doing. With again=true nothing counts as passed.
# Where it cannot be kept, everything is run.
passed=${XDG_CACHE_HOME:-${HOME:-/dev/null}/.cache}/errand/passed

# inputs: a hash of what every part is made from. Sources count as they are, committed or not.
inputs() {
    {
        { if [ "$(git rev-parse --show-toplevel 2>/dev/null)" = "$(pwd -P)" ]; then
            git ls-files -co --exclude-standard -z -- . ':!*.md'
        else
            find . -path ./build -prune -o -path ./.deps -prune -o -type f -print0
        fi; } | sort -z | while IFS= read -r -d '' file; do
            [ ! -f "$file" ] || printf '%s\0' "$file"
        done | xargs -0 sha256sum
        dpkg-query --show 2>/dev/null || true
        env | grep -E '^(ERRAND|CC|CXX|CMAKE|CPP|LD)' | sort || true
    } | sha256sum
}

# record_of NAME: sets record to the file that stands for it, by the sources as they were when the run began.
record_of() {
    : "${known:=$(inputs)}"
    record=$passed/$(sha256sum <<<"$known $1" | cut -c1-40)
}

# has_passed NAME: whether it did within a day, from the same inputs; says so.
has_passed() {
    local record
    record_of "$1"
    [ "${again:-false}" = false ] && [ -n "$(find "$record" -mmin -1440 2>/dev/null)" ] || return 1
    say "$1: passed at $(date -r "$record" '+%F %R') from the same sources, and is not run again"
}

# note_passed NAME: unless somebody has changed a source meanwhile: then nobody knows which ones have passed.
note_passed() {
    local record
    record_of "$1"
    [ "$(inputs)" = "$known" ] || return 0
    { mkdir -p "$passed" && touch "$record" && find "$passed" -type f -mmin +1440 -delete; } 2>/dev/null || true
}

# once NAME COMMAND...: a part that is run unless it has passed. What held only when it was run again has not.
once() {
    ! has_passed "$1" || return 0
    doubt=
    part "$@" || return
    [ -n "$doubt" ] || note_passed "$1"
}
