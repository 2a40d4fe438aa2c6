/*
 * Files of servers that cannot be read while the program serves: missing,
 * empty or half written for a moment, as editors and clients leave them;
 * broken or deleted for good; not trusted any more; and readers that are
 * killed.
 */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test, { describe as together } from 'node:test';
import { descendants } from './support/processes.mjs';
import { file, folder, withoutPool } from './support/program.mjs';
import { Raw } from './support/raw.mjs';
import {
  assertServes, attempt, configure, hostile, serving, unserved, withServers,
} from './support/servers.mjs';
import { until } from './support/wait.mjs';

withoutPool();

/* Less than the time for which a missing file keeps what it said last. */
const moment = 1500;

const counted = async (raw, server = 'h') =>
  JSON.parse((await attempt(raw, server, 'counter')).text);

/* All that an answer says, in whatever form. */
const said = (result) => JSON.stringify(result.content);

const discovered = async (raw) => JSON.parse((await raw.printed(
  'import json\nprint(json.dumps(runtime.discovered_servers()))'))[0]);

/*
 * What programs do to a file while they save it, or before they fail to; each
 * leaves it so that it cannot be read, and undo() puts it back.
 */
const breaks = {
  'it is moved away': (place) => {
    fs.renameSync(place, `${place}.old`);
    return () => fs.renameSync(`${place}.old`, place);
  },
  'it is deleted and made again': (place) => {
    const text = fs.readFileSync(place);

    fs.unlinkSync(place);
    return () => fs.writeFileSync(place, text, { mode: 0o644 });
  },
  'it is truncated': (place) => {
    const text = fs.readFileSync(place);

    fs.truncateSync(place);
    return () => fs.writeFileSync(place, text);
  },
  'it is half written': (place) => {
    const text = fs.readFileSync(place);

    fs.truncateSync(place, Math.floor(text.length / 2));
    return () => fs.writeFileSync(place, text);
  },
};

/* A file of a client, which may be blank, and one that is named. */
const kinds = {
  'a file of a client': (t, entries) => {
    const home = folder(t);
    const place = path.join(home, '.claude.json');

    configure(place, entries);
    return { home, place };
  },
  'a file that is named': withServers,
};

for (const [kind, prepare] of Object.entries(kinds))
  test(`${kind} cannot be read for a moment`, async (t) => {
    const entry = hostile();
    const options = prepare(t, { h: entry });
    let raw = await Raw.open(t, options);
    let { pid, count } = await counted(raw);

    for (const [what, change] of Object.entries(breaks))
      /*
       * Where the machine was too busy for that to be a moment: once more, in
       * another program, as this one has reason to say something.
       */
      for (let tries = 0; tries < 9; tries++) {
        const began = Date.now();
        const undo = change(options.place);
        const result = await raw.run(
          'print((await mcp_h.counter()).text)', { servers: ['h'] });
        const short = Date.now() - began < moment;

        undo();
        if (!short) {
          /* By now the server may be unknown, but never another one. */
          if (result.isError)
            assert.match(said(result), /server/, what);
          else
            assert.equal(JSON.parse(result.structuredContent.stdout[0]).pid,
              pid, what);
          await raw.finish();
          await unserved(entry);
          raw = await Raw.open(t, options);
          ({ pid, count } = await counted(raw));
          t.diagnostic(`${what}: too slow to be judged`);
          continue;
        }
        count += 1;
        assert.equal(result.isError, false, `${what}: ${said(result)}`);
        assert.deepEqual(JSON.parse(result.structuredContent.stdout[0]),
          { pid, count }, what);
        assert.doesNotMatch(said(result), /note:/, what);
        count += 1;
        assert.deepEqual(await counted(raw), { pid, count }, what);
        break;
      }
    assert.doesNotMatch(raw.errors, /refused|stale|\.json/);
    await raw.finish();
    await unserved(entry);
  });

