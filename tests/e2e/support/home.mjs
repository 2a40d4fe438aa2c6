/*
 * Files in a home that a test has prepared, as the user of the program has
 * them.
 */
import fs from 'node:fs';
import path from 'node:path';
import { uid } from './program.mjs';

const group = uid === process.getuid() ? process.getgid() : uid;

/* Writes a file, and the folders on the way; returns its path. */
export function write(home, name, content, mode = 0o600) {
  const place = path.join(home, name);

  fs.mkdirSync(path.dirname(place), { recursive: true });
  fs.writeFileSync(place, content);
  fs.chmodSync(place, mode);
  for (let at = place; at !== home; at = path.dirname(at))
    fs.chownSync(at, uid, group);
  return place;
}
