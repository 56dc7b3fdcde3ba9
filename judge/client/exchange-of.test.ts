import fc, { string } from 'fast-check';
import { expect, test } from 'vitest';
import { exchangeOf } from './exchange-of.ts';

const bodyOf = (body: Uint8Array): string | undefined =>
  exchangeOf({ method: 'POST', url: 'http://localhost/', headers: [], body }, { sentAt: 0, durationMs: 0 }).request
    .body;

test('a text is shown as it is', () => {
  fc.assert(
    fc.property(string({ unit: 'grapheme' }), (text) => bodyOf(Buffer.from(text)) === text.replace(/^\uFEFF/, '')),
  );
});

test('a long text is cut, not taken for bytes where the cut goes through a character', () => {
  expect(bodyOf(Buffer.from('x'.repeat(262_144)))).toHaveLength(262_144);
  expect(bodyOf(Buffer.from(`x${'é'.repeat(131_072)}`))).toBe(`x${'é'.repeat(131_071)}… (cut; 262145 bytes)`);
});

test('bytes that are no text are told byte by byte, up to a limit', () => {
  expect(bodyOf(Uint8Array.of(0, 0x41, 0xff, 10))).toBe('\\x00A\\xff\n… (4 bytes that are no text)');
  expect(bodyOf(new Uint8Array(5000).fill(0x80))).toBe(`${'\\x80'.repeat(2048)}… (5000 bytes that are no text)`);
});
