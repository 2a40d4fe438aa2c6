"""What a script of the shell can do besides what its programs can."""
from table import Shell, case

SERVE = "what serves the calls is a process of the box with the rights of the "


@case("S1", "write malformed names of calls, and bad frames", "alive",
      script=Shell, shown=SERVE + "code: it checks each request")
def bad_requests(host):
    return """
cd /tmp/.caisson
head -c 100000 /dev/urandom > requests
printf '\\n1-1\\n../../workspace/x\\n/etc/passwd\\n2-2\\n' > requests
for text in '{"type":"run"}' '{"type":"list_servers"},"id":1,"x":{' \\
    '{"type":"cancel","id":1}' '[' ''; do
  mkfifo 3-3; printf '%s' "$text" > 3-3.request
  (sleep 0.1; echo 3-3 > requests) & timeout 2 cat 3-3 > /dev/null
done
mcp servers > /dev/null 2>&1
rm -rf /tmp/.caisson
echo alive
"""


@case("S2", "end what serves the calls", "1 alive", script=Shell,
      shown=SERVE + "code: its end fails calls")
def end_serve(host):
    return """
for each in /proc/[0-9]*; do
  read -r name < $each/comm
  [ "$name" = mcp-serve ] && kill -9 "${each#/proc/}"
done
mcp servers 2> /dev/null; echo $? alive
"""


@case("S3", "run a program of one's own, and one by the loader", "refused",
      script=Shell, without="noexec landlock")
def own_program(host):
    return """
for place in /tmp /workspace /dev/shm; do
  cp /bin/true $place/true && chmod 755 $place/true
  $place/true 2> /dev/null && ran=$place
done
echo ${ran:-refused}
"""


@case("S4", "change the command mcp, or put a program beside it", "refused",
      script=Shell, without="ro landlock")
def change_command(host):
    return """
cd /opt/caisson/bin
chmod u+w mcp 2> /dev/null && echo >> mcp && changed=mcp
cp /bin/true own 2> /dev/null && ./own && changed=own
echo ${changed:-refused}
"""


@case("S5", "the same, by the mount alone", "refused", script=Shell,
      under="landlock", without="ro")
def change_command_by_mount(host):
    return change_command(host)


@case("S6", "open a connection of the shell's own: /dev/tcp", "refused",
      script=Shell, without="seccomp net landlock")
def own_connection(host):
    return """
exec 2> /dev/null
(exec 3<> /dev/tcp/127.0.0.1/%d) && echo connected || echo refused
""" % host["port"]


@case("S7", "jobs without end (bounded: 64)", "[exit 254]", script=Shell,
      timeout=60, without="NPROC")
def jobs(host):
    return """
exec 2> /dev/null
for i in $(seq 64); do sleep 5 & done
echo too many
"""


@case("S8", "memory of many processes (bounded: 8 of 40 MiB)",
      "~.*ran out of memory.*", script=Shell, timeout=60,
      without="watchdog DATA AS")
def much_memory(host):
    return """
for i in 1 2 3 4 5 6 7 8; do
  /usr/bin/python3 -c 'x = b"x" * (40 << 20); import time; time.sleep(3)' &
done
wait
echo all of it
"""
