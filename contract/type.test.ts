import { Type as Original } from 'typebox';
import { expect, test } from 'vitest';
import { Type } from './type.ts';

/** A schema with every word, with options and without. */
function schemaOf(words: Omit<typeof Type, 'Closed'>) {
  const text = words.String({ minLength: 1 });
  const described = { description: 'told' };
  return words.Object(
    {
      text,
      plain: words.String(),
      numbers: words.Array(words.Number(), { minItems: 1 }),
      counts: words.Record(words.String({ pattern: '^a' }), words.Integer({ minimum: 0 }), described),
      any: words.Record(text, words.Unknown()),
      pair: words.Tuple([text, words.Boolean()], described),
      literals: words.Union([words.Literal('a', described), words.Literal(1), words.Literal(true), words.Null()]),
      one: words.Enum(['a', 1], described),
      optional: words.Optional(words.Union([text, words.Ref('there', described)], described)),
      unsafe: words.Unsafe<string>({ $ref: 'there' }),
      onlyOptional: words.Object({ text: words.Optional(text) }),
      empty: words.Optional(words.Object({})),
      unknown: words.Unknown(described),
    },
    { additionalProperties: false },
  );
}

test('each word makes what typebox makes of it, in the same order', () => {
  expect(JSON.stringify(schemaOf(Type))).toBe(JSON.stringify(schemaOf(Original)));
});

test('what is optional in one place stays mandatory in others', () => {
  const text = Type.String();
  Type.Optional(text);
  expect(Type.Object({ text })).toHaveProperty('required', ['text']);
});

test('a closed object has no members but its own', () => {
  const text = Type.String();
  expect(JSON.stringify(Type.Closed({ text }, { title: 'told' }))).toBe(
    JSON.stringify(Original.Object({ text }, { additionalProperties: false, title: 'told' })),
  );
});
