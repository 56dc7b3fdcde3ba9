import { Ajv } from 'ajv';
import { readFileSync } from 'node:fs';
import fc, { constantFrom, option, record } from 'fast-check';
import { Check } from 'typebox/schema';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { profileSchema } from '../../contract/profile.ts';
import { jsonValue } from '../../fixtures/arbitraries.ts';
import { isObject } from '../json.ts';

type Holder = Record<string | number, unknown>;

const text = readFileSync(new URL('../../fixtures/profile.yaml', import.meta.url), 'utf8');

const bundled: unknown = parse(text.replaceAll(/\$\{\w+\}/g, 'http://localhost:1'));

/** Where members and elements of a value stand, in one order. */
function placesIn(value: unknown): readonly (readonly [Holder, string | number])[] {
  if (!isObject(value) && !Array.isArray(value)) return [];
  const holder = value as Holder;
  return Object.keys(holder).flatMap((key) => [[holder, key] as const, ...placesIn(holder[key])]);
}

/** Who follows the schema tells right from wrong as who compiles it, who alone can tell what is wrong. */
test('a profile with some part taken out, put in its place or beside it is right or wrong for both', () => {
  const compiled = new Ajv({ strict: false }).compile(profileSchema);
  expect(Check(profileSchema, bundled)).toBe(true);
  const places = placesIn(bundled).map((_place, index) => index);
  const change = record({
    place: constantFrom(...places),
    value: option(jsonValue(2), { nil: undefined }),
    beside: option(constantFrom('a', 'type', 'path', 'x-note'), { nil: undefined }),
  });
  fc.assert(
    fc.property(change, ({ place, value, beside }) => {
      const profile: unknown = structuredClone(bundled);
      const [holder, key] = placesIn(profile)[place] ?? [{} as Holder, ''];
      if (beside !== undefined && !Array.isArray(holder)) holder[beside] = value ?? null;
      else if (value === undefined) delete holder[key];
      else holder[key] = value;
      const sent: unknown = JSON.parse(JSON.stringify(profile));
      expect(Check(profileSchema, sent)).toBe(compiled(sent));
    }),
    { numRuns: 300 },
  );
});
