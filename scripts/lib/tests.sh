# Runs tests; sourced by scripts/test.

# run_tests PRESET ARGUMENT...: ctest's verdict, and behind it again what the tests that failed have said. In CI, whose machine may
# stand still for seconds, what failed is run again, one by one and three times each: whoever holds then is named as unstable, and
# is no failure. Not so when more than three failed, and never for a trial of faults, whose load is drawn anew each time, a crash, a
# time-out or what a sanitizer said. Sets doubt then.
run_tests() {
    local preset=$1
    shift
    local log=build/$preset.tests.log failed=build/$preset/Testing/Temporary/LastTestsFailed.log
    rm -f "$log" "$failed"
    ctest --preset "$preset" --output-log "$log" "$@" && return
    { [ "${CI:-false}" = true ] && may_be_chance; } || { show_failed; return 1; }
    local unstable
    unstable=$(sed 's/^[0-9]*://' "$failed")
    say "again, one by one: $unstable"
    # With the same choice: the numbers by which they are known are counted in it.
    ctest --preset "$preset" --parallel 1 --rerun-failed --repeat until-fail:3 "$@" || { show_failed; return 1; }
    doubt=yes
    say "UNSTABLE, to be mended: $unstable"
}

# Whoever sees only the end of a long log is to see why.
show_failed() {
    local name
    [ -s "$failed" ] || return 0
    sed 's/^[0-9]*://' "$failed" | head -5 | while read -r name; do
        say "failed: $name"
        awk -v head=" Testing: $name" '$0 ~ /^[0-9]+\/[0-9]+ Testing: / { its = substr($0, index($0, " Testing:")) == head }
            its && /^<end of output>/ { its = 0 }
            its' "$(dirname "$failed")/LastTest.log" | tail -n +5 | cut -c1-400 | tail -30
    done
}

# Of what run_tests found.
may_be_chance() {
    [ -s "$failed" ] && [ "$(wc -l <"$failed")" -le 3 ] || return 1
    local trials
    trials=$(ctest --preset "$preset" --show-only --label-regex '^trial$' | sed -n 's/^ *Test *#[0-9]*: //p')
    ! grep -qxFf <(sed 's/^[0-9]*://' "$failed") <<<"$trials" || return 1
    ! grep -qE '\*\*\*(Timeout|Exception|Not Run)|Sanitizer|runtime error:|SIG[A-Z]+ - ' "$log"
}
