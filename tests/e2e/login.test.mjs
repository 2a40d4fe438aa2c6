/*
 * Logins at remote servers: a person agrees in a browser, the tokens are kept
 * and renewed, and are shown to no other.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import crypto from 'node:crypto';
import fs from 'node:fs';
import https from 'node:https';
import path from 'node:path';
import test from 'node:test';
import { serveAuthority } from './support/authority.mjs';
import { text } from './support/files.mjs';
import { descendants } from './support/processes.mjs';
import { commandLine, file, folder, once, ran, uid } from './support/program.mjs';
import { certificate } from './support/remote.mjs';
import { connect, run } from './support/sdk.mjs';
import { serveTcp } from './support/serve.mjs';
import { hostile, withServers } from './support/servers.mjs';
import { add, clientOf } from './support/tokens.mjs';
import { until } from './support/wait.mjs';

const call = 'print((await mcp_far.echo(a=1)).text)';
const attempt = `try:
    ${call}
except runtime.MCPError as error:
    print(error)`;

/* The server of an authority, as the program knows it. */
function known(t, authority, more = {}, env = {}) {
  return { ...withServers(t, { far: { url: authority.url, ...more } },
    { env: { CAISSON_LOG_LEVEL: 'debug', ...env } }), home: folder(t) };
}

/* Runs "servers login", with a browser that visits what is printed. */
async function logIn(options, { verb = 'login', args = [], paste } = {}) {
  const [command, ...words] = commandLine({ ...options,
    args: ['servers', verb, 'far', ...args] });
  const child = spawn(command, words, { stdio: ['pipe', 'pipe', 'pipe'] });
  const said = { out: '', err: '' };
  const end = new Promise((resolve) => child.once('close', resolve));

  child.stdout.on('data', async (data) => {
    const before = /^ {2}http/m.test(said.out);

    said.out += data;
    const url = /^ {2}(http\S+)\n/m.exec(said.out)?.[1];

    if (before || !url)
      return;
    said.argv = descendants(process.pid).map(({ pid }) => cmdline(pid)).join();
    said.url = new URL(url);
    if (paste)
      child.stdin.write(`${await paste(url)}\n`);
    else
      said.page = await (await fetch(url)).text();
  });
  child.stderr.on('data', (data) => {
    said.err += data;
  });
  said.status = await end;
  return said;
}

function cmdline(pid) {
  try {
    return ['cmdline', 'environ'].map((name) =>
      fs.readFileSync(`/proc/${pid}/${name}`, 'latin1')).join();
  } catch {
    return '';
  }
}

/* Where the browser is sent to, without going there. */
const redirect = async (url) =>
  (await fetch(url, { redirect: 'manual' })).headers.get('location');

const kept = ({ home }, owner = '-') =>
  path.join(home, '.local/state/caisson/logins', owner, 'far');

/* Nobody but the directory of the login has these secrets. */
async function hides(secrets, options, { client, log, pid }, more = []) {
  const seen = [log(), ...more,
    ran({ ...options, args: ['servers', 'list', '--json'] }).stdout,
    ran({ ...options, args: ['calls', 'list', '--json'] }).stdout,
    ...descendants(pid).map((each) => cmdline(each.pid)),
    JSON.stringify(await run(client, `import os
print(os.environ, await runtime.list_tools("far"),
      runtime.describe_server("far"), (await mcp_far.echo()).json())`)),
    ...fs.readdirSync(options.home, { recursive: true, withFileTypes: true })
      .filter((each) => each.isFile() && each.name !== 'login')
      .map((each) => fs.readFileSync(path.join(each.parentPath ?? each.path,
        each.name), 'latin1'))].join();

  for (const secret of secrets)
    assert.ok(!seen.includes(secret), secret);
}

test('a call says how to log in, and works after it', async (t) => {
  const authority = await serveAuthority(t);
  const options = known(t, authority);
  const first = await connect(t, options);

  assert.match(text(await run(first.client, attempt)),
    /answered 401: it wants a login: log in by 'caisson servers login far'/);

  const login = await logIn(options);

  assert.deepEqual([login.status, login.out.split('\n').at(-2)],
    [0, 'Logged in, with the scopes read']);
  assert.match(login.page, /can be closed/);
  const query = login.url.searchParams;

  assert.equal(query.get('code_challenge_method'), 'S256');
  assert.equal(query.get('resource'), authority.url);
  assert.deepEqual(authority.registrations[0].redirect_uris,
    [query.get('redirect_uri')]);
  assert.match(query.get('redirect_uri'),
    /^http:\/\/127\.0\.0\.1:\d+\/callback$/);
  assert.equal(fs.statSync(kept(options)).mode & 0o777, 0o700);
  assert.equal(fs.statSync(path.join(kept(options), 'login')).mode & 0o777,
    0o600);
  assert.equal(text(await run(first.client, call)), '{"a":1}');

  const list = ran({ ...options, args: ['servers', 'list'] }).stdout;

  assert.match(list, /login +the local user, renewed when it is used/);

  await hides(authority.secrets, options, first,
    [login.out, login.err, login.argv, list]);

  const left = await logIn(options, { verb: 'logout' });

  assert.deepEqual([left.status, left.out], [0, 'Logged out\n']);
  assert.equal(authority.revoked.length, 1);
  assert.deepEqual(fs.readdirSync(kept(options)), []);
  assert.match((await logIn(options, { verb: 'logout' })).err,
    /server "far": there is no login/);
});

