/*
 * The root module of the engine, in a fresh box of WebAssembly: receives one
 * run frame as worker/box/javascript/bootstrap.mjs does, and runs the module
 * of it by the engine's own node:wasi. The module has no descriptor but its
 * standard streams and the directories of the call, and calls no tools.
 */
import { Wire } from './mcp/wire.mjs';
import { takeInput } from './program/input.mjs';
import { writeAll } from './program/output.mjs';
import { found } from './found.mjs';
import { compiled, entered, imported, Unfit } from './module.mjs';

const BROKEN = 70; // EX_SOFTWARE, as for every protocol violation
const UNFIT = 126; // as of a shell: what is there cannot be executed
const TRAPPED = 134; // as of other runtimes, and of abort()
const FRAMES = 10;
const { bun, deno, node } = process.versions;
const engine = bun ? `bun ${bun}` : deno ? `deno ${deno}` : `node ${node}`;
const workspace = process.cwd();
const { exit } = process;

/* Ends, with a sentence. */
function end(status, sentence) {
  try {
    writeAll(2, Buffer.from(`caisson: ${sentence}\n`));
  } finally {
    exit(status);
  }
}

/* Returns the class of the engine that has the functions of WASI. */
async function load() {
  process.emitWarning = () => {}; // that it is new
  try {
    const { WASI } = await import('node:wasi');
    new WASI({ version: 'preview1' });
    return WASI;
  } catch {
    return end(BROKEN, `the code was not run: ${engine} has no WASI: use ` +
      'bun, deno 2.9 or later, or Node.js 20 or later (CAISSON_JAVASCRIPT, or ' +
      'in a container CAISSON_IMAGE)');
  }
}

/* Returns the directories of the call, by the names that the module knows. */
function directories(data) {
  const preopens = { '/workspace': workspace, '.': process.cwd() };
  return data === null ? preopens : { ...preopens, '/data': data };
}

/* Returns the frames of the module in a stack. */
const frames = (stack) => String(stack).split('\n')
  .filter((line) => /wasm[-:]/.test(line)).slice(0, FRAMES)
  .map((line) => `\n    ${line.trim()}`).join('');

/* Runs what a frame has, to its end. */
function run(WASI, frame) {
  const { name, bytes, data } = found(frame.code, workspace);
  const wasi = new WASI({ version: 'preview1', returnOnExit: true,
    args: [name, ...frame.arguments ?? []], env: frame.environment ?? {},
    preopens: directories(data) });
  const module = compiled(bytes);
  const imports = imported(module, wasi.wasiImport ??
    wasi.getImportObject().wasi_snapshot_preview1);
  return entered(module, imports, (instance) => wasi.start(instance));
}

const wire = new Wire();
wire.send({ type: 'ready' });
const coming = wire.readFrame();
const WASI = await load();
const frame = await coming;
if (frame?.type !== 'run')
  end(BROKEN, 'the code was not run: the relay sent no run frame');
if (frame.code.trim() === '--version') {
  writeAll(1, Buffer.from(`${engine}\n`));
  exit(0);
}
try {
  takeInput(frame);
  exit(run(WASI, frame) ?? 0);
} catch (error) {
  if (error instanceof Unfit)
    end(UNFIT, `the module was not run: ${error.message}`);
  end(TRAPPED, `the module was ended: ${error.message
    .replace(/ \(evaluating .*\)$/, '')}${frames(error.stack)}`);
}
