"""What the engines of JavaScript offer code: imports of files, threads, native
code, networks. The other cases run below a program of each engine, too.
"""
from cases.resources import MORE_MEMORY
from table import JavaScript, case

RELAY = "one's own call at most: the invariants hold after it"
BROKEN = "~\\[.*protocol violation.*\\]"
MEMORY = "watchdog DATA AS"
STOPPED = "~(?!.*all of it).*(ran out of memory|refused|SIG|exit).*"
# Writing to the relay. deno does so only for itself; its children inherit the
# pipe.
RELAYED = """
const send = (data) => globalThis.Deno ?
  child.spawnSync("/bin/sh", ["-c", "cat >&4"], { input: data }) :
  fs.writeSync(4, data);
"""
OUTSIDE = "/opt/caisson", "/usr", "/etc", "/"


def javascript(number, tries, expected, **options):
    """Add the function below, which returns code in JavaScript, as a case."""
    return case(number, tries, expected, script=JavaScript, **options)


@javascript("J1", "import a file of the host in every way", "nothing",
            without="old_root landlock")
def imports(host):
    secret = host["folder"] + "/secret.txt"
    return """
const secret = %r.split("").reverse().join("");
const path = "/tmp/link";
fs.symlinkSync("../../../../../../.." + %r, path);
fs.symlinkSync("/.." + %r, path + ".json");
const at = "/.." + %r;
const tells = (seen) => {
  const text = [seen?.default, seen?.message, seen?.stack, seen]
    .map((part) => part instanceof Uint8Array ? Buffer.from(part).toString() :
      typeof part === "object" ? JSON.stringify(part) : part);
  return text.join().includes(secret);
};
const statement = (url, type) => `import x from ${JSON.stringify(url)} with {
  type: "${type}" }; export default x;`;
const data = (text) => import("data:application/typescript," +
  encodeURIComponent(text));
const require = createRequire("file:///tmp/x.mjs");
const inside = (text, name) => {
  fs.writeFileSync("/tmp/" + name, text);
  return import("/tmp/" + name);
};
const attempts = {
  readFile: () => fs.readFileSync(at, "utf8"),
  copy: () => fs.copyFileSync(at, "/tmp/c") ?? fs.readFileSync("/tmp/c"),
  link: () => fs.readFileSync(path, "utf8"),
  require: () => require(path + ".json"),
  plain: () => import(path),
  url: () => import("file://" + path),
  blob: () => import(URL.createObjectURL(new Blob([statement(path, "text")],
    { type: "text/javascript" }))),
  statement: () => inside(statement(path, "text"), "s.mjs"),
  "export": () => inside(`export * from "file://${path}"`, "e.ts"),
  worker: () => new Promise((_, reject) =>
    new Worker(path).on("error", reject)),
  // What a worker or another engine runs first is a root module of its own.
  "worker-import": () => {
    fs.writeFileSync("/tmp/w.mjs", statement(path, "text") +
      `import { parentPort } from "node:worker_threads";
      parentPort.postMessage(x);`);
    return new Promise((resolve, reject) =>
      new Worker("/tmp/w.mjs").on("message", resolve).on("error", reject));
  },
  root: () => {
    fs.writeFileSync("/tmp/r.mjs", statement(path, "text") + "console.log(x)");
    const done = child.spawnSync(process.execPath, [
      ...(globalThis.Deno ? ["run"] : []), "/tmp/r.mjs"]);
    return `${done.stdout}${done.stderr}`;
  },
  fetch: async () => (await fetch("file://" + path)).text(),
};
for (const type of ["text", "json", "bytes", "file", "toml"]) {
  attempts[type] = () => import(path, { with: { type } });
  attempts["url-" + type] = () => import("file://" + path, { with: { type } });
  attempts["data-" + type] = () => data(statement("file://" + path, type));
}
return await reached(attempts, (seen) => tells(seen));
""" % (host["terces"], secret, secret, secret)


@javascript("J2", "change what the bootstrap uses, then end", "~alive.*",
            shown="a process of its own: it breaks itself")
