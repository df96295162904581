# Roots with a Debian of their own, below which one may do as one pleases; sourced after debian.sh. They are made as root.

# make_guest RELEASE DIRECTORY PACKAGE...: the base system of that release, and these packages. What is there already is kept.
make_guest() {
    local release=$1 guest=$2 mirror security
    shift 2
    [ ! -d "$guest" ] || return 0
    mirror=$(debian_mirror "$suite")
    security=$(debian_mirror "$suite-security")
    [ -n "$mirror" ] || die "apt's sources name no mirror for $suite"
    installed debootstrap || { apt_update; apt_install debootstrap; }
    rm -rf "$guest.new"
    mkdir -p "$guest.new"
    say "making a root of Debian $release"
    patiently debootstrap --variant=minbase --include="$(IFS=,; echo "$*")" "$release" "$guest.new" "$mirror" \
        >"$guest.log" || die "debootstrap failed: $(tail -3 "$guest.log")"
    {
        echo "deb $mirror $release main"
        echo "deb $mirror $release-updates main"
        [ -z "$security" ] || echo "deb $security $release-security main"
    } >"$guest.new/etc/apt/sources.list"
    # Nobody minds if a root is lost with the machine's power; without this unpacking waits for the disk, file by file.
    echo force-unsafe-io >"$guest.new/etc/dpkg/dpkg.cfg.d/unsafe-io"
    mv "$guest.new" "$guest"
}

# The network is the host's.
connect_guest() {
    local file
    for file in /etc/resolv.conf /etc/hosts; do cp "$file" "$1$file"; done
    cp -r /etc/apt/apt.conf.d/. "$1/etc/apt/apt.conf.d/"
}

# in_guest DIRECTORY LINE: runs a line of bash in it. Mounts and processes are its own: whatever happens, none is left behind.
in_guest() {
    unshare --mount --pid --fork --kill-child bash -euc '
        mount --bind "$1" "$1"
        mount -t proc proc "$1/proc"
        mount --rbind /sys "$1/sys"
        mount --rbind /dev "$1/dev"
        exec chroot "$1" env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 \
            bash -c "$2"' _ "$1" "$2"
}
