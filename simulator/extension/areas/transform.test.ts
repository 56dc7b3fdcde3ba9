import fc from 'fast-check';
import { expect, test } from 'vitest';
import { settingsOf } from '../task/task.ts';
import { Transformation } from './tasks.ts';

function whole(operation: 'upper-case' | 'copy', pieces: readonly Uint8Array[]): Buffer {
  const transformation = new Transformation(operation);
  return Buffer.concat([...pieces.map((piece) => transformation.take(piece)), transformation.end()]);
}

test('a text becomes the same however it is cut', () =>
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 50 }), fc.array(fc.nat(200)), (text, cuts) => {
      const bytes = Buffer.from(text);
      const places = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)).toSorted((a, b) => a - b), bytes.length];
      const pieces = places.slice(1).map((place, index) => bytes.subarray(places[index], place));
      expect(whole('upper-case', pieces)).toEqual(whole('upper-case', [bytes]));
      expect(whole('copy', pieces)).toEqual(bytes);
      const lines = text.split('\n').length - 1;
      expect(whole('upper-case', pieces).toString().endsWith(`-- ${lines} lines, ${bytes.length} bytes\n`)).toBe(true);
    }),
  ));

test('settings of any shape are understood or left aside', () =>
  fc.assert(
    fc.property(fc.anything(), (settings) => {
      const { chunkSize, operation } = settingsOf(settings);
      expect(chunkSize).toBeGreaterThan(0);
      expect(['upper-case', 'copy']).toContain(operation);
    }),
  ));

test.for([
  [0, 4_194_304],
  [1, 1],
  [67_108_864, 67_108_864],
  [67_108_865, 4_194_304],
  ['10', 4_194_304],
])('a chunk size of %s is %i', ([given, used]) => {
  expect(settingsOf({ chunkSize: given }).chunkSize).toBe(used);
});

test.for(['../up.txt', 'a/b', '..', '', 'nul\0'])('a result is not named %j', (outputName) => {
  expect(settingsOf({ outputName }).outputName).toBeUndefined();
});
