/*
 * A worker: code whose default export answers a request of its call, as those
 * of Hono and Cloudflare do. Its answer goes to the relay; one that is no text,
 * or too large for that, as a file of the call.
 */
import * as fs from 'node:fs';

import { home } from '../mcp/places.mjs';
import { complain } from './output.mjs';

const OUT = `${home}/out`;
const BASE = 'http://localhost/';
const INLINE_MOST = 1 << 20; // the relay may take less
const BASE64_MOST = 4096;
const HEAD_MOST = 1 << 14;
const TYPES = { __proto__: null,
  'text/html': 'html', 'text/plain': 'txt', 'text/csv': 'csv',
  'application/json': 'json', 'application/pdf': 'pdf', 'image/png': 'png',
  'image/jpeg': 'jpg', 'image/gif': 'gif', 'image/webp': 'webp',
  'image/svg+xml': 'svg', 'application/zip': 'zip' };
const WANTED = 'it must be an object with fetch(request, env, ctx), such as a ' +
  'Hono app, or a function that returns a Response';

/* Returns the request that a call has. Throws what is wrong with it. */
export function requestOf({ method = 'GET', url = '/', headers = {}, body }) {
  const data = typeof body === 'object' ?
    Buffer.from(body.base64 ?? wrong('body has no base64'), 'base64') : body;
  for (const [name, value] of Object.entries(headers))
    if (typeof value !== 'string')
      wrong(`the header ${name} is no string`);
  if (data !== undefined && /^(?:get|head)$/i.test(method))
    wrong(`${method} has no body: use POST or PUT`);
  try {
    return new Request(new URL(url, BASE), { method, headers, body: data });
  } catch (error) {
    return wrong(error.message);
  }
}

function wrong(what) {
  throw new Error(`request: ${what}`);
}

/* Returns what answers requests of a default export. Throws if nothing does. */
function handlerOf(main) {
  if (typeof main?.fetch === 'function')
    return main.fetch.bind(main);
  if (typeof main === 'function' && !/^class\b/.test(main))
    return main;
  throw new TypeError(main === undefined ?
    `there is no default export to answer the request: ${WANTED}` :
    `the default export answers no request: ${WANTED}`);
}

/* Returns ctx, and the promises that it was given, whose errors are told. */
function contextOf(tell) {
  const promises = [];
  const waitUntil = (promise) => {
    promises.push(Promise.resolve(promise).catch(tell));
  };
  const passThroughOnException = () => {
    throw new Error('ctx.passThroughOnException(): there is no origin here ' +
      'that a request could be passed to: answer with a Response');
  };
  return { promises, ctx: { waitUntil, passThroughOnException, props: {} } };
}

/* Throws if what fetch() has returned is no response. */
function check(response) {
  if (typeof response?.arrayBuffer !== 'function' ||
      typeof response.status !== 'number')
    throw new TypeError(`fetch() returned ${response === null ? 'null' :
      `a value of type ${typeof response}`}, and must return a Response` +
      (response === undefined ? ': a return may be missing' : ''));
  const { status } = response;
  if (status < 200 || status > 599)
    throw new RangeError(`fetch() returned a Response with status ${status}, ` +
      'and must answer with one from 200 to 599');
}

/* Returns the headers of a response, in the order of their names. */
function headOf({ headers }) {
  const lines = [...headers].map(([name, value]) => [`${name.toLowerCase()}:`,
    value]).sort(([one], [other]) => one < other ? -1 : one > other ? 1 : 0);
  const head = lines.map(([name, value]) => `${name} ${value}\n`).join('');
  if (Buffer.byteLength(head) > HEAD_MOST)
    throw new RangeError(`the headers of the Response have more than ${
      HEAD_MOST} bytes`);
  return head;
}

/* Returns a body as text, or null where it is none. */
function textOf(data) {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
      .decode(data);
    return text.includes('\0') ? null : text;
  } catch {
    return null;
  }
}

/* Writes a body into a new file. Returns its name. */
function save(data, type, otherwise) {
  const kind = TYPES[type?.split(';')[0].trim().toLowerCase()] ?? otherwise;
  for (let n = 1; ; n++) {
    const name = `response${n === 1 ? '' : `-${n}`}.${kind}`;
    try {
      fs.writeFileSync(`${OUT}/${name}`, data, { flag: 'wx' });
      return name;
    } catch (error) {
      if (error.code !== 'EEXIST')
        throw new Error(`the body of the Response has ${data.length} bytes, ` +
          `and cannot be kept as a file: ${error.message}`);
    }
  }
}

/* Sends a response to the relay. */
async function send(wire, response) {
  check(response);
  const { status } = response;
  const head = headOf(response);
  const data = Buffer.from(await response.arrayBuffer());
  const text = data.length <= INLINE_MOST ? textOf(data) : null;
  const tell = (form, body) =>
    wire.request({ type: 'response', status, head, form, body });
  if (text !== null && await tell('text', text) === true)
    return;
  if (text === null && data.length <= BASE64_MOST &&
      await tell('base64', data.toString('base64')) === true)
    return;
  await tell('file', save(data, response.headers.get('content-type'),
    text === null ? 'bin' : 'txt'));
}

/*
 * Answers a request with the default export of the code; env is what it finds
 * as its environment. Returns when all is done that ctx.waitUntil was given;
 * tell() hears of what fails in that.
 */
export async function answer(wire, main, { request, env, tell }) {
  const { promises, ctx } = contextOf(tell);
  let answered = false;
  process.on('exit', (status) => {
    if (answered || status !== 0)
      return;
    complain('Error: the code has exited without answering the request\n');
    process.exitCode = 1;
  });
  await send(wire, await handlerOf(main)(request, env, ctx));
  answered = true;
  for (let done = 0; done < promises.length; done++)
    await promises[done];
}
