/*
 * The root module of the engine, in a fresh box: descriptor 0 is empty, 1 and 2
 * are the raw pipes of the code, 3 and 4 those of the relay (see
 * relay/frames.c). It says that it is ready, reads one frame, and runs the code
 * of that frame as a module. That is never the root module, whose imports some
 * engines check less.
 */
import { Wire } from './mcp/wire.mjs';
import { complain } from './program/report.mjs';
import { Program } from './program/program.mjs';

const BROKEN = 70; // EX_SOFTWARE, as for every protocol violation
const { bun, deno } = process.versions;
const name = bun ? 'bun' : deno ? 'deno' : 'node';
const engine = await import(`./engines/${name}.mjs`);

/* Ends, as the code cannot run. */
function refuse(reason) {
  complain(`caisson: the code was not run: ${reason}\n`);
  process.exit(BROKEN);
}

const refusal = engine.refusal();
if (refusal !== null)
  refuse(refusal);
engine.fault('let ready: boolean = true'); // the first time takes longest
const wire = new Wire();
wire.send({ type: 'ready' });
const frame = await wire.readFrame();
if (frame?.type !== 'run')
  refuse('the relay sent no run frame');
let program;
try {
  program = new Program(engine, wire, frame);
} catch (error) {
  refuse(error.message);
}
program.start();
