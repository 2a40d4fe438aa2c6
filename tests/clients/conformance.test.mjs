/*
 * The official conformance suite of MCP, with the requirements of two versions:
 * against caisson-fixtures, which has all that the suite asks for, and against
 * the program itself, which has fewer tools than the suite wants to see
 * (expected-failures-VERSION.yml); and its scenarios for clients, against code
 * that calls a server by its URL.
 *
 *   CAISSON_FIXTURES  path of caisson-fixtures (see meson.build)
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import path from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { binary, folder, installedWith } from '../e2e/support/program.mjs';
import { serveProxied } from './support.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const suite = path.join(here, 'node_modules/.bin/conformance');
const fixtures = path.resolve(process.env.CAISSON_FIXTURES ??
  path.join(path.dirname(binary), 'tests/clients/caisson-fixtures'));

/* Runs the suite; returns its exit status and what it says. */
function run(t, version, more) {
  const child = spawn(process.execPath, [suite, ...more, '--requirements',
    version, '-o', folder(t)], { stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, CAISSON: binary } });
  let said = '';

  child.stdout.on('data', (data) => {
    said += data;
  });
  child.stderr.on('data', (data) => {
    said += data;
  });
  return new Promise((resolve) => child.once('close', (status) =>
    resolve({ status, said })));
}

const judge = (t, url, version, more = []) =>
  run(t, version, ['server', '--url', url, ...more]);
const expected = (version) => ['--expected-failures',
  path.join(here, `expected-failures-${version}.yml`)];

for (const version of ['2025-11-25', '2026-07-28']) {
  test(`the suite finds nothing wrong with ${version}`, async (t) => {
    const { url } = await serveProxied(t, { program: installedWith(t, fixtures) });
    const { status, said } = await judge(t, url, version);

    assert.equal(status, 0, said);
    assert.match(said, /Total: [1-9]\d+ passed/);
  });

  test(`the program has what ${version} requires of it`, async (t) => {
    const { url } = await serveProxied(t);
    const { status, said } = await judge(t, url, version,
      expected(version));

    assert.equal(status, 0, said);
  });

  test(`a server by a URL is spoken to as ${version} requires`, async (t) => {
    const { status, said } = await run(t, version, ['client', '--command',
      `/usr/bin/python3 ${path.join(here, 'conformance_client.py')}`,
      '--timeout', '120000',  // each client runs the program three times
      ...expected(version)]);

    assert.equal(status, 0, said);
    /* Also the extensions, which the requirements do not score. */
    assert.match(said, /Total: [1-9]\d+ passed, 0 failed/);
  });
}
