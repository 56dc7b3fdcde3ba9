import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { hostileText } from '../../reports/run.fixture.ts';
import { KnownError, knownIn, withKnown } from './edit-known.ts';

const around = [
  'profileVersion:   1  # first\n',
  'identities:\n    editor: { password:   ${EDITOR_PASSWORD}, username: "edda" }   # spaces\n\n',
  "# what follows\nlong: '" + 'word '.repeat(40) + "'\n",
];
const [head, middle, tail] = around as [string, string, string];
const listed =
  'knownFailures:\n  # of the spring\n  paging.a: ticket 7 # soon\n  paging.b: { reason: ticket 8, until: 2027-01-31 }\n';

test('entries come and go, everything else stays to the letter', () => {
  const text = `${head}${middle}${listed}${tail}`;
  expect(knownIn(text)).toEqual(['paging.a', 'paging.b']);
  const edited = withKnown(text, { add: { 'patch.c': 'expected "x": # y' }, remove: ['paging.a', 'not.there'] });
  expect(edited.startsWith(head + middle)).toBe(true);
  expect(edited.endsWith(tail)).toBe(true);
  expect(edited).toContain('  # of the spring\n');
  expect(parse(edited.replace('${EDITOR_PASSWORD}', 'x'))).toMatchObject({
    knownFailures: { 'paging.b': { reason: 'ticket 8', until: '2027-01-31' }, 'patch.c': 'expected "x": # y' },
  });
});

test('a pattern gives way to what is left of it, in its place and with its comments', () => {
  const text = `${head}knownFailures:\n  paging.a: x\n  # of the spring\n  files.*: { reason: ticket 9, until: 2027-01-31 } # soon\n  patch.c: y\n${tail}`;
  const edited = withKnown(text, { add: {}, remove: [], narrow: { 'files.*': ['files.a', 'files.b'] } });
  expect(edited).toBe(
    text.replace(
      '  files.*: { reason: ticket 9, until: 2027-01-31 } # soon\n',
      '  files.a: { reason: ticket 9, until: 2027-01-31 }\n  files.b: { reason: ticket 9, until: 2027-01-31 } # soon\n',
    ),
  );
  expect(knownIn(withKnown(text, { add: {}, remove: [], narrow: { 'files.*': [] } }))).toEqual(['paging.a', 'patch.c']);
});

test.each(['\n', '\r\n'])('a list is begun at the end and taken away when it is empty', (newline) => {
  const text = (head + middle).replaceAll('\n', newline);
  const begun = withKnown(text, { add: { 'paging.a': 'ticket 7' }, remove: [] });
  expect(begun).toBe(`${text}knownFailures:${newline}  paging.a: ticket 7${newline}`);
  expect(withKnown(begun, { add: {}, remove: ['paging.a'] })).toBe(text);
  expect(withKnown(text.trimEnd(), { add: { 'paging.a': 'ticket 7' }, remove: [] })).toContain(
    `${newline}knownFailures:${newline}`,
  );
});

test.each([
  'knownFailures:\n',
  'knownFailures: {}\n',
  'knownFailures: { paging.b: ticket 8 }\n',
  '{ profileVersion: 1 }',
])('whatever form the list has: %s', (text) => {
  expect(knownIn(withKnown(text, { add: { 'paging.a': 'ticket 7' }, remove: ['paging.b'] }))).toEqual(['paging.a']);
});

test('any reason reads back as it was', () => {
  fc.assert(
    fc.property(hostileText, (reason) => {
      const printable = reason.replaceAll(/[\p{Cc}\p{Cs}\ufffe\uffff\u2028\u2029]/gu, ' ');
      const edited = withKnown(`${head}${listed}${tail}`, { add: { 'patch.c': printable }, remove: [] });
      expect(parse(edited)).toMatchObject({ knownFailures: { 'patch.c': printable, 'paging.a': 'ticket 7' } });
      expect(edited.startsWith(head) && edited.endsWith(tail)).toBe(true);
    }),
  );
});

test.each(['a: [', '- a\n', ''])('a file that is no profile is told: %j', (text) => {
  expect(() => withKnown(text, { add: { 'paging.a': 'x' }, remove: [] })).toThrow(KnownError);
});
