/*
 * What containers do not keep of the promises of native boxes, by the table of
 * the program, and as its selftest lists it.
 */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { fileURLToPath } from 'node:url';

const table = fileURLToPath(new URL(
  '../../../supervisor/box/container_kept.def', import.meta.url));
const columns = ['podman', 'docker', 'oci'];

/* The promises that containers of a runtime do not keep, in order. */
export function notKept(runtime) {
  const rows = [...fs.readFileSync(table, 'utf8').matchAll(
    /^CONTAINER_KEPT\("(.*)", ([01]), ([01]), ([01])\)$/gm)];

  assert.equal(rows.length, 10);
  return rows.filter((row) => row[2 + columns.indexOf(runtime)] === '0')
    .map(([, promise]) => promise);
}

/* The same, as "selftest -v" has printed it. */
export const toldMissing = (printed) =>
  [...printed.matchAll(/^note  native boxes only +(.*)$/gm)]
    .map(([, promise]) => promise);
