import { expect, test } from 'vitest';
import { contentOf } from './stored-files.ts';

test('bytes that are not as wanted tell where they part', () => {
  const wanted = Buffer.from('abcdef');
  expect(contentOf(Buffer.from('abcdef'), wanted)).toEqual(contentOf(wanted));
  for (const [text, at] of [
    ['abXdeX', 2],
    ['abcd', 4],
    ['abcdefgh', 6],
    ['', 0],
  ] as const)
    expect(contentOf(Buffer.from(text), wanted)).toMatchObject({ length: text.length, differsAt: at });
});
