/*
 * A downstream MCP server over standard input and output that behaves as odd
 * as it is told to. It needs nothing but node and writes JSON by hand, so that
 * every byte is the one that was asked for.
 *
 *   node hostile.mjs [OPTION[=VALUE]...]
 *
 *   log=FILE          appends every line that it reads, and "EOF", to FILE
 *   exit=CODE         says a line on standard error and exits at once
 *   initialize=HOW    silent, slow:MS, dead (exits), error, wrong, version,
 *                     array, first:FILE (dead while FILE is there; removes it)
 *   tools=HOW         none, odd, same, COUNT, paged:COUNT, endless, loop,
 *                     error, silent, wrong, list
 *   noise             garbage lines around everything it says
 *   framing           Content-Length: headers, as language servers speak
 *   deaf              ignores the end of its input and every signal it can
 *   orphan=SECONDS    starts "sleep SECONDS" in a session of its own
 *   chatter=BYTES     writes so much to standard error at the start
 *   early             requests and notifications before it is spoken to
 *
 * All the rest are its tools (see below): what they do is in their names.
 */
import { spawn } from 'node:child_process';
import fs from 'node:fs';

const options = Object.fromEntries(process.argv.slice(2).map((argument) => {
  const at = argument.indexOf('=');

  return at === -1 ? [argument, ''] :
    [argument.slice(0, at), argument.slice(at + 1)];
}));

let answered = 0;
let grown = 0;
const kept = [];

