import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { laidOut } from './evidence.ts';

const json = fc.jsonValue({ maxDepth: 4 }).map((value) => JSON.stringify([value]));
const cutMark = '… (cut; 6508 characters)';

test('the same JSON is read from it, whatever it holds', () => {
  fc.assert(fc.property(json, (text) => void expect(JSON.parse(laidOut(text))).toEqual(JSON.parse(text))));
});

test('is JSON as far as it was recorded', () => {
  const entry = (id: number): string => `{"$entryId":${id},"name":"file ${id}","text":"${'x'.repeat(50)}"}`;
  const whole = `{"data":{"files":[${[1, 2, 3].map(entry).join()}]}}`;
  const shown = laidOut(`${whole.slice(0, whole.indexOf('"file 2') + 5)}${cutMark}`);
  expect(shown.split('\n').slice(0, 5)).toEqual([
    '{',
    '  "data": {',
    '    "files": [',
    '      {',
    '        "$entryId": 1,',
  ]);
  expect(shown.endsWith(`\n      {\n        "$entryId": 2,\n        "name": "file${cutMark}`)).toBe(true);
});

test('loses nothing but blanks, wherever it was cut off', () => {
  const bare = (text: string): string => text.replaceAll(/\s/g, '');
  fc.assert(
    fc.property(json, fc.double({ min: 0, max: 1, noNaN: true }), (text, share) => {
      const part = text.slice(0, Math.max(1, Math.floor(text.length * share)));
      const shown = bare(laidOut(part + cutMark));
      // a comma that nothing follows tells nothing
      expect([bare(part + cutMark), bare(part.replace(/,\s*$/, '') + cutMark)]).toContain(shown);
    }),
  );
});

test('a name that is cut off has no colon', () => {
  expect(laidOut(`[{"${cutMark}`)).toBe(`[\n  {\n    "${cutMark}`);
});

test('numbers and members that stand there twice are shown as they came', () => {
  const text = `{"a":12345678901234567890,"a":1.0,"long":"${'x'.repeat(80)}"}`;
  expect(laidOut(text)).toBe(`{\n  "a": 12345678901234567890,\n  "a": 1.0,\n  "long": "${'x'.repeat(80)}"\n}`);
});

test.each([
  '{not: "JSON"}',
  `{{ template }}${cutMark}`,
  `[1 2${cutMark}`,
  `{"a" "b"${cutMark}`,
  `${'['.repeat(5000)}${cutMark}`,
  'text',
  `[${'1,'.repeat(40_000)}1]`,
])('what is no JSON, or too much, stands as it came: %.20s', (text) => {
  expect(laidOut(text)).toBe(text);
});
