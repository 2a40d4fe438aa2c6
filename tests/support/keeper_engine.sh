#!/bin/sh
# A stand-in for podman and docker, for tests of what becomes of a container
# when its engine fails. It records its command lines in the folder $FAKE, and
# keeps a file there for each container, with the process of the code.
#
# The files run, rm and ps in the folder say how these commands behave, and code
# is the shell line that the container runs. By default a container runs until
# it is removed.
command=$1
for name; do :; done # the last argument

record() {
    echo "$*" >> "$FAKE/log"
}

# The process of the code runs in a session of its own, as in an engine, and is
# recorded before the code runs. A shell gives its input to no process in the
# background, unless by another number.
create() {
    exec 3<&0
    setsid sh -c 'echo $$ > "$0.new"; mv "$0.new" "$0"; eval "$1"' \
        "$FAKE/container.$name" "$(cat "$FAKE/code")" <&3 3<&- &
    code=$!
}

# An engine removes a container that has ended (--rm).
end() {
    wait "$code"
    status=$?
    rm -f "$FAKE/container.$name"
    echo end
    exit $status
}

hang() {
    trap '' TERM
    echo x
    while :; do sleep 1000; done
}

# The time that the keeper gives to this command has passed.
late() {
    : > "$FAKE/late"
    kill -CHLD $PPID
}

run() {
    case $(cat "$FAKE/run" 2>/dev/null) in
    hang) hang ;;                      # before there is a container
    deaf) create; hang ;;              # it does not see its end
    2|12[567]) create; exit "$(cat "$FAKE/run")" ;; # created, and an error
    crash) create; kill -SEGV $$ ;;
    *) create; end ;;
    esac
}

remove() {
    case $(cat "$FAKE/rm" 2>/dev/null) in
    hang) late; hang ;;
    fail) exit 1 ;;
    once) rm "$FAKE/rm"; exit 1 ;;
    begun)                             # it is being removed for a while
        test "$(grep -c '^rm' "$FAKE/log")" -lt 6 ||
            rm -f "$FAKE/container.$name"
        exit 1 ;;
    wait) echo x; while test -e "$FAKE/rm"; do sleep 0.02; done ;;
    esac
    test -e "$FAKE/container.$name" || exit 0
    kill -KILL "$(cat "$FAKE/container.$name")" 2>/dev/null
    rm -f "$FAKE/container.$name"
}

# Prints the container if it exists.
list() {
    case $(cat "$FAKE/ps" 2>/dev/null) in
    hang) late; hang ;;
    late) late ;;
    fail) exit 1 ;;
    esac
    if test -e "$FAKE/container.$name"; then echo "$name"; fi
}

record "$@"
case $command in
run) run "$@" ;;
rm) fds=$(readlink /proc/$$/fd/0 /proc/$$/fd/1 /proc/$$/fd/2)
    echo "$fds" >> "$FAKE/fds"
    remove ;;
ps) list ;;
*) exit 2 ;;
esac
