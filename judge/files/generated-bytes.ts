import { createCipheriv, createHash } from 'node:crypto';

/** Keys of the bytes that were made here. */
const keys = new WeakMap<ArrayBufferLike, Buffer>();

/** So many bytes that look like chance, the same for the same text. @param length in bytes */
export function generatedBytes(seed: string, length: number): Uint8Array {
  const key = createHash('sha256').update(seed).digest().subarray(0, 16);
  const bytes = streamOf(key, length);
  keys.set(bytes.buffer, key);
  return bytes;
}

/** A pipeline for a POSIX shell with openssl that prints these very bytes, a part of generated ones; undefined for what came otherwise or was changed. */
export function recipeOf(bytes: Uint8Array): string | undefined {
  const { buffer, byteOffset, byteLength } = bytes;
  const key = keys.get(buffer);
  const end = byteOffset + byteLength;
  if (key === undefined || !Buffer.from(streamOf(key, end).buffer, byteOffset).equals(bytes)) return undefined;
  const whole = `head -c ${end} /dev/zero | openssl enc -aes-128-ctr -K ${key.toString('hex')} -iv ${'0'.repeat(32)}`;
  return byteOffset === 0 ? whole : `${whole} | tail -c ${byteLength}`;
}

function streamOf(key: Buffer, length: number): Uint8Array {
  return new Uint8Array(createCipheriv('aes-128-ctr', key, Buffer.alloc(16)).update(new Uint8Array(length)));
}