def pollute(host):
    return """
fs.writeSync(1, "alive\\n");
const evil = () => { throw new Error("evil"); };
for (const one of [Object, Array, Map, Set, Promise, String, RegExp, Function,
    Error, Uint8Array, Symbol, JSON, Reflect, Buffer])
  for (const place of [one, one.prototype])
    for (const name of place ? Reflect.ownKeys(place) : [])
      try {
        if (typeof place[name] === "function" && name !== "constructor" &&
            one !== Promise && one !== Function)
          place[name] = evil;
      } catch { /* it cannot be changed */ }
Object.prototype.type = "done";
Object.prototype.exit = 0;
process.exit(0);
"""


@javascript("J3", "the same, where a call is made then: only it may fail",
            "~(one|none).*", shown="a process of its own: it breaks itself")
def pollute_calls(host):
    return """
Object.prototype.toJSON = () => ({ type: "done", exit: 0 });
Object.prototype.server = "odd";
Array.prototype[Symbol.iterator] = function* () { yield "forged"; };
JSON.stringify = () => '{"type":"ready"}';
JSON.parse = () => ({ payload: { success: true } });
Promise.prototype.then = (() => { throw 1; });
let seen = "none";
try { seen = runtime.listServers() && "one"; } catch { /* it was broken */ }
fs.writeSync(1, seen + "\\n");
process.exit(0);
"""


@javascript("J4", "garbage for the relay", BROKEN, shown=RELAY)
def garbage(host):
    return RELAYED + """
const data = Buffer.alloc(1 << 15, Buffer.from([0, 255]));
data[data.length - 1] = 10;
send(data);
await ended();
"""


@javascript("J5", "frames that claim that all is well", BROKEN, shown=RELAY)
def forged_frames(host):
    return RELAYED + """
for (const frame of ['{"type":"ready"}', '{"type":"done","exit":0}',
    '{"type":"stdout","data":"forged"}', "{}", "[]", "null", "1"])
  try { send(frame + "\\n"); } catch { /* it is closed */ }
await ended();
"""


@javascript("J6", "close the pipes of the relay", "alive", shown=RELAY)
def closed_pipes(host):
    return """
for (const fd of [3, 4])
  try { fs.closeSync(fd); } catch { /* it is closed */ }
return "alive";
"""


@javascript("J7", "threads and their heaps without end (bounded: 36)",
            "~(?!.*many workers).*", without="NPROC " + MEMORY)
def workers(host):
    # No more: the descriptors of a box are enough for these in each engine.
    return """
const made = [];
const source = `require("node:worker_threads").parentPort.postMessage(1);
  setTimeout(() => {}, 60000)`;
for (let i = 0; i < 36; i++)
  made.push(new Promise((resolve, reject) => {
    const worker = new Worker(source, { eval: true });
    worker.on("message", resolve).on("error", reject);
  }));
const up = (await Promise.allSettled(made))
  .filter(({ status }) => status === "fulfilled").length;
fs.writeSync(1, up === 36 ? "many workers\\n" : "few workers\\n");
process.exit(0);
"""


@javascript("J8", "processes without end (bounded: 64)",
            "~(?!.*64 processes).*", without="NPROC " + MEMORY)
def processes(host):
    return """
const made = [];
for (let i = 0; i < 64; i++)
  made.push(child.spawn("/bin/sleep", ["60"], { stdio: "ignore" }));
await Promise.all(made.map((one) => new Promise((resolve) =>
  one.on("spawn", resolve).on("error", resolve))));
fs.writeSync(1, made.filter(({ pid }) => pid).length + " processes\\n");
process.exit(0);
"""


@javascript("J9", "memory: a heap of objects (bounded: 250 MiB)", STOPPED,
            without=MEMORY, settings=MORE_MEMORY)
def heap(host):
    return """
const kept = [];
try {
  for (let i = 0; i < 1.25e6; i++)
    kept.push(new Array(20).fill(i + 0.5));
} catch (error) { return "refused " + error.name; }
fs.writeSync(1, "all of it\\n");
process.exit(kept.length ? 0 : 1);
"""


@javascript("J10", "memory: array buffers (bounded: 600 MiB)", STOPPED,
            without=MEMORY)
def buffers(host):
    return """
const kept = [];
try {
  for (let i = 0; i < 10; i++)
    kept.push(new Uint8Array(60 * MIB).fill(i + 1));
} catch (error) { return "refused " + error.name; }
fs.writeSync(1, "all of it\\n");
process.exit(kept.length ? 0 : 1);
"""


