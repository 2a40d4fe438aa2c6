/*
 * The root module of the engine, in a fresh box: descriptor 0 is empty, 1 and 2
 * are the raw pipes of the code, 3 and 4 those of the relay (see
 * relay/frames.c). It says that it is ready, reads one frame, and runs the code
 * of that frame as a module. That is never the root module, whose imports some
 * engines check less.
 */
import * as fs from 'node:fs';

import * as wires from './mcp/wire.mjs';

const BROKEN = 70; // EX_SOFTWARE, as for every protocol violation
const SOON = 20; // milliseconds in which code comes that a box was made for
const READY = '{"type":"ready"}\n';
const { bun, deno } = process.versions;
const name = bun ? 'bun' : deno ? 'deno' : 'node';
/* Code comes meanwhile; the other engines may have to refuse it. */
if (bun)
  Bun.write(Bun.file(4), READY);
const engine = await import(`./engines/${name}.mjs`);

/* Ends, as the code cannot run. */
function refuse(reason) {
  fs.writeSync(2, `caisson: the code was not run: ${reason}\n`);
  process.exit(BROKEN);
}

const refusal = engine.refusal();
if (refusal !== null)
  refuse(refusal);
let made;
/* Returns the connection; most code needs none but what reads its frame. */
const wire = () => made ??= new wires.Wire(bun ? { first: { fd: 3 } } : {});
if (!bun)
  wire().send(JSON.parse(READY));
const first = bun ? engine.first(3) : wire();
const { install, rehearse, Program } = await import('./program/program.mjs');
install(engine);
if (!await first.hasFrame(SOON)) // the box is one that waits
  await rehearse(engine, wire);
const frame = await first.readFrame();
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
