/*
 * What caisson-serve(7) shows operators works as it stands there: proxies with
 * its configuration, a backup while calls run, and the figures to watch.
 */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import path from 'node:path';
import test from 'node:test';
import { campaign, ended, folder, settings } from './support/program.mjs';
import { fetchAt, serve, serveTcp } from './support/serve.mjs';
import { add, caisson, clientOf, last, run, said } from './support/tokens.mjs';
import { until, within } from './support/wait.mjs';

settings.CAISSON_ARGUMENTS = 'code,timeout,conversationId';

const page = fs.readFileSync(
  new URL('../../man/caisson-serve.7.in', import.meta.url), 'utf8');
const host = 'mcp.example.org';
const links = 'https://links.example.org';

/* The one example of the page that has these words, as readers see it. */
function shown(words) {
  const found = [...page.matchAll(/^\.Bd -literal.*\n([^]*?)^\.Ed$/gm)]
    .map(([, text]) => text.replaceAll('\\-', '-').replaceAll('\\e', '\\'))
    .filter((text) => text.includes(words));

  assert.equal(found.length, 1, words);
  return found[0];
}

/* Its commands, without those of a service manager. */
const commands = (words) => shown(words).replace(/ \\\n\s+/g, ' ').split('\n')
  .filter((line) => line.startsWith('$ ') && !line.includes('systemctl'))
  .map((line) => line.slice(2));

const installed = (program) => ['/usr/sbin', '/usr/bin', '/usr/local/sbin',
  '/usr/local/bin'].map((at) => path.join(at, program))
  .find((at) => fs.existsSync(at));

