/*
 * Where the module of a call is: in its code, as base64, or in a file.
 */
import * as fs from 'node:fs';
import * as path from 'node:path';
import { Unfit } from './module.mjs';

const MAGIC = 'AGFz'; // what base64 of any module begins with
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
const FORM = 'code must be a module in base64, or the path of one, such as ' +
  '/workspace/in/a.wasm for a.wasm of the argument files';
const PATH_MAX = 4096;

/* Returns the bytes that a text is base64 of. */
function decoded(text) {
  const digits = text.replace(/\s+/g, '');
  if (!BASE64.test(digits) || digits.length % 4 !== 0)
    throw new Unfit('code begins as base64 of a module, but is not base64, ' +
      'or is cut');
  return Buffer.from(digits, 'base64');
}

/* Whether there is a file at a path. */
const isFile = (place) =>
  fs.statSync(place, { throwIfNoEntry: false })?.isFile() === true;

/*
 * Returns the name of the module, its bytes, and the directory of the
 * conversation, or null. workspace is the directory of the code.
 */
export function found(code, workspace) {
  const root = path.dirname(workspace);
  const shared = path.join(root, 'data');
  const data = fs.existsSync(shared) ? shared : null;
  const text = code.trim();
  if (text.startsWith(MAGIC))
    return { name: 'module.wasm', bytes: decoded(text), data };
  if (/^\(\s*(?:module|component)\b/.test(text))
    throw new Unfit('code is the text of a module: compile it, such as by ' +
      `wat2wasm; ${FORM}`);
  if (text.includes('\n') || text.length > PATH_MAX)
    throw new Unfit(FORM);
  /* With reduced isolation the directories are below one of the host. */
  const places = path.isAbsolute(text) ? [path.join(root, text)] :
    [process.cwd(), `${workspace}/in`, shared].map((folder) =>
      path.join(folder, text));
  const files = [...new Set(places)].filter(isFile);
  if (files.length === 1)
    return { name: path.basename(text), bytes: fs.readFileSync(files[0]),
      data };
  const shown = text.length > 100 ? `${text.slice(0, 100)}...` : text;
  throw new Unfit(files.length === 0 ? `there is no file ${shown}: ${FORM}` :
    `${shown} is in ${files.map((file) =>
      `/${path.relative(root, path.dirname(file))}`).join(' and ')}: ` +
    'write the whole path');
}