test('one execution uses a process, a login and a resource at once', once,
  async (t) => {
    const authority = await serveAuthority(t);
    const options = { ...withServers(t, { far: { url: authority.url },
      near: hostile(), third: hostile('lists=paged:1') }), home: folder(t) };

    await logIn(options);
    const { client } = await connect(t, options);

    assert.equal(text(await run(client, `import asyncio
print([each.text[:13] for each in await asyncio.gather(mcp_near.echo(a=1),
    mcp_far.echo(a=2), mcp_third.read_resource("r:0"))])`)),
    `['{"a":1}', '{"a":2}', '{"uri":"r:0",']`);
  });

test('the address can be pasted, and each owner logs in for itself',
  async (t) => {
    const authority = await serveAuthority(t);
    const first = await serveTcp(t, known(t, authority));
    const { url, home } = first;
    const tokens = ['ann', 'bob'].map((name) => add(home, name));
    const [ann, bob] = tokens.map((token) => clientOf(t, url, token));
    const wants = (text) => assert.match(text,
      /it wants a login: log in by 'caisson servers login far --owner \w+'/);
    const options = { ...known(t, authority), home };

    wants(await ann.text(attempt));
    const login = await logIn(options, { args: ['--owner', 'ann'],
      paste: redirect });

    assert.equal(login.status, 0, login.err);
    assert.deepEqual(fs.readdirSync(kept(options, 'ann')), ['login']);
    assert.equal(await ann.text(call), '{"a":1}');
    wants(await bob.text(attempt));

    /* Nor are its tools shown to others, when they are remembered. */
    first.child.kill('SIGTERM');
    await first.ended;
    authority.valid.clear();
    authority.refresh.clear();
    const again = await serveTcp(t, options);
    const [ann2, bob2] = tokens.map((token) => clientOf(t, again.url, token));
    const list = `try:
    print(*(tool["name"] for tool in await runtime.list_tools("far")))
except runtime.MCPError as error:
    print(error)`;

    assert.equal(await ann2.text(list), 'echo');
    wants(await bob2.text(list));
    assert.doesNotMatch(await bob2.text(
      'print(await runtime.search_tool_docs("echo"))'), /echo/);
  });

test('an authorization server may have a certificate of its own', once, async (t) => {
  const tls = certificate(t, 'IP:127.0.0.1');
  const authority = await serveAuthority(t, { tls });
  const options = known(t, authority, {},
    { CAISSON_CA_FILE: file(t, 'ca.pem', tls.cert) });
  const paste = (url) => new Promise((resolve) => {
    https.get(url, { ca: tls.cert }, ({ headers }) =>
      resolve(headers.location));
  });

  assert.match((await logIn(known(t, authority), { paste })).err,
    /server "far": .* https:\/\/127\.0\.0\.1:\d+ .*: CAISSON_CA_FILE names/);
  assert.equal((await logIn(options, { paste })).status, 0);
  const { client } = await connect(t, options);

  assert.equal(text(await run(client, call)), '{"a":1}');
  authority.expire();
  assert.equal(text(await run(client, call)), '{"a":1}');
});

test('a server that is removed takes its logins along', async (t) => {
  for (const [metadata, revoked, said] of [[{}, 2, /^$/],
    [{ revocation_endpoint: 'http://127.0.0.1:1/' }, 0,
      /could not be told that the tokens are no longer used: .*127.0.0.1:1 /]]) {
    const authority = Object.assign(await serveAuthority(t), { metadata });
    const options = { home: folder(t) };

    add(options.home, 'ann');
    assert.equal(ran({ ...options,
      args: ['servers', 'add', 'far', '--', authority.url] }).status, 0);
    for (const args of [[], ['--owner', 'ann']])
      assert.equal((await logIn(options, { args })).status, 0);
    const gone = await logIn(options, { verb: 'remove' });

    assert.equal(gone.status, 0);
    assert.match(gone.out, /^Removed "far" from .*\nLogged out\nLogged out\n$/);
    assert.match(gone.err, said);
    assert.equal(authority.revoked.length, revoked);
    for (const owner of ['-', 'ann'])
      assert.ok(!fs.existsSync(kept(options, owner)));
  }
});

