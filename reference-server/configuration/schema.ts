import { Type, type Static } from 'typebox';

/** Shapes of the two files that a server is configured with. Every key is known, so that a slip of the pen is not taken for an omission. */
const closed = { additionalProperties: false } as const;
const name = Type.String({ minLength: 1 });
const mandatory = Type.Optional(Type.Boolean());
const scalar = Type.Enum(['string', 'integer', 'number', 'boolean']);

/** A member; `members` is checked by the very same schema, which typebox would have to know by a name. */
export interface MemberSource {
  readonly kind: 'string' | 'integer' | 'number' | 'boolean' | 'list' | 'dated' | 'object' | 'entries' | 'references';
  readonly mandatory?: boolean;
  readonly of?: 'string' | 'integer' | 'number' | 'boolean';
  readonly to?: string;
  readonly members?: Readonly<Record<string, MemberSource>>;
}

const memberSchema = {
  $id: 'member',
  type: 'object',
  required: ['kind'],
  discriminator: { propertyName: 'kind' },
  oneOf: [
    Type.Object({ kind: scalar, mandatory }, closed),
    Type.Object({ kind: Type.Enum(['list', 'dated']), of: scalar, mandatory }, closed),
    Type.Object(
      {
        kind: Type.Enum(['object', 'entries']),
        members: Type.Record(name, Type.Unsafe<MemberSource>({ $ref: 'member' })),
        mandatory,
      },
      closed,
    ),
    Type.Object({ kind: Type.Literal('references'), to: name, mandatory }, closed),
  ],
};

const viewSchema = Type.Object(
  { only: Type.Optional(Type.Array(name)), rename: Type.Optional(Type.Record(name, name)) },
  closed,
);
const viewsSchema = Type.Record(name, viewSchema, { minProperties: 1 });

const softTypeSchema = Type.Object(
  {
    members: Type.Record(name, Type.Unsafe<MemberSource>(memberSchema)),
    inputs: viewsSchema,
    outputs: viewsSchema,
    maturity: Type.Optional(name),
  },
  closed,
);

const filterSchema = Type.Object(
  {
    softType: name,
    port: name,
    member: name,
    equals: Type.Optional(Type.String()),
    groupId: Type.Optional(name),
    criteriaPort: Type.Optional(name),
  },
  closed,
);

const maturitySchema = Type.Object(
  { levels: Type.Record(name, Type.Object({ states: Type.Array(name, { minItems: 1 }) }, closed)) },
  closed,
);

const templateSchema = Type.Object(
  {
    name,
    softTypes: Type.Record(name, softTypeSchema),
    filters: Type.Record(name, filterSchema),
    maturity: Type.Record(name, maturitySchema),
  },
  closed,
);

export const templatesSchema = Type.Object({ templates: Type.Record(name, templateSchema) }, closed);

const key = Type.String({ pattern: '^(?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$' });

const authSchema = Type.Object(
  {
    clientId: name,
    clientSecret: name,
    signingKey: key,
    tokenLifetimeSeconds: Type.Integer({ minimum: 1 }),
    idTokenIssuer: name,
    idTokenAudience: name,
    idTokenKey: key,
  },
  closed,
);

const methodSchema = Type.Enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']);
const userSchema = Type.Object(
  {
    displayName: name,
    password: name,
    pat: name,
    email: Type.Optional(name),
    collectionAdministrator: Type.Optional(Type.Boolean()),
  },
  closed,
);
const spaceSchema = Type.Object(
  { name, template: name, participants: Type.Record(name, Type.Record(name, name)) },
  closed,
);

export const seedSchema = Type.Object(
  {
    collection: Type.Object({ id: name, name }, closed),
    baseAddress: Type.Optional(Type.String({ pattern: '^https?://[^?#]+$' })),
    emailFrom: Type.Optional(name),
    administrationKey: Type.Optional(key),
    auth: authSchema,
    roles: Type.Record(name, Type.Object({ methods: Type.Array(methodSchema) }, closed)),
    spaces: Type.Record(name, spaceSchema),
    users: Type.Record(name, userSchema),
  },
  closed,
);

export type TemplatesSource = Static<typeof templatesSchema>;
export type TemplateSource = TemplatesSource['templates'][string];
export type SoftTypeSource = TemplateSource['softTypes'][string];
export type ViewSource = SoftTypeSource['inputs'][string];
export type SeedSource = Static<typeof seedSchema>;
