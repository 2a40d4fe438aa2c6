/*
 * The root module of the engine, in a fresh box: descriptor 0 is empty, 1 and 2
 * are the raw pipes of the code, 3 and 4 those of the relay (see
 * relay/frames.c). It says that it is ready, reads one frame, and runs the code
 * of that frame as a module. That is never the root module, whose imports some
 * engines check less.
 */
import { writeSync } from 'node:fs';
import { Wire } from './mcp/wire.mjs';

const BROKEN = 70; // EX_SOFTWARE, as for every protocol violation
const SOON = 2; // milliseconds in which code comes that a box was made for
const { bun, deno } = process.versions;
const name = bun ? 'bun' : deno ? 'deno' : 'node';
const engine = await import(`./engines/${name}.mjs`);

/* Ends, as the code cannot run. */
function refuse(reason) {
  writeSync(2, `caisson: the code was not run: ${reason}\n`);
  process.exit(BROKEN);
}

/* Returns the run frame; a box that waits gets ready for it meanwhile. */
async function receive(wire) {
  const coming = wire.readFrame();
  const { install, rehearse, Program } = await import('./program/program.mjs');
  install(engine);
  const late = new Promise((resolve) => {
    setTimeout(resolve, SOON, null);
  });
  if (await Promise.race([coming, late]) === null)
    await rehearse(engine);
  return { Program, frame: await coming };
}

const refusal = engine.refusal();
if (refusal !== null)
  refuse(refusal);
const wire = new Wire();
wire.send({ type: 'ready' });
const { Program, frame } = await receive(wire);
if (frame?.type !== 'run')
  refuse('the relay sent no run frame');
let program;
try {
  program = new Program(engine, wire, frame);
  await program.prepare();
} catch (error) {
  refuse(error.message);
}
program.start();
