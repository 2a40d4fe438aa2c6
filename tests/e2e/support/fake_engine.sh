#!/bin/sh
# Stands in for docker or podman, whichever it is called: notes its arguments in
# the file LOG beside it, and its environment in ENVIRONMENT. A container is a
# process of this machine, without any isolation; an image that is a language is
# a shell. The file RUN beside it says how the next ones behave, WANTS which
# volumes or annotations an image has, LIST which containers there are, FILLED
# with "yes" that the last one ran out of memory, with "hang", "fails" or
# "floods" that the engine does not say, and TRIAL how the trial ends. With
# "down" no command works, with HOLD beside it "rm" waits until that is gone,
# and with BEGUN it fails: the engine is removing the container already.
here=$(dirname -- "$0")
printf '%s\n' "$*" >> "$here/LOG"
env > "$here/ENVIRONMENT"
if [ "$(cat "$here/RUN" 2>/dev/null)" = down ]; then
    echo 'Cannot connect to the Docker daemon at unix:///x.' >&2
    [ "$1" = run ] && exit 125
    exit 1
fi

# The process of the container.
contain() {
    [ -n "$box" ] || exec ${first:+"$first" --} ${command:-/bin/sh}
    exec env HOME="$here" TMPDIR=/tmp /usr/bin/python3 -I -X utf8 \
        "$box/python/three.py"
}

case $1 in
run) ;;
ps)
    case $* in
    *--quiet*) exit 0 ;;
    esac
    cat "$here/LIST" 2>/dev/null; exit 0 ;;
rm)
    while [ -e "$here/HOLD" ]; do sleep 0.02; done
    [ ! -e "$here/BEGUN" ]
    exit ;;
events)
    name=$(sed -n 's/^run --name \([^ ]*\) .*/\1/p' "$here/LOG" | tail -1)
    case $(cat "$here/FILLED" 2>/dev/null) in
    yes) echo "${name}0"; echo "$name" ;;
    other) echo "${name}0" ;;
    hang) exec sleep 1000 ;;
    fails) echo 'cannot reach its daemon' >&2; exit 1 ;;
    floods) yes | head -c 2000000 ;;
    esac
    exit 0 ;;
image)
    case $* in
    *.Config.Volumes* | *.Annotations*) cat "$here/WANTS" 2>/dev/null; exit 0 ;;
    esac
    printf 'sha256:%064d true tongue 1\n' 7; exit 0 ;;
*) exit 0 ;; # no process is found by "inspect": no files
esac
for last; do
    case $before in
    --init-path) first=$last ;;
    esac
    case $last in
    type=bind,source=*) box=${last#type=bind,source=} box=${box%%,*} ;;
    esac
    before=$last
done
case $last in
*/trial.py)
    echo 'it is broken' >&2
    exit "$(cat "$here/TRIAL" 2>/dev/null || echo 0)" ;;
esac
case $(cat "$here/RUN" 2>/dev/null) in
daemon)
    echo 'docker: Cannot connect to the Docker daemon at unix:///x.' >&2
    exit 125 ;;
machine)
    echo 'Cannot connect to Podman. Please verify your connection, or try' \
        '`podman machine init` and `podman machine start`' >&2
    exit 125 ;;
image) echo 'docker: Error response: No such image: x' >&2; exit 125 ;;
command)
    echo 'exec: "python3": executable file not found in $PATH' >&2
    exit 127 ;;
garbage) echo '{"type":"ready"}'; echo garbage; exec sleep 1000 ;;
died) kill -SEGV $$ ;;
hang) trap '' TERM; sleep 1000; exit 0 ;;
fails*) set -- $(cat "$here/RUN"); echo "${0##*/}: it is broken" >&2; exit $2 ;;
missing) command=/missing ;;
noisy) yes >&2 & ;;
endless) exec yes ;;
slow) # longer than a native box may take to end
    exec 3<&0
    contain <&3 3<&- &
    wait $!
    status=$?
    exec > /dev/null 2>&1
    sleep 12
    exit $status ;;
late | lost*)
    set -- $(cat "$here/RUN")
    exec 3<&0
    contain <&3 3<&- &
    if [ "$1" = lost ]; then
        until [ -e "$here/LOSE" ]; do sleep 0.02; done
        kill -9 $!
    fi
    wait $!
    exit "${2:-125}" ;;
esac
contain
