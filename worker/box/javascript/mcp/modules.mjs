/*
 * Makes the modules mcp, mcp/runtime and mcp/<server>, which code may import.
 *
 * They are files, as engines load nothing else alike. What the
 * code imports by name is exported even where there is no such tool, so that
 * its call says which there are.
 */
import * as fs from 'node:fs';

import { camel, isIdentifier, snake } from './names.mjs';
import { temporary } from './places.mjs';
import { proxyOf } from './runtime.mjs';
import { knownServers, serverOf } from './servers.mjs';

const NAMED = /(['"`])mcp(?:\/(?:servers\/)?([^'"`\n]+))?\1/g;
const KEPT = Symbol.for('caisson');
const KEY = "globalThis[Symbol.for('caisson')]";

/* Returns the names that the code imports from a module. */
function imported(source, module) {
  const escaped = module.replace(/[^\w/]/g, '\\$&');
  const found = new RegExp(`\\{([^{}]*)\\}\\s*(?:from\\s*|=\\s*(?:await\\s+)?` +
    `(?:import|require)\\s*\\(\\s*)['"\`]${escaped}['"\`]`, 'g');
  return [...source.matchAll(found)].flatMap(([, names]) =>
    names.split(',').map((name) => name.trim().replace(/^type\s+/, '')
      .split(/[\s:=]/)[0]));
}

/*
 * Returns the source of a module that exports members of an object of ours. A
 * name that it exports is not declared there, or it could hide another one.
 */
const sourceOf = (key, names) => [
  `const $ = ${KEY}[${JSON.stringify(key)}];`, 'export default $;',
  ...[...new Set(names)].filter((name) => isIdentifier(name)).map(
    (name, at) => `const $${at} = $[${JSON.stringify(name)}]; ` +
      `export { $${at} as ${name} };`)].join('\n');

/* Returns what the modules export, by what stands behind "mcp". */
async function make(kept, name, code) {
  const names = imported(code, `mcp/${name}`);
  try {
    const server = await serverOf(name);
    kept[name] = proxyOf(server);
    await server.list(!server.loaded);
    for (const spelling of [(each) => each, camel, snake])
      names.push(...server.tools().map(({ tool }) => spelling(tool)));
  } catch (error) {
    Object.defineProperty(kept, name, { get() {
      throw error;
    } });
  }
  return sourceOf(name, names);
}

/*
 * Makes the modules that the code names; returns their files, by the names by
 * which they are imported.
 */
export async function writeModules(code, runtime, servers) {
  const wanted = [...new Set([...code.matchAll(NAMED)].map(
    ([, , name]) => name ?? ''))];
  const kept = { runtime, servers, '': { ...runtime, runtime, servers } };
  for (const server of knownServers())
    kept[''][server.alias] ??= proxyOf(server);
  Object.defineProperty(globalThis, KEPT, { value: kept });
  const folder = fs.mkdtempSync(`${temporary}/mcp-`);
  const files = new Map();
  await Promise.all(wanted.map(async (name, at) => {
    const file = `${folder}/${at}.mjs`;
    const more = name === '' ? imported(code, 'mcp') : [];
    fs.writeFileSync(file, Object.hasOwn(kept, name) ?
      sourceOf(name, [...Object.keys(kept[name]), ...more]) :
      await make(kept, name, code));
    for (const path of name === '' ? ['mcp'] :
      [`mcp/${name}`, `mcp/servers/${name}`])
      files.set(path, file);
  }));
  return files;
}