/* As the page says, but for the ports; nginx has one without TLS, too. */
const proxies = {
  nginx: (at, port, service, tls) => [['-p', at, '-e', 'stderr', '-c'],
    `daemon off; master_process off; pid ${at}/pid; events {} http {
${['client_body', 'proxy', 'fastcgi', 'scgi', 'uwsgi'].map((part) =>
    `${part}_temp_path ${at}/${part};`).join('\n')}
server { listen 127.0.0.1:${port};
${shown('ssl_certificate').replace('443', `127.0.0.1:${tls}`)
    .replaceAll('/etc/ssl', at)}
${shown('proxy_pass').replace('8080', service)}}}`],
  caddy: (at, port, service) => [['run', '--adapter', 'caddyfile', '--config'],
    `{\nadmin off\n}\n${shown('reverse_proxy').replace('8080', service)
      .replace(/^mcp.example.org/, `http://${host}:${port}`)}`],
};

const freePort = () => new Promise((resolve) => {
  const server = net.createServer().listen(0, '127.0.0.1', () => {
    const { port } = server.address();

    server.close(() => resolve(port));
  });
});

/* The service, with the settings of the page, behind such a proxy. */
async function proxied(t, name) {
  const [home, at] = [folder(t), folder(t)];
  const token = add(home, 'one');

  for (const line of commands('trust_proxy'))
    caisson(home, ...line.replace(':8080', ':0').split(' ').slice(1));
  caisson(home, 'config', 'set', 'public_url', links);

  const { url, log } = await serveTcp(t, { home, listen: null });
  const [port, tls] = [await freePort(), await freePort()];
  const [args, config] = proxies[name](at, port, new URL(url).port, tls);
  const [made] = commands('openssl req');

  assert.equal(spawnSync('sh', ['-c', made.replaceAll('/etc/ssl', at)]).status,
    0);

  fs.writeFileSync(path.join(at, 'config'), config);

  const proxy = spawn(installed(name), [...args, 'config'],
    { cwd: at, env: { HOME: at }, stdio: ['ignore', 'ignore', 'pipe'] });
  const gone = new Promise((resolve) => { proxy.once('exit', resolve); });
  let errors = '';

  proxy.stderr.on('data', (data) => { errors += data; });
  t.after(() => proxy.kill('SIGKILL') && within(gone, `the end of ${name}`));
  await until(() => {
    assert.equal(proxy.exitCode, null, errors);
    return fetch(`http://127.0.0.1:${port}`).catch(() => null);
  }, () => `${name}: ${errors}`);

  /* Asks through it, from an address that is not that of the proxy. */
  const from = '127.0.0.3';
  const origin = `http://127.0.0.1:${port}`;
  const get = (place, as = token) => fetchAt(t, undefined,
    { token: as, from })(origin + place, { headers: { Host: host } });
  const call = (code, headers, as = token) =>
    clientOf(t, `${origin}/mcp`, as, { from }).post({ method: 'tools/call',
      params: { name: 'run_python', arguments: { code, timeout: 100 },
        _meta: { progressToken: 1 } } }, { Host: host, ...headers });

  /* By TLS, with a certificate that it checks: the bytes of an answer. */
  const secure = (place) => new Promise((resolve, reject) => {
    https.get({ host: '127.0.0.1', port: tls, path: place, servername: host,
      ca: fs.readFileSync(path.join(at, 'mcp.pem')),
      headers: { Host: host, Authorization: `Bearer ${token}` } },
    (answer) => resolve(answer.toArray().then(Buffer.concat)))
      .on('error', reject);
  });

  return { home, token, port, log, get, call, secure };
}

for (const name of Object.keys(proxies)) {
  test(`${name} as the page shows it`, {
    skip: installed(name) ? false : `${name} is not installed`,
  }, async (t) => {
    const { home, token, port, log, get, call, secure } =
      await proxied(t, name);

    /* Caddy 2.6 may drop an answer that begins at once: the page says so. */
    const holds = async (what) => name === 'caddy' ?
      until(what, `${what}`) : assert.ok(await what(), `${what}`);

    /* Events come at once, and who leaves is noticed. */
    await holds(async () => {
      const events = await call('runtime.progress(1, 2)\nwhile True: pass');
      let told = '';

      for await (const part of
        events.body.pipeThrough(new TextDecoderStream()))
        if (/"progress":1\b/.test(told += part))
          return true;
      return false;
    });
    await until(() => /cancelled/.test(caisson(home, 'calls', 'list')),
      'the end of its call');

    /* A file is sent on while it comes, and is not limited by the proxy. */
    const files = path.join(home, '.local/state/caisson/files');
    const bytes = randomBytes(24 << 20);
    const sending = http.request({ host: '127.0.0.1', port, method: 'PUT',
      path: '/files/talk/a%20b', headers: { Host: host,
        Authorization: `Bearer ${token}`, 'Content-Length': bytes.length } });
    const answered = new Promise((resolve, reject) => {
      sending.on('response', resolve).on('error', reject);
    });

    sending.write(bytes.subarray(0, 8 << 20));
    await until(() => fs.existsSync(files) &&
      fs.readdirSync(files).some((one) => one[0] === 't'), 'a file that comes');
    sending.end(bytes.subarray(8 << 20));
    assert.equal((await answered).statusCode, 201);

    /* A link, whose path and query stay as they are, needs no token. */
    const link = caisson(home, 'files', 'link', '--owner', 'one',
      '--conversation', 'talk', 'a b');
    const got = await Promise.all([get('/files/talk/a%20b'),
      get(link.replace(links, ''), '')]);

    assert.ok(link.startsWith(`${links}/files/one/talk/a%20b?`));
    for (const answer of got)
      assert.ok(bytes.equals(Buffer.from(await answer.arrayBuffer())));
    if (name === 'nginx')
      assert.ok(bytes.equals(await secure('/files/talk/a%20b')));

    /* The host is passed on, and another one refused; so are other paths. */
    await holds(async () => /"text":"42"/.test(
      await (await call('print(6 * 7)')).text()));
    assert.doesNotMatch(await (await call('1', { Host: 'evil.example' }))
      .text(), /result/);
    assert.doesNotMatch(await (await get('/metrics')).text(), /caisson/);

    /* The address is that of the client, whatever it says. */
    await call('1', { 'X-Forwarded-For': '192.0.2.9' }, 'wrong');
    await said(log, /127\.0\.0\.3 has sent a token that is not valid/);
    assert.doesNotMatch(log(), /192\.0\.2\.9/);

    /* A long call without events is waited for. */
    if (!campaign.skip)
      assert.equal((await last(await call('import time\ntime.sleep(70)\n7',
        { Accept: 'application/json' }))).result.content[0].text, '7');
  });
}

test('a backup that was made while calls run is restored', {
  skip: installed('sqlite3') ? false : 'sqlite3 is not installed',
}, async (t) => {
  const home = folder(t);
  const token = add(home, 'one');
  /* tar has 1 where files came or went. */
  const does = async (lines) => assert.equal((await ended(t, { home,
    program: '/bin/bash', args: ['-ec', [
      'tar() { command tar "$@" || [ $? = 1 ]; }', ...lines].join('\n')],
  })).code, 0);

  caisson(home, 'config', 'set', 'log_level', 'info');

  const first = await serveTcp(t, { home });
  const client = clientOf(t, first.url, token);

  await client.run('open("/data/note", "w").write("kept")',
    { conversationId: 'talk' });
  await client.run('save_memory("answer", 42)');

  const { _meta } = await client.run('print("printed")');
  const call = () => run(home, 'calls', 'show', _meta['caisson/execution'])
    .stdout;

  await until(() => /printed/.test(call()), 'the record of a call');

  /* Calls of several clients, which keep all kinds of things. */
  const done = [0, 0, 0];
  let stopped = false;
  const load = done.map(async (_, n) => {
    while (!stopped) {
      assert.match(await client.text(`
save_memory("load${n}", ${done[n] + 1})
open("/workspace/out/load${n}", "w").write("${done[n] + 1}")
print("x" * 20000)`), /^x+/);
      done[n]++;
    }
  });

  await until(() => done.every((count) => count > 2), 'calls');

  const before = [...done];

  await does(commands('sqlite_master'));
  await until(() => done.every((count, n) => count > before[n]), 'calls');
  stopped = true;
  await Promise.all(load);
  first.child.kill('SIGTERM');
  await within(first.ended, 'the end of serving');
  await does(commands('state.tar\n$ cp'));

  /* The copy: a new start on it finds all, for the same token. */
  const again = await serveTcp(t, { home });
  const { text } = clientOf(t, again.url, token);

  assert.equal(await text('print(open("/data/note").read())',
    { conversationId: 'talk' }), 'kept');
  assert.equal(await text('print(load_memory("answer"))'), '42');
  assert.match(call(), /printed/);
  for (const n of done.keys()) {
    assert.ok(await text(`print(load_memory("load${n}"))`) >= before[n]);
    assert.ok(caisson(home, 'files', 'show', '--owner', 'one', `load${n}`) >=
      before[n]);
  }
  assert.doesNotMatch(again.log(), /damaged|removed|cannot/);
  assert.ok(fs.existsSync(path.join(home, 'backup/config.tar')));
});

test('the page says what each figure means, and names no other', async (t) => {
  const figures = path.join(folder(t), 'figures.sock');

  await serve(t, { sockets: 2,
    args: ['--metrics-listen', `unix:${figures}`] });

  const text = await (await fetchAt(t, figures)('http://localhost/metrics'))
    .text();
  const names = (found) => [...new Set(found.map(([, name]) =>
    name.replace(/_seconds_(sum|count)$/, '_seconds')))].sort();

  assert.deepEqual(names([...page.matchAll(/\b(caisson_\w+)/g)]),
    names([...text.matchAll(/^# TYPE (\S+)/gm)]));
});