/* Writes all of it before it returns, whoever reads or does not. */
function put(fd, data) {
  let bytes = Buffer.from(data);

  while (bytes.length > 0) {
    try {
      bytes = bytes.subarray(fs.writeSync(fd, bytes));
    } catch (error) {
      if (error.code === 'EPIPE')
        return;
      if (error.code !== 'EAGAIN')
        throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}

const garbage = ['', 'Server listening on stdio', '[1, 2, 3]', '5', 'null',
  '"text"', '{"level":"info"}', '{', '\u0000\u0001', 'a'.repeat(100_000), '\r',
  '{"jsonrpc":"2.0"}', '{"jsonrpc":"2.0","id":null,"result":{}}',
  '{"jsonrpc":"2.0","id":"of nobody","result":{}}'];

/* A line as it is. */
function line(text) {
  if ('framing' in options) {
    put(1, `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
    return;
  }
  if ('noise' in options)
    put(1, Buffer.concat([Buffer.from(`${garbage.join('\n')}\n`),
      Buffer.from([0xff, 0xfe, 0x80, 0x0a])]));
  put(1, `${text}\n`);
}

/* An answer; result and error are JSON text, id is as it came. */
const answer = (id, result) =>
  line(`{"jsonrpc":"2.0","id":${id},"result":${result}}`);
const refuse = (id, code, message, data) => line(
  `{"jsonrpc":"2.0","id":${id},"error":{"code":${code},` +
  `"message":${JSON.stringify(message)}${data ? `,"data":${data}` : ''}}}`);
const text = (words) => JSON.stringify(
  { content: [{ type: 'text', text: words }] });
const say = (id, words) => answer(id, text(words));

/* Where the JSON value at this place ends. */
function valueEnd(json, start) {
  let depth = 0;

  for (let at = start; at < json.length; at++) {
    const character = json[at];

    if (character === '"') {
      while (json[++at] !== '"')
        at += json[at] === '\\' ? 1 : 0;
    } else if (character === '{' || character === '[') {
      depth++;
    } else if (character === '}' || character === ']') {
      depth--;
    }
    if (depth < 0 || (depth === 0 && character === ','))
      return at;
    if (depth === 0 && '}]"'.includes(character))
      return at + 1;
  }
  return json.length;
}

/* The text of a member of an object, exactly as it came; the last one. */
function member(json, name) {
  let found;

  for (let at = json.indexOf('{') + 1; at < json.length;) {
    at += /^[\s,]*/.exec(json.slice(at, at + 100))[0].length;
    if (json[at] !== '"')
      return found;
    const key = valueEnd(json, at);
    const value = json.indexOf(':', key) + 1;
    const end = valueEnd(json, value);

    if (JSON.parse(json.slice(at, key)) === name)
      found = json.slice(value, end).trim();
    at = end;
  }
  return found;
}

function sleeper(seconds, more = {}) {
  return spawn('sleep', [seconds], { stdio: 'ignore', ...more });
}

/* Requests to our client, and notifications; ids of ours are "h1", "h2" … */
function flood(kind, count) {
  const methods = kind === 'request' ?
    ['ping', 'roots/list', 'sampling/createMessage', 'elicitation/create',
      'no/such/method'] :
    ['notifications/message', 'notifications/progress', 'notifications/new',
      'notifications/tools/list_changed', 'notifications/cancelled'];

  for (let i = 0; i < count; i++) {
    const id = kind === 'request' ? `"id":"h${i}",` : '';

    line(`{"jsonrpc":"2.0",${id}"method":"${methods[i % methods.length]}",` +
      '"params":{"level":"info","data":"x"}}');
  }
}

/* Each gets the id and the arguments, both as text, and the arguments read. */
const tools = {
  echo: (id, raw) => say(id, raw),
  counter: (id) => say(id,
    JSON.stringify({ pid: process.pid, count: ++answered })),
  sleep: (id, raw, { ms }) => setTimeout(() => say(id, `${ms}`), ms),
  /* Ends when somebody ends its process. */
  gate: (id, raw, { seconds }) =>
    sleeper(seconds).on('exit', () => say(id, 'open')),
  never: () => {},
  /* Says so many times that it is at work, then that it is done. */
  progress: (id, raw, { times, ms }) => {
    const step = (left) => {
      line('{"jsonrpc":"2.0","method":"notifications/progress","params":' +
        `{"progressToken":${id},"progress":${times - left}}}`);
      setTimeout(left > 0 ? () => step(left - 1) : () => say(id, 'done'), ms);
    };

    step(times);
  },
  environment: (id) => say(id, JSON.stringify({ environment: process.env,
    arguments: process.argv.slice(2), folder: process.cwd(),
    status: fs.readFileSync('/proc/self/status', 'utf8'),
    limits: fs.readFileSync('/proc/self/limits', 'utf8'),
    descriptors: fs.readdirSync('/proc/self/fd') })),

  /* The result, or the whole line, is exactly this text. */
  raw: (id, raw, { result }) => answer(id, result),
  line: (id, raw, { text: words }) => line(words.replaceAll('@ID@', id)),
  bytes: (id, raw, { hex }) => {
    put(1, Buffer.from(hex.replaceAll('@ID@',
      Buffer.from(id).toString('hex')), 'hex'));
  },
  huge: (id, raw, { bytes }) => answer(id,
    text('x'.repeat(bytes - text('').length))),
  deep: (id, raw, { depth }) => answer(id, '{"content":[],' +
    `"structuredContent":{"a":${'['.repeat(depth)}${']'.repeat(depth)}}}`),

  fail: (id, raw, { words }) => answer(id, JSON.stringify({ isError: true,
    content: [{ type: 'text', text: words }], structuredContent: { a: 1 } })),
  error: (id, raw, { code, message, data, times = 1 }) =>
    refuse(id, code, message.repeat(times), data),

  twice: (id) => [1, 2].forEach((n) => say(id, `${n}`)),
  /* Nobody's id, then somebody's to come, then its own. */
  stray: (id) => [987654321, `${Number(id) + 1}`, '"x"', '1.5', '-1', id]
    .forEach((other) => say(other, `for ${other === id ? 'you' : other}`)),
  /* The last of as many as are told is answered first. */
  reversed: (id, raw, { of, n }) => {
    kept.push(() => say(id, `${n}`));
    if (kept.length === of)
      kept.splice(0).reverse().forEach((respond) => respond());
  },

  flood: (id, raw, { kind, count }) => {
    flood(kind, count);
    say(id, 'after the flood');
  },
  chatter: (id, raw, { bytes }) => {
    put(2, `${'e'.repeat(bytes)}\nlast words\n`);
    say(id, 'said');
  },
  grow: (id) => {
    grown++;
    line('{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}');
    say(id, 'grown');
  },

  die: (id, raw, { code, signal, words }) => {
    put(2, words ? `${words}\n` : '');
    if (signal)
      process.kill(process.pid, signal);
    else
      process.exit(code);
  },
  half: (id) => {
    put(1, `{"jsonrpc":"2.0","id":${id},"result":{"cont`);
    process.exit(0);
  },
  mute: () => fs.closeSync(1),
  /* Nobody reads its input any more, but it goes on. */
  shut: (id) => {
    process.stdin.destroy();
    setInterval(() => {}, 1_000_000);
    process.stdin.on('close', () => {
      fs.closeSync(0);
      say(id, 'shut');
    });
  },
  /* Starts somebody who lives on; says who. */
  orphan: (id, raw, { seconds }) => say(id,
    `${sleeper(seconds, { detached: true }).pid}`),
};

const plain = (name, more = {}) => ({ name, description: `Does ${name}.`,
  inputSchema: { type: 'object', ...more }, ...more.tool });

const odd = [
  plain('read-file', { properties: { 'path-name': { type: 'string' },
    class: { type: 'integer' }, self: {}, 'a"b': {} },
  required: ['path-name'] }),
  plain('Read_File'), plain('read.file'), plain('class'), plain('1st'),
  plain('日本'), plain('__init__'), plain('print'), plain('x'.repeat(128)),
  { ...plain('quotes'), description:
    '"""\'\'\'\\" \\n {0} %s \u0000 \ud800 \u2028 \x1b[2J\n\texit()\r\n#' },
  { ...plain('no_words'), description: undefined },
  { ...plain('references'), inputSchema: { $schema:
    'http://json-schema.org/draft-07/schema#', type: 'object',
  $defs: { a: { $ref: '#/$defs/a' } }, properties: { a: { $ref: '#/$defs/a' } },
  required: ['a'], additionalProperties: false } },
  { ...plain('untyped'), inputSchema: {} },
  { ...plain('defaults'), inputSchema: { type: 'object', properties: {
    n: { type: 'integer', default: 5 }, s: { enum: ['a', null, 1] },
    t: { type: ['string', 'null'], description: 'the\n"""t"""' } },
  required: ['t'] } },
];

const ours = () => [...Object.keys(tools),
  ...Array.from({ length: grown }, (_, n) => `grown_${n}`)].map(
  (name) => plain(name, { additionalProperties: true }));

/* So many tools, from that number on. */
const many = (count, first = 0) => Array.from({ length: count },
  (_, n) => plain(`tool_${first + n}`));

/* The answers to tools/list, by what tools= says before the colon. */
const lists = {
  none: () => ({ tools: [] }),
  odd: () => ({ tools: odd }),
  same: () => ({ tools: [plain('echo'), plain('echo'), plain('counter')] }),
  list: () => [plain('echo')],
  wrong: () => ({ tools: [5, null, {}, { name: 7 }, { name: 'no_schema' },
    plain('echo')] }),
  /* Ten on a page; the first cursor after the start is the empty string. */
  paged: (count, cursor) => {
    const first = cursor === undefined ? 0 : Number(cursor || 10);
    const next = first + 10 >= count ? undefined :
      first === 0 ? '' : `${first + 10}`;

    return { tools: many(Math.min(10, count - first), first),
      nextCursor: next };
  },
  endless: (count, cursor) => ({ tools: [],
    nextCursor: `${Number(cursor ?? 0) + 1}` }),
  loop: () => ({ tools: [plain('echo')], nextCursor: 'again' }),
};

function toolsList(id, params) {
  const [how, value] = (options.tools ?? '').split(':');

  if (how === 'silent')
    return;
  if (how === 'error')
    refuse(id, -32603, 'the list of tools is not to be had');
  else if (how in lists)
    answer(id, JSON.stringify(lists[how](Number(value), params?.cursor)));
  else
    answer(id, JSON.stringify(
      { tools: how === '' ? ours() : many(Number(how)) }));
}

const hello = (version) => JSON.stringify({ protocolVersion: version,
  capabilities: { tools: { listChanged: true } },
  serverInfo: { name: 'hostile', version: '1' } });

function initialize(id, params) {
  const [how, value] = (options.initialize ?? '').split(':');
  const welcome = () => answer(id, hello(params.protocolVersion));

  switch (how) {
  case 'silent':
    return;
  case 'slow':
    setTimeout(welcome, Number(value));
    return;
  case 'dead':
    put(2, 'cannot greet anybody\n');
    process.exit(3);
    return;
  case 'first':
    if (fs.existsSync(value)) {
      fs.unlinkSync(value);
      put(2, 'not the first time\n');
      process.exit(4);
    }
    break;
  case 'error':
    refuse(id, -32000, 'no token was given');
    return;
  case 'wrong':
    answer(id, '"hello"');
    return;
  case 'version':
    answer(id, hello('1999-01-01'));
    return;
  case 'array':
    line(`[{"jsonrpc":"2.0","id":${id},"result":${hello('2025-11-25')}}]`);
    return;
  }
  welcome();
}

function call(id, params, message) {
  const raw = member(member(message, 'params'), 'arguments') ?? '';

  if (!Object.hasOwn(tools, params.name)) {
    if (/^(tool|grown)_\d+$/.test(params.name) || options.tools === 'odd')
      say(id, JSON.stringify([params.name, raw]));
    else
      refuse(id, -32602, `Unknown tool: ${params.name}`);
    return;
  }
  tools[params.name](id, raw, params.arguments);
}

function take(message) {
  if (options.log)
    fs.appendFileSync(options.log, `${message}\n`);
  const { method, params } = JSON.parse(message);
  const id = member(message, 'id');

  if (method === 'initialize')
    initialize(id, params);
  else if (method === 'tools/list')
    toolsList(id, params);
  else if (method === 'tools/call')
    call(id, params, message);
  else if (method === 'ping')
    answer(id, '{}');
  else if (id !== undefined && method !== undefined)
    refuse(id, -32601, `Method not found: ${method}`);
}

function listen() {
  let partial = [];

  process.stdin.on('data', (data) => {
    let start = 0;
    let end;

    while ((end = data.indexOf(10, start)) !== -1) {
      partial.push(data.subarray(start, end));
      take(Buffer.concat(partial).toString('utf8'));
      partial = [];
      start = end + 1;
    }
    partial.push(data.subarray(start));
  });
  process.stdin.on('end', () => {
    if (options.log)
      fs.appendFileSync(options.log, 'EOF\n');
    if (!('deaf' in options))
      process.exit(0);
  });
}

function start() {
  if ('deaf' in options) {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGPIPE',
      'SIGUSR1', 'SIGUSR2'])
      process.on(signal, () => {});
    setInterval(() => {}, 1_000_000);
  }
  if (options.orphan)
    sleeper(options.orphan, { detached: true }).unref();
  if (options.chatter)
    put(2, `${'e'.repeat(Number(options.chatter))}\nlast words\n`);
  if (options.exit !== undefined) {
    put(2, 'the database is locked\n');
    process.exit(Number(options.exit));
  }
  if ('early' in options) {
    flood('request', 10);
    flood('notification', 10);
  }
  listen();
}

start();
