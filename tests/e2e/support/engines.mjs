/*
 * The engines of JavaScript that 'npm ci' has installed, or those of images:
 * see image_store.py.
 */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { contained } from './program.mjs';

/* The packages of the tests. */
export const modules = path.join(process.env.CAISSON_SERVERS ?? path.join(
  path.dirname(fileURLToPath(import.meta.url)), '..'), 'node_modules');

const arch = { x64: ['x64', 'x64'], arm64: ['aarch64', 'arm64'] }[process.arch];

/* [name, variables that choose it, options of its tests] */
export const engines = Object.entries({
  bun: `@oven/bun-linux-${arch[0]}/bin/bun`,
  deno: `@deno/linux-${arch[1]}-glibc/deno`,
  node: `node-linux-${arch[1]}/bin/node`,
}).map(([name, place]) => [name, path.join(modules, place)]).map(
  ([name, place]) => [name, contained ?
    { CAISSON_IMAGE: `localhost/caisson-test:${name}` } :
    { CAISSON_JAVASCRIPT: place }, fs.existsSync(place) ? {} :
    { skip: `${name} is not installed: run 'npm ci' in tests/e2e` }]);