test('a token that has expired is renewed once, by one of several', once, async (t) => {
  const authority = await serveAuthority(t);
  const options = known(t, authority);

  await logIn(options);
  const both = await Promise.all([connect(t, options), connect(t, options)]);

  for (const { client } of both)
    await run(client, call);
  for (let round = 1; round <= 2; round++) {
    let go;

    authority.slow = new Promise((resolve) => {
      go = resolve;
    });
    authority.expire();
    const results = both.map(({ client }) => run(client, `import asyncio
print(len(await asyncio.gather(*[mcp_far.echo(a=n) for n in range(5)])))`));

    await until(() => authority.grants.length === 1 + round, 'a request');
    await until(() => authority.remote.heard.filter(({ message }) =>
      message?.method === 'tools/call').length >= 2 + round * 10,
    'all calls');
    go();
    assert.deepEqual((await Promise.all(results)).map(text), ['5', '5']);
    assert.equal(authority.grants.length, 1 + round);
  }
});

test('a refusal to renew ends the login, but no newer one', async (t) => {
  const authority = await serveAuthority(t);
  const options = known(t, authority);

  await logIn(options);
  const { client } = await connect(t, options);

  await run(client, call);
  authority.expire();
  authority.refresh.clear();
  assert.match(text(await run(client, attempt)), new RegExp('answered 401: ' +
    'its login has ended: .* has refused it: invalid_grant: it was used ' +
    "before: log in by 'caisson servers login far'"));
  const asked = authority.grants.length;

  assert.match(text(await run(client, attempt)), /its login has ended/);
  assert.equal(authority.grants.length, asked);
  assert.match(ran({ ...options, args: ['servers', 'list'] }).stdout,
    /^ {4}login +the local user, ended \d{4}-/m);
  await logIn(options);
  assert.equal(text(await run(client, call)), '{"a":1}');
});

test('a call that needs more rights says so, and a login asks for them', once,
  async (t) => {
    const authority = await serveAuthority(t);
    const options = known(t, authority);

    await logIn(options);
    const { client } = await connect(t, options);

    authority.scopes = ['write'];
    assert.match(text(await run(client, attempt)), new RegExp('answered 403: ' +
      'it wants more rights than the login has \\(write\\): log in by ' +
      "'caisson servers login far'"));
    assert.match((await logIn(options)).out, /with the scopes read write\n/);
    assert.equal(text(await run(client, call)), '{"a":1}');
  });

test('a client of its own, and one without a login', once, async (t) => {
  const authority = await serveAuthority(t, { registers: false });
  const oauth = { clientId: 'us', clientSecret: '${SECRET}' };
  const env = { SECRET: 'between&us' };
  const basic = `Basic ${btoa('us:between%26us')}`;

  assert.match((await logIn(known(t, authority))).err,
    /registers no clients by itself: register one there/);
  assert.equal((await logIn(known(t, authority, { oauth }, env))).status, 0);
  assert.equal(authority.grants[0].authorization, basic);

  const own = known(t, authority, { oauth: { ...oauth, scopes: ['read', 'all'],
    grant: 'client_credentials' } }, env);
  const { client } = await connect(t, own);

  assert.equal(text(await run(client, call)), '{"a":1}');
  authority.expire();
  assert.equal(text(await run(client, call)), '{"a":1}');
  assert.deepEqual(authority.grants.slice(1).map((each) =>
    [each.grant_type, each.scope, each.authorization]),
  Array(2).fill(['client_credentials', 'read all', basic]));
});

