import { describe, expect, test } from 'vitest';
import type { Need } from '../../contract/needs.ts';
import type { Profile, SoftTypeProfile } from '../../contract/profile.ts';
import { unmetNeeds } from '../needs.ts';
import { arrangeFor, arrangeForSecondSpace } from './soft-types.ts';

const named = (definitionId: string, more: Partial<SoftTypeProfile> = {}): SoftTypeProfile => ({
  definitionId,
  inputSchemaId: 'in',
  outputSchemaId: 'out',
  body: {},
  ...more,
});
const arrayPort = { member: 'files', entry: {}, text: 'comment' };
const plain = named('Plain');
const texts = named('Texts', { scalars: ['note'] });
const arrays = named('Arrays', { arrayPort, scalars: ['note', 'remark'] });
const holder = named('Holder', { reference: { port: 'links', target: 'Held' } });
const held = named('Held', { reference: { port: 'back', target: 'Holder' } });

const spread: Profile = {
  profileVersion: 1,
  implementation: 'spread',
  baseUrl: 'http://localhost:1',
  space: 'main',
  identities: { editor: { token: 'editor-token' } },
  softTypes: { primary: plain, second: texts, further: [arrays, holder, held] },
  references: { readPath: '/id' },
  filters: { softType: 'Arrays', fixed: { id: 'f', matching: {}, other: {} } },
  maturity: { softType: 'Texts', processId: 'p', levelId: 'l' },
};

const takenFor = (...needs: readonly Need[]): readonly (string | undefined)[] => {
  const { primary, second } = arrangeFor(needs, spread).softTypes ?? {};
  return [primary?.definitionId, second?.definitionId];
};

describe('a profile whose members are spread over several SoftTypes', () => {
  test.each<readonly [needs: readonly Need[], taken: readonly string[]]>([
    [['soft-type'], ['Plain', 'Texts']],
    [
      ['soft-type', 'text-member'],
      ['Texts', 'Plain'],
    ],
    [
      ['soft-type', 'scalar-members'],
      ['Arrays', 'Texts'],
    ],
    [
      ['soft-type', 'text-member', 'array-port'],
      ['Arrays', 'Texts'],
    ],
    [
      ['soft-type', 'text-member', 'maturity'],
      ['Texts', 'Plain'],
    ],
    [
      ['soft-type', 'filter'],
      ['Arrays', 'Texts'],
    ],
    [
      ['soft-type', 'reference-port', 'second-soft-type'],
      ['Holder', 'Held'],
    ],
  ])('gives a rule that needs %j the types %j', (needs, taken) => {
    expect(unmetNeeds({ needs }, spread)).toEqual([]);
    expect(takenFor(...needs)).toEqual(taken);
  });

  test('has references named from where the rule stands', () => {
    const { primary, second } = arrangeFor(['reference-port', 'mutual-reference'], spread).softTypes ?? {};
    expect([primary?.reference?.target, second?.reference?.target]).toEqual(['second', 'primary']);
    expect(unmetNeeds({ needs: ['mutual-reference'] }, spread)).toEqual([]);
  });

  test('lets no reference lead to another type where its own target is not described', () => {
    const lost = named('Lost', { reference: { port: 'links', target: 'second' } });
    const { softTypes } = arrangeFor(['soft-type'], { ...spread, softTypes: { primary: lost, further: [held] } });
    expect([softTypes?.primary, softTypes?.second]).toEqual([named('Lost'), named('Held')]);
  });

  test('keeps filters and maturity from the types that do not have them', () => {
    expect(arrangeFor(['array-port'], spread).maturity).toBeUndefined();
    expect(arrangeFor(['array-port'], spread).filters).toBeDefined();
    expect(arrangeFor(['text-member'], spread).filters).toBeUndefined();
  });

  test('keeps filters from a further part whose array port is another', () => {
    const nested = { member: 'notes', entry: {}, text: 'note', nested: { member: 'marks', entry: {}, text: 'mark' } };
    const part = named('Arrays', { arrayPort: nested });
    const parts = { ...spread, softTypes: { primary: plain, further: [arrays, part] } };
    const needs = ['array-port', 'nested-array-port'] as const;
    expect(arrangeFor(needs, parts)).toMatchObject({ softTypes: { primary: part } });
    expect(arrangeFor(needs, parts).filters).toBeUndefined();
    expect(arrangeFor(['array-port'], parts).filters).toBeDefined();
  });

  test('lacks what no one of them has together', () => {
    expect(unmetNeeds({ needs: ['array-port', 'reference-port'] }, spread).map(({ need }) => need)).toEqual([
      'reference-port',
    ]);
    expect(unmetNeeds({ needs: ['text-member', 'maturity', 'array-port'] }, spread)).not.toEqual([]);
  });

  test('is the same profile where nothing has to be arranged, and the same again for the same types', () => {
    const { filters: _filters, maturity: _maturity, ...whole } = spread;
    expect(arrangeFor(['soft-type'], whole)).toBe(whole);
    expect(arrangeFor(['array-port'], spread)).toBe(arrangeFor(['array-port', 'scalar-members'], spread));
  });
});

describe('a profile of two spaces', () => {
  const both: Profile = {
    ...spread,
    identities: { ...spread.identities, reader: { token: 'reader-token' } },
    secondSpace: { space: 'depot', softType: arrays },
  };

  test('is one of the second space for a rule that its SoftType serves, without what holds for the first', () => {
    const there = arrangeForSecondSpace(['soft-type', 'array-port'], both);
    expect([there?.space, there?.softTypes]).toEqual(['depot', { primary: arrays }]);
    expect(there?.identities).toEqual(spread.identities);
    expect([there?.filters, there?.maturity, there?.secondSpace]).toEqual([undefined, undefined, undefined]);
  });

  test('is none for a rule that its SoftType does not serve, and where there is one space', () => {
    expect(arrangeForSecondSpace(['reference-port'], both)).toBeUndefined();
    expect(arrangeForSecondSpace(['soft-type'], spread)).toBeUndefined();
  });
});
