import { expect, test } from 'vitest';
import { logName, numbersIn, tellingOf, textsIn } from './bulk-upload-log.ts';

const entry = (path: string, status: string) => ({ path, status, sizeBytes: 200 });

test('the name of a log has a stamp and no directory', () => {
  for (const name of ['FileUpload_20260101.log', 'FileUpload_2026-01-01T10_00.log']) expect(name).toMatch(logName);
  for (const name of [
    'FileUpload_.log',
    'below/FileUpload_1.log',
    'FileUpload_1.json',
    'fileupload_1.log',
    'FileUpload_1.log.bak',
  ])
    expect(name).not.toMatch(logName);
});

test('every value and every name of a member is a text', () => {
  expect(textsIn({ a: [1, { b: true }], c: null })).toEqual(['a', '1', 'b', 'true', 'c', 'null']);
});

test('a number may stand in a sentence, and is no part of a date, a time, a size or a name', () => {
  expect(numbersIn('3 of 4 files (12%) in 2 s.')).toEqual(['3', '4', '12', '2']);
  for (const text of ['2026-01-03', '10:03:3', '3.5', '1.3', 'a3', '3rd.bin'])
    expect(numbersIn(text)).not.toContain('3');
});

test('two files that fared alike are told alike', () => {
  const log = { settings: {}, files: [entry('x/new.bin', 'uploaded'), entry('x/old.bin', 'uploaded')] };
  expect(tellingOf(log, 'new.bin')).toEqual(tellingOf(log, 'old.bin'));
});

test('another status, or a further mention, tells a file apart', () => {
  const files = [entry('x/new.bin', 'uploaded'), entry('x/old.bin', 'skipped')];
  expect(tellingOf({ files }, 'new.bin')).not.toEqual(tellingOf({ files }, 'old.bin'));
  const alike = [entry('x/new.bin', 'seen'), entry('x/old.bin', 'seen')];
  const log = { files: alike, errors: ['x/old.bin exists'] };
  expect(tellingOf(log, 'new.bin')).not.toEqual(tellingOf(log, 'old.bin'));
});

test('a file that the log does not mention tells nothing', () => {
  expect(tellingOf({ files: [] }, 'new.bin')).toEqual([]);
});
