#!/bin/bash
# Runs a command while there is a Slurm on this computer: a controller and two nodes, which are programs of their own with a configuration in a
# folder of their own. `sbatch`, `squeue` and others of the command find it.
# Usage: slurm.sh COMMAND [ARGUMENT...]; exits with 77 where Slurm is not installed or does not start.
set -u
cannot() {
    echo "NOT TESTED: Slurm ($1)"
    exit 77
}
for program in slurmctld slurmd munged sbatch sinfo; do
    PATH=$PATH:/usr/sbin command -v "$program" > /dev/null || cannot "there is no $program; Debian: slurmctld slurmd slurm-client munge"
done
[ "$(id -u)" -eq 0 ] || cannot "only root can start nodes"

state=$(mktemp -d /tmp/takt-slurm-XXXXXX) # sockets have short paths
processes=()
end() {
    kill "${processes[@]}" 2>/dev/null
    sleep 0.2
    kill -9 "${processes[@]}" 2>/dev/null
    pkill -9 -f "slurmstepd.*$state" 2>/dev/null
    rm -rf "$state"
}
trap end EXIT

chmod 755 "$state"
mkdir -p "$state/munge" "$state/save" "$state/one" "$state/two"
chmod 700 "$state/munge"
head -c 1024 /dev/urandom > "$state/munge/key"
chmod 600 "$state/munge/key"
munged=$(PATH=$PATH:/usr/sbin command -v munged)
"$munged" --foreground --force --key-file="$state/munge/key" --socket="$state/munge.socket" --pid-file="$state/munge/pid" \
    --log-file="$state/munge.log" --seed-file="$state/munge/seed" 2> /dev/null &
processes+=($!)

port=$((20000 + $$ % 20000))
host=$(hostname -s)
cat > "$state/slurm.conf" <<CONF
ClusterName=takt
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$state/munge.socket
CredType=cred/munge
SlurmctldPort=$port
SlurmctldPidFile=$state/slurmctld.pid
SlurmdPidFile=$state/%n.pid
SlurmdSpoolDir=$state/%n
StateSaveLocation=$state/save
SlurmctldLogFile=$state/slurmctld.log
SlurmdLogFile=$state/%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
ReturnToService=2
KillWait=2
SlurmdParameters=config_overrides
SchedulerParameters=batch_sched_delay=0,sched_interval=1
NodeName=one NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + 1)) CPUs=2
NodeName=two NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + 2)) CPUs=2
PartitionName=all Nodes=one,two Default=YES MaxTime=10 State=UP
CONF
export SLURM_CONF=$state/slurm.conf
PATH=$PATH:/usr/sbin
slurmctld -D -c -f "$SLURM_CONF" > /dev/null 2>&1 &
processes+=($!)
for node in one two; do
    slurmd -D -N "$node" -f "$SLURM_CONF" > /dev/null 2>&1 &
    processes+=($!)
done
for _ in $(seq 100); do
    [ "$(sinfo --noheader --format=%t:%D 2> /dev/null)" = idle:2 ] && break
    sleep 0.2
done
[ "$(sinfo --noheader --format=%t:%D 2> /dev/null)" = idle:2 ] ||
    cannot "its nodes do not start: $(cat "$state"/*.log 2> /dev/null | grep -i error | head -3)"
"$@"