@javascript("J11", "memory: strings (bounded: 240 MiB)", STOPPED,
            without=MEMORY, settings=MORE_MEMORY)
def strings(host):
    return """
const kept = [];
try {
  for (let i = 0; i < 4; i++)
    kept.push(Buffer.alloc(60 * MIB, "ab" + i).toString("latin1"));
} catch (error) { return "refused " + error.name; }
fs.writeSync(1, "all of it\\n");
process.exit(kept.length ? 0 : 1);
"""


@javascript("J12", "memory: that of WebAssembly (bounded: 600 MiB)", STOPPED,
            without=MEMORY)
def wasm_memory(host):
    return """
try {
  const memory = new WebAssembly.Memory({ initial: 1, maximum: 65536 });
  memory.grow(9600);
  new Uint8Array(memory.buffer).fill(7);
} catch (error) { return "refused " + error.name; }
fs.writeSync(1, "all of it\\n");
process.exit(0);
"""


def endless(number, what, code):
    """Add a case of code that does not end, here until the time END."""
    @javascript(number, "run without end: " + what, "[timeout]", timeout=1,
                later=40)
    def loop(host):
        return "const end = Date.now() + %d;\n%s\nreturn \"ended\";" % (
            host["lasts"] * 1000, code)
    return loop


endless("J13a", "a loop", "while (Date.now() < end);")
endless("J13b", "promises, before any event", """
while (Date.now() < end)
  await null;""")
endless("J13c", "timers and ticks", """
process.on("SIGTERM", () => {});
await new Promise((resolve) => {
  const again = () => Date.now() < end ? process.nextTick(again) : resolve();
  setImmediate(again);
});""")
endless("J13d", "a regular expression", """
while (Date.now() < end)
  /^(a|a)+(b|c)$/.test("a".repeat(24) + "!");""")
endless("J13e", "WebAssembly", """
// (func (export "f") (param i32) (loop (br_if 0 (local.tee 0 (i32.sub
//   (local.get 0) (i32.const 1))))))
const { instance } = await WebAssembly.instantiate(Uint8Array.from([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 1, 127, 0, 3, 2, 1, 0, 7, 5, 1, 1,
  102, 0, 0, 10, 16, 1, 14, 0, 3, 64, 32, 0, 65, 1, 107, 34, 0, 13, 0, 11,
  11]));
while (Date.now() < end)
  instance.exports.f(1 << 28);""")
endless("J13f", "a worker", """
const worker = new Worker(`const end = ${end};
  while (Date.now() < end);`, { eval: true });
await new Promise((resolve) => worker.on("exit", resolve));""")


@javascript("J14", "open a connection to the host in every way", "nothing",
            without="seccomp net landlock")
def connections(host):
    return """
const port = %d, host = "127.0.0.1";
const opened = (socket) => new Promise((resolve, reject) => {
  socket.on("connect", () => resolve(socket.destroy())).on("error", reject);
});
const { default: http } = await import("node:http");
const attempts = {
  net: () => opened(net.connect(port, host)),
  http: () => opened(http.get({ host, port }).on("socket",
    function (socket) { socket.on("connect", () => this.emit("connect")); })),
};
if (globalThis.Bun)
  attempts.Bun = async () => (await Bun.connect({ hostname: host, port,
    socket: { data() {} } })).end();
if (globalThis.Deno)
  attempts.Deno = async () =>
    (await Deno.connect({ hostname: host, port })).close();
return await reached(attempts);
""" % host["port"]


@javascript("J15", "run a program of one's own", "nothing",
            without="noexec landlock")
def own_program(host):
    return """
const attempts = {};
for (const place of ["/tmp", "/workspace", "/dev/shm"])
  attempts[place] = () => {
    fs.copyFileSync("/bin/true", place + "/true");
    fs.chmodSync(place + "/true", 0o755);
    const done = child.spawnSync(place + "/true");
    if (done.status !== 0)
      throw done.error ?? new Error("refused");
  };
return await reached(attempts);
"""


@javascript("J16", "load native code of one's own", "nothing",
            without="noexec")
