#!/bin/bash
# Runs a command on two computers by mpirun, one rank on each: two network namespaces with a cable between them, with names, /tmp and
# a cache of FMUs of their own. The working folder is seen by the first computer only, as it holds the project.
# Usage: two_hosts.sh PROGRAM [ARGUMENT...]; exits with 77 where namespaces cannot be made.
set -u
folder=$(printf %q "$(pwd)")
state=$(mktemp -d /tmp/takt-hosts-XXXXXX) # mpirun splits the name of its agent at spaces

end() {
    local process
    for process in $(cat "$state"/*.process 2>/dev/null); do kill -9 "$process" 2>/dev/null; done
    rm -rf "$state"
}
trap end EXIT

cannot() {
    echo "NOT TESTED: two computers ($1)"
    exit 77
}

# Enters computer $1 and runs a command there.
cat > "$state/enter" <<'ENTER'
#!/bin/bash
state=$(dirname "$0")
host=$1
shift
exec nsenter --target "$(cat "$state/$host.process")" --net --mount --uts -- bash -c "$*"
ENTER
chmod +x "$state/enter"
printf '127.0.0.1 localhost\n10.77.0.1 alpha\n10.77.0.2 beta\n' > "$state/hosts"

command -v ip > /dev/null && command -v nsenter > /dev/null || cannot "there is no ip or nsenter"
for host in alpha beta; do
    unshare --net --mount --uts bash -c "
        hostname $host && mount --bind '$state/hosts' /etc/hosts && ip link set lo up &&
        touch '$state/$host.ready' && exec sleep 1000" 2> "$state/error" &
    echo $! > "$state/$host.process"
    for _ in $(seq 100); do [ -e "$state/$host.ready" ] || sleep 0.05; done
    [ -e "$state/$host.ready" ] || cannot "$(cat "$state/error")"
done
alpha=$(cat "$state/alpha.process") beta=$(cat "$state/beta.process")
"$state/enter" alpha "ip link add cable type veth peer name cable netns $beta &&
    ip address add 10.77.0.1/24 dev cable && ip link set cable up" 2> "$state/error" &&
"$state/enter" beta "ip address add 10.77.0.2/24 dev cable && ip link set cable up &&
    mount -t tmpfs none $folder && mkdir $folder/cache" 2>> "$state/error" ||
    cannot "$(cat "$state/error")"

words=$(printf ' %q' "$@")
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 TAKT_CACHE_DIR=$(pwd)/cache
"$state/enter" alpha "cd $folder && exec timeout -k 5 100 mpirun -n 2 --host alpha:1,beta:1 --bind-to none -x TAKT_CACHE_DIR \
    --mca plm rsh --mca plm_rsh_agent $state/enter --mca btl tcp,self \
    --mca btl_tcp_if_include cable --mca oob_tcp_if_include cable $words"
