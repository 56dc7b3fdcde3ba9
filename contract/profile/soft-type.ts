import { json, optional, placeholders, text } from '../schema-parts.ts';
import { Type } from '../type.ts';

const entry = json('Body of one entry of the array. The text {{unique}} becomes a different value in every entry.', [
  'unique',
]);

/** Members of a place below the root, beside its texts. */
const plain = {
  numbers: optional(
    Type.Array(text('member'), { minItems: 1, description: 'Optional number members of it; each takes 0 and 1.' }),
  ),
  flags: optional(Type.Array(text('member'), { minItems: 1, description: 'Optional boolean members of it.' })),
};

function objectMember(member: string, least: 1 | 2) {
  return Type.Closed({
    member: text(member),
    scalars: Type.Array(text(`scalar inside it; ${least === 2 ? 'two of them' : 'one or two of them'}`), {
      minItems: least,
      maxItems: 2,
    }),
    ...plain,
    body: optional(
      json('The smallest body of the object, where more than the scalars is mandatory in it; sent along.', []),
    ),
  });
}

export const arrayPort = Type.Closed({
  member: text('Name of the array member in input and output.'),
  portId: optional(text('Id of the port in the page route; the member name unless given.')),
  sectionPath: optional(text('Text by which page links name the array; recorded unless given.')),
  entry,
  text: text('Optional string member of an entry; the suite tells entries apart by it.'),
  ...plain,
  mandatory: optional(text('Member without which an entry no longer complies with the model.')),
  object: optional(objectMember('Optional member of an entry that holds an object.', 1)),
  nested: optional(
    Type.Closed({
      member: text('Array member inside an entry, room for 21.'),
      entry,
      text: text('String member of a nested entry.'),
      ...plain,
      portId: optional(
        Type.String({
          description:
            'Port id of the nested array in the page route, where known; {{entryId}} is the id of its entry.',
          minLength: 1,
          ...placeholders('{{', ['entryId']),
        }),
      ),
    }),
  ),
});

export const softType = Type.Closed({
  definitionId: text('Id of the SoftType definition.'),
  inputSchemaId: text('Id of the input schema used to create and edit.'),
  outputSchemaId: text('Id of the output schema used to read.'),
  shortRouteSchemaId: optional(text('Output schema that the short read route applies; recorded unless given.')),
  body: json('The smallest body that creates an instance. {{unique}} becomes a fresh text.', ['unique']),
  scalars: optional(
    Type.Array(text('member'), {
      minItems: 1,
      maxItems: 2,
      description: 'One or two optional string members at the root, named alike in input and output.',
    }),
  ),
  numbers: optional(
    Type.Array(text('member'), {
      minItems: 1,
      description: 'Optional number members at the root, named alike in input and output; each takes 0 and 1.',
    }),
  ),
  flags: optional(
    Type.Array(text('member'), {
      minItems: 1,
      description: 'Optional boolean members at the root, named alike in input and output.',
    }),
  ),
  object: optional(objectMember('Optional root member that holds an object.', 2)),
  arrayPort: optional(arrayPort),
  secondArrayPort: optional(arrayPort),
  scalarList: optional(text('A member that holds an array of plain strings.')),
  renamed: optional(
    Type.Closed({ input: text('Name in the input schema.'), output: text('Name in the output schema.') }),
  ),
  escaped: optional(text('String member whose name holds a slash or a tilde.')),
  dated: optional(
    Type.Closed({
      path: text(
        'JSON Pointer that a replace of the dated element addresses, in input names; {entryId} in the place of a segment stands for the id of the first entry of the array before it.',
      ),
      value: json('Body members that give a fresh object its dated element at creation.'),
      replaceWith: Type.Unknown({
        description: 'Value of the replace operation; {{unique}} becomes a fresh text.',
      }),
      datePath: text(
        'JSON Pointer into data under which the effectivity date is read, as /price/effectivity or /files/0/price/effectivity.',
      ),
    }),
  ),
  secondInputSchema: optional(
    text('Id of another input schema: it has the members of body and the scalars by the same names, and lacks others.'),
  ),
  secondOutputSchema: optional(
    Type.Closed({
      id: text('Id of another output schema.'),
      shows: Type.Array(text('member it shows'), { minItems: 1 }),
      lacks: Type.Array(text('scalar, object or array port that only the first schema shows'), { minItems: 1 }),
    }),
  ),
  reference: optional(
    Type.Closed({
      port: text('Port that holds references, as an array of entries with id and value.'),
      single: optional(
        Type.Boolean({
          description: 'Whether the port holds one reference, written and read as the entry itself without an array.',
        }),
      ),
      target: text('What the references lead to: primary, second, or the definitionId of a SoftType of the profile.'),
    }),
  ),
});