def own_addon(host):
    return """
const path = "/tmp/own.node";
const library = ["x86_64-linux-gnu", "aarch64-linux-gnu"]
  .map((name) => `/usr/lib/${name}/libm.so.6`).find(fs.existsSync);
fs.copyFileSync(library, path);
// Code that was loaded and is no addon says so: it has no such symbol.
const loaded = (seen) => !(seen instanceof Error) ||
  /self-register|napi_register|symbol/i.test(seen.message);
const attempts = {
  dlopen: () => process.dlopen({ exports: {} }, path),
  require: () => createRequire("/tmp/x.js")(path),
};
if (globalThis.Bun)
  attempts.ffi = async () => (await import("bun:ffi")).dlopen(path, {
    floor: { args: ["f64"], returns: "f64" } });
if (globalThis.Deno)
  attempts.Deno = () => Deno.dlopen(path, {
    floor: { parameters: ["f64"], result: "f64" } });
return await reached(attempts, (seen) => loaded(seen));
"""


@javascript("J17", "system calls by libraries of the machine", "refused",
            without="seccomp", engines=("bun", "deno"))
def foreign_calls(host):
    return """
// A socket of AF_NETLINK.
const open = globalThis.Bun ?
  async () => (await import("bun:ffi")).dlopen("libc.so.6", {
    socket: { args: ["i32", "i32", "i32"], returns: "i32" } }) :
  async () => Deno.dlopen("libc.so.6", {
    socket: { parameters: ["i32", "i32", "i32"], result: "i32" } });
try {
  return (await open()).symbols.socket(16, 3, 0) >= 0 ? "ok" : "refused";
} catch { return "refused"; }
"""


@javascript("J18", "bindings of the engine: files and processes of the host",
            "nothing", without="old_root landlock", engines=("node", "bun"))
def bindings(host):
    return """
const secret = %r.split("").reverse().join("");
const at = "/.." + %r;
const attempts = {
  fs: () => process.binding("fs").readFileUtf8(at, 0),
  open: () => {
    const bound = process.binding("fs");
    return fs.readFileSync(bound.open(at, 0, 0o666), "utf8");
  },
  shell: () => child.execFileSync("/bin/cat", [at], { encoding: "utf8" }),
};
return await reached(attempts, (seen) => String(seen).includes(secret));
""" % (host["terces"], host["folder"] + "/secret.txt")


@javascript("J19", "make a database outside of the box's folders", "nothing",
            without="ro landlock")
def databases(host):
    return """
const attempts = {};
for (const place of %s) {
  const path = place + "/own.db";
  attempts[place] = async () => {
    const made = globalThis.Bun ?
      new (await import("bun:sqlite")).Database(path) :
      new (await import("node:sqlite")).DatabaseSync(path);
    made.exec("create table t (a)");
    made.close();
    fs.statSync(path);
  };
}
return await reached(attempts);
""" % str(list(OUTSIDE))


def leave_for_the_next(host):
    return """
for (const place of ["/tmp", "/workspace", process.env.HOME,
    process.env.DENO_DIR, process.env.TMPDIR])
  try {
    fs.mkdirSync(place + "/node_modules/left", { recursive: true });
    fs.writeFileSync(place + "/node_modules/left/index.js", "export default 1");
  } catch { /* there is no such place */ }
try { localStorage.setItem("left", "1"); } catch { /* there is none */ }
try { caches.open("left"); } catch { /* there are none */ }
return "ok";
"""


@javascript("J20", "find what an earlier box left for the engine", "nothing",
            before=leave_for_the_next,
            shown="each box is new: there is nothing to take away")
def left_by_an_earlier(host):
    return """
return await reached({
  module: () => import("left"),
  file: () => import("/tmp/node_modules/left/index.js"),
  storage: () => {
    if (!globalThis.localStorage?.getItem("left"))
      throw new Error("none");
  },
});
"""


@javascript("J21", "kill(-1): all that one may", "alive",
            shown="as 39a, which is bounded; the host's processes still live")
def kill_all(host):
    return """
try { process.kill(-1, "SIGKILL"); } catch { /* there is no other process */ }
return "alive";
"""


@javascript("J22", "the host's files through a directory that was left open",
            "nothing", under="fds", without="landlock")
def left_open(host):
    return """
const attempts = {};
for (const fd of fs.readdirSync("/proc/self/fd"))
  attempts[fd] = () => fs.readFileSync(`/proc/self/fd/${fd}%s`);
return (await reached(attempts)).replace(/\\d+/, "host");
""" % (host["folder"] + "/secret.txt")
