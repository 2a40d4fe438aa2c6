/*
 * Files that come back of code, as the official client receives them.
 */
import assert from 'node:assert/strict';
import { run } from './sdk.mjs';

export const prefix = 'resource://caisson/files/';
export const links = (result) => result.content
  .filter((block) => block.type === 'resource_link');
export const text = (result) => result.content[0].text;

/* The bytes of a resource. */
export async function read(client, uri) {
  const { contents } = await client.readResource({ uri });

  assert.equal(contents.length, 1);
  assert.equal(contents[0].uri, uri);
  return 'text' in contents[0] ? Buffer.from(contents[0].text) :
    Buffer.from(contents[0].blob, 'base64');
}

/* What comes back of code: bytes by names. */
export async function kept(client, code) {
  const result = await run(client, code);
  const found = {};

  for (const { name, uri } of links(result))
    found[name] = (await read(client, uri)).toString();
  return [found, text(result)];
}

/* Code that makes a file, and its folder. */
export const put = `
import os
def put(path, data):
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    open(path, "w").write(data)
`;
