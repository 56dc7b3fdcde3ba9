import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { hiddenCharacters } from './hidden.fixture.ts';
import { hostileText } from './run.fixture.ts';
import { cutTo, oneLine, printable, printableJson } from './text.ts';

test('no text keeps a hidden character, and a plain one is not touched', () => {
  fc.assert(
    fc.property(hostileText, (text) => {
      expect(printable(text)).not.toMatch(hiddenCharacters);
      if (!/[^ -~\n\t]/.test(text)) expect(printable(text)).toBe(text);
    }),
  );
  expect(printable('\u001b[31m\u009b\ud800é😀')).toBe(String.raw`\u001b[31m\u009b\ud800é😀`);
});

test('one line is one line', () => {
  fc.assert(
    fc.property(hostileText, (text) => {
      expect(oneLine(text)).not.toMatch(/[\n\t]/);
    }),
  );
});

test('printable JSON means what it meant', () => {
  fc.assert(
    fc.property(hostileText, (text) => {
      const written = printableJson({ [text]: text });
      expect(written).not.toMatch(hiddenCharacters);
      expect(JSON.parse(written)).toEqual({ [text]: text });
    }),
  );
});

test('a cut says how much it took', () => {
  expect(cutTo(3, 'abcdef')).toBe('abc… (3 more characters)');
  expect(cutTo(6, 'abcdef')).toBe('abcdef');
});
