/*
 * What containers do not keep of the promises of native boxes, by the table of
 * the program, and as its selftest lists it.
 */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { fileURLToPath } from 'node:url';

const table = fileURLToPath(new URL(
  '../../../supervisor/box/container/missing_promises.def', import.meta.url));

/* The promises that containers do not keep, in order. */
export function notKept() {
  const rows = [...fs.readFileSync(table, 'utf8').matchAll(
    /^CONTAINER_LACKS\("(.*)"\)$/gm)];

  assert.equal(rows.length, 9);
  return rows.map(([, promise]) => promise);
}

/* The same, as "selftest -v" has printed it. */
export const toldMissing = (printed) =>
  [...printed.matchAll(/^note  native boxes only +(.*)$/gm)]
    .map(([, promise]) => promise);
