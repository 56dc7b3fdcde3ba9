import { describe, expect, test } from 'vitest';
import { profileSchema } from './profile.ts';
import { silences } from './silences.ts';
import type { Silence } from './silences/silence.ts';

/** Keys that the ledger of the core document names and that the profile gets with the areas they belong to. */
const keysToCome = [
  'routes.softTypeSegment',
  'routes.adminWithApiKey',
  'expect.unknownSoftTypeInBody',
  'limits.entriesPerArray',
  'expect.batchSibling',
  'batch.secondEditVersion',
  'expect.batchUnsupportedRoute',
  'limits.connectionTimeoutSeconds',
  'references.entryId',
];

/** As much of a JSON schema as leads from a key to the next. */
interface Node {
  readonly properties?: Readonly<Record<string, Node>>;
}

const profile = JSON.parse(JSON.stringify(profileSchema)) as Node;
const all = [...silences.core, ...silences.extensions];

describe.each(Object.entries(silences))('the silences of %s', (document, ledger) => {
  test('have one id each', () => {
    const ids = ledger.map((silence) => silence.id);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  });

  test.each(ledger)('$id says everything in its own document', (silence) => {
    expect(silence.id).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
    expect(silence.source.startsWith(`${document}: `)).toBe(true);
    expect([silence.open, silence.choice, silence.records].filter((text) => text.trim() === '')).toEqual([]);
  });
});

test('ids are unique over both documents', () => {
  expect(new Set(all.map((silence) => silence.id)).size).toBe(all.length);
});

test('every key of the core ledger is a key of the profile, or listed as one to come', () => {
  const named = silences.core.flatMap(keysOf);
  expect(named.filter((key) => !isKeyOfProfile(key) && !keysToCome.includes(key))).toEqual([]);
});

test('no key is still listed as one to come that the profile has, or that no silence names', () => {
  const named = silences.core.flatMap(keysOf);
  expect(keysToCome.filter((key) => isKeyOfProfile(key) || !named.includes(key))).toEqual([]);
});

test('every key of expect is named by a silence', () => {
  const named = all.flatMap(keysOf);
  const keys = Object.keys(profile.properties?.['expect']?.properties ?? {});
  expect(keys.length).toBeGreaterThan(0);
  expect(keys.filter((key) => !named.includes(`expect.${key}`))).toEqual([]);
});

function keysOf(silence: Silence): readonly string[] {
  if (silence.profile === undefined) return [];
  return typeof silence.profile === 'string' ? [silence.profile] : silence.profile;
}

function isKeyOfProfile(key: string): boolean {
  return leads(profile, key.split('.'));
}

function leads(node: Node, [first, ...rest]: readonly string[]): boolean {
  if (first === undefined) return true;
  const properties = node.properties ?? {};
  const next = first === '*' ? Object.values(properties) : [properties[first]];
  return next.some((child) => child !== undefined && leads(child, rest));
}
