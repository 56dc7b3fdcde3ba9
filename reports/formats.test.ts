import { expect, test } from 'vitest';
import { reportFormats } from '../cli/options.ts';
import { formatOf, formats } from './formats.ts';

test('the command line offers exactly these formats', () => {
  expect(Object.keys(formats)).toEqual([...reportFormats]);
});

test('an unknown format names the nearest', () => {
  expect(() => formatOf('markdwn')).toThrow('Unknown report format "markdwn"; the nearest is "markdown".');
  expect(() => formatOf('constructor')).toThrow('Unknown report format');
  expect(formatOf('junit').extension).toBe('xml');
});
