# Reads `allowed`, then sources, and names each #include that the rules forbid; exits 1 when there is one.

function inside(path, folder) { return path == folder || index(path, folder "/") == 1 }

# The key of table that path lies in most deeply.
function longest(path, table,    key, best) {
    for (key in table) if (inside(path, key) && length(key) > length(best)) best = key
    return best
}

function refuse(why) {
    printf "%s:%d: %s: %s\n", FILENAME, FNR, $0, why
    bad = 1
}

FILENAME ~ /\/allowed$/ {
    rest = $0; sub(/^[a-z]+ +[^ ]+ */, "", rest)
    if ($1 == "may") { may[$2] = " " rest " "; if (sub(/^src\//, "", $2)) folders[$2] }
    if ($1 == "only" || $1 == "never") { rule[++rules] = $1; start[rules] = $2; where[rules] = rest }
    next
}

/^[ \t]*#[ \t]*include[ \t]*"/ {
    split($0, part, "\"")
    key = longest(FILENAME, may)
    folder = longest(part[2], folders)
    if (folder == "") refuse("quoted headers are named from src/ (\"core/record.hpp\"), public ones <errand/...>")
    else if (key == "") refuse("no line of tests/include_rules/allowed says what this folder may include")
    else if (!index(may[key], " " folder " ")) refuse(key " may not include " folder)
}

/^[ \t]*#[ \t]*include[ \t]*</ {
    split($0, part, /[<>]/)
    for (i = 1; i <= rules; ++i) {
        if (index(part[2], start[i]) != 1) continue
        count = split(where[i], folder_list, " ")
        here = 0
        for (j = 1; j <= count; ++j) here = here || inside(FILENAME, folder_list[j])
        if (rule[i] == "only" && !here) refuse("only " where[i] " may include it")
        if (rule[i] == "never" && here) refuse(where[i] " may not include it")
    }
}

END { exit bad }
