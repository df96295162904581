# What the scripts ask of apt; sourced after common.sh. Mirrors come from apt's own configuration alone.
. /etc/os-release
suite=${VERSION_CODENAME:-}

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"
    elif command -v sudo >/dev/null; then sudo "$@"
    else die "installing packages needs root: run this as root, or install sudo"
    fi
}

# A mirror may be away for a moment: three tries, with apt's own retries inside each.
patiently() {
    "$@" && return
    sleep 5; say "trying again: $*" >&2; "$@" && return
    sleep 20; say "trying again: $*" >&2; "$@"
}

apt_update() { patiently as_root apt-get -qq -o Acquire::Retries=3 -o APT::Update::Error-Mode=any update; }

apt_install() {
    patiently as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get install -qq -y --no-install-recommends -o Acquire::Retries=3 -o Dpkg::Use-Pty=0 "$@" >/dev/null
}

installed() { [ "$(dpkg-query -W -f '${db:Status-Abbrev}' "$1" 2>/dev/null)" = "ii " ]; }

# debian_mirror RELEASE: where this machine gets that release (bookworm, bookworm-security, ...) from.
debian_mirror() {
    apt-get indextargets --format '$(RELEASE) $(CODENAME) $(REPO_URI)' 'Created-By: Packages' |
        awk -v want="$1" '$1 == want || $2 == want { print $3; exit }'
}

# open_backports RELEASE [sources]: from here on backports_apt COMMAND... runs an apt command that sees RELEASE's backports
# (with `sources` their sources) and nothing else. All its state is below .deps/apt, so neither the sources nor the packages of
# this system change; apt checks the archive's signature.
open_backports() {
    local release=$1 kind=deb target=Packages mirror keyring
    if [ "${2:-}" = sources ]; then kind=deb-src target=Sources; fi
    mirror=$(debian_mirror "$suite")
    [ -n "$mirror" ] || die "apt's sources name no mirror for $suite"
    keyring=$(ls /usr/share/keyrings/debian-archive-keyring.{gpg,pgp} 2>/dev/null | head -1) || true
    [ -n "$keyring" ] || die "the package debian-archive-keyring is missing"

    backports=$root/.deps/apt/$release${2:+-$2}
    mkdir -p "$backports/state/lists/partial" "$backports/cache/archives/partial"
    echo "$kind [signed-by=$keyring lang=none target=$target] $mirror $release-backports main" >"$backports/sources.list"
    {
        apt-config dump Acquire
        printf '%s "%s";\n' Dir::Etc::Main /dev/null Dir::Etc::Parts /dev/null \
            Dir::Etc::SourceList "$backports/sources.list" Dir::Etc::SourceParts /dev/null \
            Dir::Etc::Preferences /dev/null Dir::Etc::PreferencesParts /dev/null \
            Dir::State "$backports/state" Dir::State::Status /dev/null Dir::Cache "$backports/cache" \
            APT::Sandbox::User "$(id -un)" Acquire::Retries 3
    } >"$backports/apt.conf"
    patiently backports_apt apt-get -qq -o APT::Update::Error-Mode=any update
}

backports_apt() { APT_CONFIG=$backports/apt.conf "$@"; }

# unpack_backport PACKAGE DIRECTORY: the package's /usr becomes the directory.
unpack_backport() {
    local package=$1 directory=$2 work=$backports/unpacked
    rm -rf "$work" && mkdir -p "$work"
    (cd "$work" && patiently backports_apt apt-get -qq download "$package")
    dpkg-deb -x "$work"/*.deb "$work/files"
    rm -rf "$directory"
    mv "$work/files/usr" "$directory"
    rm -rf "$work"
}

# unpack_backport_source SOURCE DIRECTORY FOLDER...: folders of that source, as its authors released it, come into DIRECTORY.
unpack_backport_source() {
    local source=$1 directory=$2 work=$backports/unpacked
    shift 2
    rm -rf "$work" "$directory" && mkdir -p "$work" "$directory"
    (cd "$work" && patiently backports_apt apt-get -qq source --download-only --tar-only "$source")
    tar -xf "$work"/*.orig.tar.* -C "$directory" --strip-components=1 --wildcards "${@/#/*/}"
    rm -rf "$work"
}
