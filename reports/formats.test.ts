import { expect, test } from 'vitest';
import { reportFormats } from '../cli/options.ts';
import { formatOf, formats } from './formats.ts';
import { runWith } from './run.fixture.ts';

test('the command line offers exactly these formats', () => {
  expect(Object.keys(formats)).toEqual([...reportFormats]);
});

test('an unknown format names the nearest', () => {
  expect(() => formatOf('markdwn')).toThrow('Unknown report format "markdwn"; did you mean "markdown"?');
  expect(() => formatOf('constructor')).toThrow('Unknown report format');
  expect(formatOf('junit').extension).toBe('xml');
});

test.each(Object.entries(formats))(
  '%s is a document of one run, of several and of none',
  (_name, { write, writeAll }) => {
    const run = runWith([], { implementation: 'Their & <service>' });
    expect(write(run).length).toBeGreaterThan(50);
    expect(writeAll([run])).toContain(write(run).slice(0, 1));
    for (const runs of [[run, run], []]) expect(writeAll(runs)).toMatch(/\n$/);
  },
);
