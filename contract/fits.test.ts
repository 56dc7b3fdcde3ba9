import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { plainlyFits } from './fits.ts';
import { profileSchema } from './profile.ts';

const names = fc.constantFrom('a', 'b', 'ab', '__proto__', 'toString', '');
const texts = fc.oneof(names, fc.string({ unit: 'grapheme', maxLength: 3 }));
const numbers = fc.constantFrom(0, -0, 1, 1.5, -2, 1e21);
const scalars = fc.oneof(texts, numbers, fc.boolean(), fc.constant(null));

const { value: values } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    scalars,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(names, tie('value'), { maxKeys: 3 }),
  ),
}));

const sizes = fc.integer({ min: 0, max: 3 });
const patterns = fc.constantFrom('^.*$', '^a', 'b$', '^.$');

const { schema: schemas } = fc.letrec<{ schema: object }>((tie) => {
  const members = fc.dictionary(names, tie('schema'), { maxKeys: 3 });
  const words = fc.record(
    {
      type: fc.constantFrom('object', 'array', 'string', 'number', 'integer', 'boolean', 'null'),
      const: scalars,
      enum: fc.uniqueArray(scalars, { minLength: 1, maxLength: 3 }),
      minimum: sizes,
      maximum: sizes,
      exclusiveMinimum: sizes,
      minLength: sizes,
      pattern: patterns,
      minItems: sizes,
      maxItems: sizes,
      minProperties: sizes,
      required: fc.uniqueArray(names, { maxLength: 2 }),
      description: texts,
      items: tie('schema'),
      anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }),
      properties: members,
      patternProperties: fc.dictionary(patterns, tie('schema'), { maxKeys: 2 }),
      additionalProperties: fc.oneof(fc.boolean(), tie('schema')),
    },
    { requiredKeys: [] },
  );
  // few words at a time, so that something fits
  const few = fc.tuple(words, fc.integer({ min: 1, max: 3 }), fc.nat()).map(([all, count, from]) => {
    const entries = Object.entries(all);
    return Object.fromEntries(entries.slice(from % (entries.length + 1)).slice(0, count));
  });
  return { schema: fc.oneof({ maxDepth: 3 }, fc.constant({}), few) };
});

test('what is said to fit does fit, and what fits is said to', () => {
  let fitting = 0;
  fc.assert(
    fc.property(schemas, fc.array(values, { minLength: 5, maxLength: 5 }), (schema, some) => {
      const compiled = new Ajv({ strict: false, validateSchema: false }).compile(schema);
      for (const value of some) {
        const isRight = compiled(value);
        fitting += isRight ? 1 : 0;
        if (plainlyFits(schema, value)) expect(isRight).toBe(true);
        else if (!JSON.stringify([schema, value]).includes('__proto__') && !inherits(schema))
          expect(isRight).toBe(false);
      }
    }),
    { numRuns: 400 },
  );
  expect(fitting).toBeGreaterThan(200);
});

/** The compiled code takes what every object inherits for a member. */
function inherits(schema: object): boolean {
  return JSON.stringify(schema).includes('"toString"');
}

test.each([{ oneOf: [{}] }, { $ref: '#' }, { type: ['array', 'null'] }, { items: [{}] }, { uniqueItems: true }])(
  'with words that are not understood nothing fits: %j',
  (schema) => {
    expect(plainlyFits(schema, [1])).toBe(false);
  },
);

test('the bundled profile fits, so that nothing is compiled for it', () => {
  const text = readFileSync(new URL('../fixtures/profile.yaml', import.meta.url), 'utf8');
  const profile: unknown = parse(text.replaceAll(/\$\{\w+\}/g, 'http://localhost:1'));
  expect(plainlyFits(profileSchema, profile)).toBe(true);
  expect(plainlyFits(profileSchema, { ...Object(profile), unknown: 1 })).toBe(false);
});
