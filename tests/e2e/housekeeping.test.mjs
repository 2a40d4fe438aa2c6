/*
 * What a server that runs for years needs: limits of single tokens, what is
 * removed with time, and a state directory that is full or away for a while.
 */
import assert from 'node:assert/strict';
import test from 'node:test';
import { patiently } from './support/program.mjs';
import { serveTcp } from './support/serve.mjs';
import { add, caisson, clientOf, run } from './support/tokens.mjs';

patiently();

/* A client with a token that was made with these flags. */
const clientWith = (t, { url, home }, name, ...flags) =>
  clientOf(t, url, add(home, name, ...flags));

/* A file of holes costs its box nothing. */
const leave = (client, name, bytes) => client.text(
  `open("out/${name}", "wb").truncate(${bytes})\nNone`);

test('a token has its own limit of files', async (t) => {
  const served = await serveTcp(t);
  const small = clientWith(t, served, 'small', '--files-max', '2m');
  const other = clientWith(t, served, 'other');

  assert.match(caisson(served.home, 'token', 'list'), /^small .*; files of 2m$/m);
  assert.match(await leave(small, 'x', 3 << 20), /x was not kept: it is larger than all files of this owner may be \(2\.0 MiB, by its token\): the operator can make another token with a larger --files-max/);
  assert.match(await leave(small, 'x', 1 << 20), /file: x/);
  assert.match(await leave(small, 'y', 3 << 19), /y was not kept: this owner keeps 1 files of 1\.0 MiB, and may keep 2\.0 MiB, by its token: remove some \('caisson files remove --owner small'\), or let the operator make another token/);
  assert.match(await leave(other, 'x', 3 << 20), /file: x/);
  caisson(served.home, 'token', 'revoke', 'small');
  assert.match(await leave(clientWith(t, served, 'small'), 'y', 3 << 19),
    /file: y/);
});
