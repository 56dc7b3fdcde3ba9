import { expect, test } from 'vitest';
import { lookUpCommand, placesOf, sourceText } from './source.ts';
import { allRules } from './run.fixture.ts';

test.each([
  [
    'core: Server side paging 4 (example of 18 entries)',
    'core REST API, section “Server side paging”, number 4 (example of 18 entries)',
  ],
  ['core: Batch rules 5; Errors 404', 'core REST API, section “Batch rules”, number 5; section “Errors”, row 404'],
  [
    'extensions: Limits, retries row 1; Errors, rule 2',
    'file API and external extensions, section “Limits”, retries row 1; section “Errors”, rule 2',
  ],
  [
    'extensions: Events, rule 4; core: Common request headers, row X-Correlation-Id',
    'file API and external extensions, section “Events”, rule 4; core REST API, section “Common request headers”, row X-Correlation-Id',
  ],
  [
    'core: Authentication 1 and 6 (a JWT; its expiry claim)',
    'core REST API, section “Authentication”, number 1 and 6 (a JWT; its expiry claim)',
  ],
])('%s', (source, text) => {
  expect(sourceText(source)).toBe(text);
});

test('the source of every rule names a document and a section in it', () => {
  for (const { id, source } of allRules)
    for (const { document, section } of placesOf(source)) {
      expect([id, document]).not.toEqual([id, '']);
      expect([id, section]).toEqual([id, expect.stringMatching(/^[A-Z][^;()]*[a-zA-Z]$/)]);
    }
});

test('the way there is a line for a shell in which nothing of the heading is a pattern', () => {
  expect(lookUpCommand('core: Operations-based PATCH rules 3')).toBe(
    "sed -n '/^#.* Operations.based PATCH rules/,/^#/p' COPY.md",
  );
  expect(lookUpCommand('core: Errors rule 1; Versioning 3; Errors 409; extensions: Limits 1')).toBe(
    "sed -n '/^#.* Errors/,/^#/p; /^#.* Versioning/,/^#/p' COPY.md",
  );
});
