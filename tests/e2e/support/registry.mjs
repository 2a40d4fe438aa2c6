/*
 * A registry of images on the loopback device: as much of the distribution
 * protocol of the OCI as a pull needs. It has one image, of one layer.
 */
import { createHash } from 'node:crypto';
import http from 'node:http';
import { gzipSync } from 'node:zlib';

const digestOf = (bytes) =>
  `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

/* An archive with one directory or regular file for each [name, content]. */
export function archive(entries) {
  const blocks = [];

  for (const [name, content] of entries) {
    const bytes = Buffer.from(content ?? '');
    const head = Buffer.alloc(512);

    head.write(content === undefined ? `${name}/` : name, 0);
    head.write('0000755\0', 100);
    head.write('0000000\0', 108);
    head.write('0000000\0', 116);
    head.write(`${bytes.length.toString(8).padStart(11, '0')}\0`, 124);
    head.write('00000000000\0', 136);
    head.write('        ', 148);
    head.write(content === undefined ? '5' : '0', 156);
    head.write('ustar\x0000', 257);
    const sum = head.reduce((all, byte) => all + byte, 0);

    head.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
    blocks.push(head, bytes, Buffer.alloc((512 - bytes.length % 512) % 512));
  }
  return Buffer.concat([...blocks, Buffer.alloc(1024)]);
}

/*
 * Serves the image NAME:TAG with this archive, labels and entry point until the
 * test is over. Returns the reference, and what clients have asked for.
 */
export async function serve(t, name, tag, tar, labels, entrypoint) {
  const layer = gzipSync(tar);
  const config = Buffer.from(JSON.stringify({
    architecture: 'amd64', os: 'linux',
    config: { Labels: labels, Entrypoint: entrypoint },
    rootfs: { type: 'layers', diff_ids: [digestOf(tar)] },
  }));
  const type = 'application/vnd.oci.image.';
  const manifest = Buffer.from(JSON.stringify({
    schemaVersion: 2, mediaType: `${type}manifest.v1+json`,
    config: { mediaType: `${type}config.v1+json`, size: config.length,
      digest: digestOf(config) },
    layers: [{ mediaType: `${type}layer.v1.tar+gzip`, size: layer.length,
      digest: digestOf(layer) }],
  }));
  const has = new Map([['/v2/', Buffer.from('{}')],
    [`/v2/${name}/manifests/${tag}`, manifest],
    [`/v2/${name}/manifests/${digestOf(manifest)}`, manifest],
    [`/v2/${name}/blobs/${digestOf(config)}`, config],
    [`/v2/${name}/blobs/${digestOf(layer)}`, layer]]);
  const asked = [];
  const server = http.createServer((request, answer) => {
    const bytes = has.get(request.url);

    asked.push(request.url);
    answer.writeHead(bytes === undefined ? 404 : 200, {
      'Docker-Distribution-Api-Version': 'registry/2.0',
      'Content-Type': bytes === manifest ? `${type}manifest.v1+json` :
        'application/octet-stream',
      'Content-Length': bytes?.length ?? 0,
      ...bytes === manifest && { 'Docker-Content-Digest': digestOf(bytes) },
    });
    answer.end(request.method === 'HEAD' ? undefined : bytes);
  });

  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  return { host: `127.0.0.1:${server.address().port}`,
    reference: `127.0.0.1:${server.address().port}/${name}:${tag}`,
    id: digestOf(config), asked };
}
