/*
 * What a call gives its program besides the code: standard input, environment
 * variables, and a directory.
 */
import * as fs from 'node:fs';

const STDIN = '/proc/self/fd/0';

/*
 * Writes what the program is to read into its descriptor 0, an empty file
 * without a name. Its position stays at the beginning.
 */
function giveStdin(data) {
  const fd = fs.openSync(STDIN, 'r+');
  try {
    if (!fs.fstatSync(fd).isFile())
      throw new Error('there is no room for its standard input');
    for (let at = 0; at < data.length;)
      at += fs.writeSync(fd, data, at, data.length - at, at);
  } finally {
    fs.closeSync(fd);
  }
}

/* Takes the fields of a run frame that the program is to have. */
export function takeInput({ stdin, environment, directory }) {
  if (stdin !== undefined)
    giveStdin(Buffer.from(stdin, 'base64'));
  Object.assign(process.env, environment);
  if (directory !== undefined)
    process.chdir(directory);
}
