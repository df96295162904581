# What has passed and need not be run again; sourced by scripts/test. What is remembered is the name of a part under a hash of all that
# could change its outcome: the sources (pages apart, which no such part reads) and the packages that are installed. It is kept for a day,
# since not all that happens on a machine is its sources' doing. With again=true nothing counts as passed.
passed=${XDG_CACHE_HOME:-$HOME/.cache}/errand/passed

# inputs: a hash of what every part is made from. Sources count as they are, committed or not.
inputs() {
    {
        { git ls-files -co --exclude-standard -z -- . ':!*.md' || find . -path ./build -prune -o -type f -print0; } 2>/dev/null |
            sort -z | while IFS= read -r -d '' file; do
            [ ! -f "$file" ] || printf '%s\0' "$file"
        done | xargs -0 sha256sum
        dpkg-query --show
    } | sha256sum
}

# record_of NAME: sets record to the file that stands for it. The sources are looked at once in a run, which changes none.
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

# note_passed NAME
note_passed() {
    local record
    record_of "$1"
    mkdir -p "$passed"
    find "$passed" -type f -mmin +1440 -delete
    touch "$record"
}

# once NAME COMMAND...: a part that is run unless it has passed. What held only when it was run again has not.
once() {
    ! has_passed "$1" || return 0
    doubt=
    part "$@" || return
    [ -n "$doubt" ] || note_passed "$1"
}