/* The claims of a token whose signature this key has made. */
function verified(token, { publicKey }) {
  const [head, claims, signature] = token.split('.');

  assert.ok(crypto.verify('sha256', `${head}.${claims}`,
    { key: publicKey, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url')));
  return [head, claims].map((part) =>
    JSON.parse(Buffer.from(part, 'base64url')));
}

test('a client proves by a key who it is', once, async (t) => {
  const authority = await serveAuthority(t, { registers: false });

  for (const [kind, alg] of [['ec', 'ES256'], ['rsa', 'RS256']]) {
    const pair = crypto.generateKeyPairSync(kind,
      { namedCurve: 'P-256', modulusLength: 2048 });
    const pem = pair.privateKey.export({ type: 'pkcs8', format: 'pem' });
    const place = file(t, 'key.pem', pem);
    const key = kind === 'ec' ? { privateKey: '${KEY}', kid: 'k' } :
      { privateKeyFile: place, audience: 'them' };
    const options = known(t, authority, { oauth: { clientId: 'us',
      clientSecret: 'unsaid', ...key } }, { KEY: pem.replaceAll('\n', '\\n') });

    if (kind === 'rsa') {
      fs.chownSync(place, uid, uid);
      assert.match((await logIn(options)).err, new RegExp('"far": its oauth: ' +
        'privateKeyFile \\S+ is open to other users \\(fix: chmod 600 /'));
      fs.chmodSync(place, 0o600);
    }
    assert.equal((await logIn(options)).status, 0);
    authority.expire();
    const started = await connect(t, options);

    assert.equal(text(await run(started.client, call)), '{"a":1}');
    await hides([pem.split('\n')[1], 'unsaid'], options, started);
    assert.doesNotMatch(fs.readFileSync(path.join(kept(options), 'login'),
      'utf8'), /PRIVATE KEY/);

    const grants = authority.grants.splice(0);
    const [first, second] = grants.map(({ client_assertion: assertion }) =>
      verified(assertion, pair));
    const { iat, exp, jti, ...claims } = first[1];

    assert.deepEqual(grants.map((each) => each.grant_type),
      ['authorization_code', 'refresh_token']);
    assert.deepEqual(first[0], { typ: 'JWT', alg, ...key.kid && { kid: 'k' } });
    assert.deepEqual(claims, { iss: 'us', sub: 'us',
      aud: key.audience ?? authority.issuer });
    assert.ok(!grants.some((each) => each.client_secret));
    assert.equal(exp - iat, 300);
    assert.notEqual(jti, second[1].jti);
    fs.rmSync(place);
    const left = await logIn(options, { verb: 'logout' });

    assert.equal(left.out, 'Logged out\n');
    assert.match(left.err, kind === 'ec' ? /^/ :
      /tokens may not be revoked: its oauth: read privateKeyFile \S+: No such/);
  }
});

const proofs = { dpop_signing_alg_values_supported: ['ES256'] };

test('tokens are bound to a key where the server wants that', once,
  async (t) => {
    const authority = Object.assign(await serveAuthority(t),
      { nonce: 'one', metadata: proofs });
    const options = known(t, authority);

    assert.equal((await logIn(options)).status, 0);
    const started = await connect(t, options);
    const { client } = started;
    const { key } = JSON.parse(fs.readFileSync(
      path.join(kept(options), 'login'), 'utf8').split('\n')[1]);

    assert.equal(text(await run(client, call)), '{"a":1}');
    await hides([key, ...authority.secrets], options, started);
    authority.expire();
    authority.nonce = 'two';
    assert.equal(text(await run(client, call)), '{"a":1}');
    assert.deepEqual(authority.grants.map((each) => each.grant_type),
      ['authorization_code', 'refresh_token'].flatMap((kind) => [kind, kind]));

    const seen = authority.proofs.map(({ proof, token, method, url }) => {
      const { jwk } = JSON.parse(Buffer.from(proof.split('.')[0], 'base64url'));
      const [head, { htm, htu, ath, jti }] = verified(proof, { publicKey:
        crypto.createPublicKey({ key: jwk, format: 'jwk' }) });

      assert.deepEqual([head.typ, head.alg, htm, htu, ath], ['dpop+jwt',
        'ES256', method, (url === '/token' ? authority.issuer :
          authority.remote.origin) + url, token && crypto.createHash('sha256')
          .update(token).digest('base64url')]);
      return { jti, x: jwk.x };
    });

    assert.equal(new Set(seen.map(({ x }) => x)).size, 1);
    assert.equal(new Set(seen.map(({ jti }) => jti)).size, seen.length);

    /* A nonce that is another one each time, and a token that is not bound. */
    Object.defineProperty(authority, 'nonce',
      { get: () => crypto.randomUUID(), configurable: true });
    assert.match(text(await run(client, attempt)), new RegExp('401 to a token ' +
      'that is new \\(use_dpop_nonce\\): log in by .*; is the clock of this'));
    Object.defineProperty(authority, 'nonce', { value: 'three' });
    authority.tokens = { status: 200, token_type: 'Bearer', access_token: 'x' };
    authority.expire();
    assert.match(text(await run(client, attempt)),
      /its login cannot be renewed: .*: its token_type is not DPoP/);
  });

test('an assertion of others takes the place of a login', once, async (t) => {
  const authority = await serveAuthority(t, { registers: false });
  const oauth = { grant: 'jwt-bearer' };
  const secret = crypto.randomUUID();
  const rows = [[{ assertionFile: file(t, 'token', `${secret}\n`) }, [secret]],
    [{ clientId: 'us', idToken: '${ID}', idpClientId: 'idp', clientSecret: 's',
      idpTokenEndpoint: `${authority.issuer}/token` }, [undefined, 'jag']]];

  authority.metadata = { authorization_endpoint: undefined,
    code_challenge_methods_supported: undefined };
  for (const [more, assertions] of rows) {
    const options = known(t, authority,
      { oauth: { ...oauth, ...more } }, { ID: secret });
    const started = await connect(t, options);

    assert.equal(text(await run(started.client, call)), '{"a":1}');
    await hides([secret], options, started);
    const grants = authority.grants.splice(0);

    assert.deepEqual(grants.map((each) => each.assertion), assertions);
    if (grants.length > 1)
      assert.deepEqual([grants[0].subject_token, grants[0].client_id,
        grants[0].audience, grants[0].resource],
      [secret, 'idp', authority.issuer, authority.url]);
  }
});

test('a file that has changed is read after a refusal', once, async (t) => {
  const authority = await serveAuthority(t);
  const place = file(t, 'token', 'one');
  const { client } = await connect(t, known(t, authority, { oauth:
    { clientId: 'us', grant: 'jwt-bearer', assertionFile: place } }));

  assert.equal(text(await run(client, call)), '{"a":1}');
  authority.expire();
  authority.tokens = { status: 400, error: 'invalid_grant' };
  assert.match(text(await run(client, attempt)), /refused it: invalid_grant/);
  authority.tokens = {};
  fs.writeFileSync(place, 'two');
  assert.equal(text(await run(client, call)), '{"a":1}');
  assert.equal(authority.grants.at(-1).assertion, 'two');
});

test('a header of the entry is sent instead of a login', once, async (t) => {
  const login = await logIn(known(t, await serveAuthority(t),
    { headers: { Authorization: 'Bearer x' } }));

  assert.match(login.err, /its entry has the header Authorization, .*: remove/);
});

test('what cannot be a login is told', once, async (t) => {
  const authority = await serveAuthority(t);

  for (const [oauth, sentence] of [
    [{ privateKey: 'x' }, /its oauth: privateKey needs the clientId that it /],
    [{ idToken: 'x' }, /assertion and idToken need the grant jwt-bearer/]])
    assert.match((await logIn(known(t, authority, { oauth }))).err, sentence);
});

test('what is wrong with a login is one sentence', once, async (t) => {
  const rows = [
    [{ metadata: { issuer: 'https://evil.example' } },
      /cannot be used: it is that of another issuer, https:\/\/evil\.example/],
    [{ metadata: { token_endpoint: 'http://issuer.example/token' } },
      /cannot be used: its token_endpoint is not https: http:\/\/issuer/],
    [{ metadata: { code_challenge_methods_supported: ['plain'] } },
      /cannot be used: it does not have PKCE with S256/],
    [{ resource: { resource: 'https://evil.example/mcp' } },
      /cannot be used: it is for another resource, https:\/\/evil/],
    [{ answer: { state: 'other' } }, /its state is another one/],
    [{ answer: { iss: 'https://evil.example' } },
      /the answer is not of .* it says that it is of https:\/\/evil/],
    [{ answer: { code: null, error: 'access_denied' } },
      /has refused the login: access_denied/],
    [{ tokens: { status: 400, error: 'invalid_client' } },
      /no tokens: .* has refused it: invalid_client/],
    [{ tokens: { status: 302 } }, /no tokens: .* answered 302 instead of/],
    [{ tokens: { status: 200, token_type: 'DPoP', access_token: 'x' } },
      /its token_type is not Bearer/],
    [{ nonce: 'one', metadata: { dpop_signing_alg_values_supported: ['none'] } },
      /cannot be used: it does not have DPoP with ES256, which the server w/],
    [{ nonce: '\xff', metadata: proofs }, /has refused it: use_dpop_nonce/],
    [{ nonce: 'n'.repeat(8000), metadata: proofs }, /it: use_dpop_nonce/],
  ];

  for (const [lie, sentence] of rows) {
    const authority = Object.assign(await serveAuthority(t), lie);
    const options = known(t, authority);
    const login = await logIn(options);

    assert.equal(login.status, 1);
    assert.match(login.err, /^caisson: server "far": [^\n]*\n$/m);
    assert.match(login.err, sentence);
    assert.deepEqual(fs.readdirSync(kept(options)), []);
  }
});