/* These wait until the last content of a file is stale: side by side. */
together('what lasts', { concurrency: true }, () => {
  test('a file that stays broken keeps its servers', async (t) => {
    const entry = hostile();
    const options = withServers(t, { h: entry });
    const raw = await Raw.open(t, options);
    const text = fs.readFileSync(options.place, 'utf8');
    const run = async (code = 'print("as ever")') =>
      raw.run(code, { servers: ['h'] });
    const noted = async (reason) => {
      const note = `servers of ${options.place} are stale: ${reason}; its ` +
        'last valid content is used until it is fixed or deleted';
      const result = await until(async () => {
        const answer = await run();

        return said(answer).includes('stale') && answer;
      }, 'a note');

      assert.equal(result.isError, false);
      assert.deepEqual(result.structuredContent.notes, [note]);
      assert.match(said(await run('raise SystemExit(3)')), /stale/,
        'a failed call says so, too');
    };

    await run('print((await mcp_h.counter()).text)');
    const [{ pid }] = serving(entry);

    fs.writeFileSync(options.place, '{\n  "mcpServers" 5\n');
    await noted('line 2, column 16: \'5\' where a colon should be');
    fs.truncateSync(options.place);
    await noted('is empty');
    assert.match(said(await run('print((await mcp_h.counter()).text)')),
      new RegExp(`${pid}`), 'the process is the same');
    await until(() => /are stale: is empty; its last valid content/
      .test(raw.errors), 'a line in the log');

    fs.writeFileSync(options.place, text);
    assert.doesNotMatch(said(await run()), /stale|note/);
    await raw.finish();
    await unserved(entry);
  });

  test('a file that is gone for good takes its servers with it', async (t) => {
    const home = folder(t);
    const entries = { a: hostile(), b: hostile() };

    fs.mkdirSync(path.join(home, 'MCPs'));
    for (const [name, entry] of Object.entries(entries))
      configure(path.join(home, `MCPs/${name}.json`), { [name]: entry });
    const raw = await Raw.open(t, { home });

    await assertServes(raw, 'a');
    await assertServes(raw, 'b');
    fs.unlinkSync(path.join(home, 'MCPs/a.json'));
    await until(async () => (await discovered(raw)).join() === 'b',
      'the end of what the file said');
    await unserved(entries.a);
    assert.match(said(await raw.run('1', { servers: ['a'] })),
      /unknown server \\"a\\": .*configured: \\"b\\"/);
    await assertServes(raw, 'b');
    await raw.finish();
  });
});

test('a refusal names the file and what is wrong with it', async (t) => {
  const place = file(t, 'servers.json', '{\n  "mcpServers" 5\n');
  const raw = await Raw.open(t, { env: { CAISSON_SERVERS_CONFIG: place } });
  const refused = async () => {
    const result = await raw.run('print("it ran")', { servers: ['h'] });

    assert.equal(result.structuredContent.status, 'validation_error');
    return result.content[0].text;
  };

  assert.ok((await refused()).includes(`${place} is refused: line 2, column ` +
    '16: \'5\' where a colon should be'));
  fs.unlinkSync(place);
  assert.ok((await refused()).includes(`${place} is refused: cannot be ` +
    'opened: No such file or directory'));
  configure(place, { other: hostile() });
  assert.doesNotMatch(await refused(), /servers\.json/);
  /* What it said last is in force; what is missing may be in the new one. */
  fs.writeFileSync(place, '{ "mcpServers": { "other": {}, "h": ');
  assert.match(await refused(), /configured: "other"; servers of .* are stale/);
  await raw.finish();
});

test('a reader that is killed is started again', async (t) => {
  const home = folder(t);
  const entry = hostile();
  const place = path.join(home, '.claude.json');
  const raw = await Raw.open(t, { home,
    env: { CAISSON_LOG_LEVEL: 'info' } });
  const killed = () =>
    /the reader exited while it read this; starting another/.test(raw.errors);
  const history = 'x'.repeat(30_000_000);

  /* Until one is killed while it reads. */
  await until(async () => {
    let over = false;

    fs.writeFileSync(`${place}.new`,
      JSON.stringify({ history, mcpServers: { h: entry } }));
    fs.renameSync(`${place}.new`, place);
    const call = raw.run('print((await mcp_h.counter()).text)',
      { servers: ['h'] }).finally(() => {
      over = true;
    });
    const reader = await until(() => over || descendants(raw.pid).find(
      ({ name }) => name.startsWith('reader')), 'a reader');

    if (reader !== true)
      try {
        process.kill(reader.pid, 'SIGKILL');
      } catch (error) {
        assert.equal(error.code, 'ESRCH');
      }
    const result = await call;

    assert.equal(result.isError, false, said(result));
    return killed();
  }, 'a reader to be killed');
  assert.equal(serving(entry).length, 1);
  await raw.finish();
});

test('readers that are killed time and again cost their file only', async (t) => {
  const home = folder(t);
  const entry = hostile();
  const place = path.join(home, '.claude.json');
  const raw = await Raw.open(t, { home });
  const history = 'x'.repeat(30_000_000);
  const ask = () => raw.run('print((await mcp_h.counter()).text)',
    { servers: ['h'] });

  await until(async () => {
    let over = false;

    fs.writeFileSync(place,
      JSON.stringify({ history, mcpServers: { h: entry } }));
    const call = ask().finally(() => {
      over = true;
    });

    while (!over) {
      for (const { name, pid } of descendants(raw.pid))
        try {
          if (name.startsWith('reader'))
            process.kill(pid, 'SIGKILL');
        } catch (error) {
          assert.equal(error.code, 'ESRCH');
        }
      await new Promise(setImmediate);
    }
    const result = await call;

    return result.isError &&
      said(result).includes('the reader exited while it read this');
  }, 'two readers of a file to be killed');
  const result = await ask();

  assert.equal(result.isError, false, said(result));
  await raw.finish();
});
