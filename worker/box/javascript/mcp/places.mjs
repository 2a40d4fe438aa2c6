/*
 * Directories of the box, as they are before a call sets other variables.
 */
const { HOME = '/workspace', TMPDIR = '/tmp' } = process.env;

/* The directory of the code, and the one for files that are not kept. */
export const home = HOME;
export const temporary = TMPDIR;
