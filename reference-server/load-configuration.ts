import { fileURLToPath } from 'node:url';
import type { Static } from 'typebox';
import { base64 } from '../contract/base64.ts';
import { fitting, type Fit, offsetIn, type Path } from '../contract/misfit.ts';
import { readTextFile } from '../contract/named-file.ts';
import { loadYaml } from '../contract/packages.ts';
import bundled from '../fixtures/bundled.json' with { type: 'json' };
import type { LineCounter } from 'yaml';
import type {
  AuthSettings,
  Configuration,
  Filter,
  MaturityProcess,
  Member,
  Members,
  SchemaView,
  SoftType,
  Space,
  Template,
} from './configuration.ts';
import { Type } from '../contract/type.ts';

/** What a server can be started with beyond its configuration. */
export interface StartUpOptions {
  /** That of `fixtures` unless given. */
  readonly configuration?: Configuration;
  /** Base64 of the key that opens bulk upload from the start, in the place of that of the configuration. */
  readonly administrationKey?: string;
  /** Directories of this host that bulk uploads may take files from; any unless given. */
  readonly bulkSources?: readonly string[];
  /** Longest stream upload, in bytes, from 1; 64 MiB unless given. */
  readonly maxStreamBytes?: number;
}

/** What a server is configured with: each a YAML file, or what would stand in it. */
interface ConfigurationSources {
  readonly space: string | URL | TemplatesSource | undefined;
  readonly seed: string | URL | SeedSource | undefined;
}

let loaded: Configuration | undefined;

/** Fewer bytes are guessed too easily. Source: ledger signature-key-format */
const fewestAdministrationKeyBytes = 16;

/** What is wrong with a configuration file, and where. Line and column count from 1. */
export class ConfigurationError extends Error {
  readonly code = 'CONFIGURATION';

  constructor(place: Place, complaint: string) {
    super(`${place.file}:${place.line}:${place.column}: ${complaint}`);
  }
}

interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** A configuration file whose content fits its schema, with the way back from a path to its line. */
interface Source<T> {
  readonly content: T;
  /** @param path keys from the root on */
  error(path: Path, complaint: string): ConfigurationError;
}

/** Takes a content as what a schema describes, or tells where it does not fit. */
type Read<T> = (content: unknown) => Fit<T>;

/** Shapes of the two files that a server is configured with. Every key is known, so that a slip of the pen is not taken for an omission. */
const name = Type.String({ minLength: 1 });

const mandatory = Type.Optional(Type.Boolean());

const scalar = Type.Enum(['string', 'integer', 'number', 'boolean']);

/** A member; `members` is checked by the very same schema, which typebox would have to know by a name. */
interface MemberSource {
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
    Type.Closed({ kind: scalar, mandatory }),
    Type.Closed({ kind: Type.Enum(['list', 'dated']), of: scalar, mandatory }),
    Type.Closed({
      kind: Type.Enum(['object', 'entries']),
      members: Type.Record(name, Type.Unsafe<MemberSource>({ $ref: 'member' })),
      mandatory,
    }),
    Type.Closed({ kind: Type.Literal('references'), to: name, mandatory }),
  ],
};

const viewSchema = Type.Closed({
  only: Type.Optional(Type.Array(name)),
  rename: Type.Optional(Type.Record(name, name)),
});

const viewsSchema = Type.Record(name, viewSchema, { minProperties: 1 });

const softTypeSchema = Type.Closed({
  members: Type.Record(name, Type.Unsafe<MemberSource>(memberSchema)),
  inputs: viewsSchema,
  outputs: viewsSchema,
  maturity: Type.Optional(name),
});

const filterSchema = Type.Closed({
  softType: name,
  port: name,
  member: name,
  equals: Type.Optional(Type.String()),
  groupId: Type.Optional(name),
  criteriaPort: Type.Optional(name),
});

const maturitySchema = Type.Closed({
  levels: Type.Record(name, Type.Closed({ states: Type.Array(name, { minItems: 1 }) })),
});

const templateSchema = Type.Closed({
  name,
  softTypes: Type.Record(name, softTypeSchema),
  filters: Type.Record(name, filterSchema),
  maturity: Type.Record(name, maturitySchema),
});

export const templatesSchema = Type.Closed({ templates: Type.Record(name, templateSchema) });

const key = Type.String({ pattern: '^(?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$' });

const authSchema = Type.Closed({
  clientId: name,
  clientSecret: name,
  signingKey: key,
  tokenLifetimeSeconds: Type.Integer({ minimum: 1 }),
  idTokenIssuer: name,
  idTokenAudience: name,
  idTokenKey: key,
});

const methodSchema = Type.Enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']);

const userSchema = Type.Closed({
  displayName: name,
  password: name,
  pat: name,
  email: Type.Optional(name),
  collectionAdministrator: Type.Optional(Type.Boolean()),
});

const spaceSchema = Type.Closed({ name, template: name, participants: Type.Record(name, Type.Record(name, name)) });

export const seedSchema = Type.Closed({
  collection: Type.Closed({ id: name, name }),
  baseAddress: Type.Optional(Type.String({ pattern: '^https?://[^?#]+$' })),
  emailFrom: Type.Optional(name),
  administrationKey: Type.Optional(key),
  auth: authSchema,
  roles: Type.Record(name, Type.Closed({ methods: Type.Array(methodSchema) })),
  spaces: Type.Record(name, spaceSchema),
  users: Type.Record(name, userSchema),
});

export type TemplatesSource = Static<typeof templatesSchema>;

type TemplateSource = TemplatesSource['templates'][string];

type SoftTypeSource = TemplateSource['softTypes'][string];

export type SeedSource = Static<typeof seedSchema>;

export const readTemplates: Read<TemplatesSource> = fitting(templatesSchema, { discriminator: true });
export const readSeed: Read<SeedSource> = fitting(seedSchema);

type Complain = Source<TemplatesSource>['error'];

/** @throws {ConfigurationError | RangeError} a file, a key or a number that is not right */
export function startUpConfiguration(options: StartUpOptions): Configuration {
  const { configuration = loadConfiguration(), administrationKey, bulkSources, maxStreamBytes } = options;
  const complaint = administrationKey === undefined ? undefined : administrationKeyComplaint(administrationKey);
  if (complaint !== undefined) throw new RangeError(`${complaint.slice(0, 1).toUpperCase()}${complaint.slice(1)}.`);
  assertStreamLimit(maxStreamBytes);
  return {
    ...configuration,
    ...(administrationKey !== undefined && { administrationKey }),
    ...(bulkSources !== undefined && { bulkSources }),
    ...(maxStreamBytes !== undefined && { maxStreamBytes }),
  };
}

/** @throws {RangeError} */
function assertStreamLimit(bytes = 1): void {
  if (Number.isSafeInteger(bytes) && bytes >= 1) return;
  throw new RangeError(`Expected a stream limit that is a whole number of bytes from 1 on, found ${bytes}.`);
}

/** The configuration of the package; read once a process, for a configuration never changes. */
export function loadConfiguration(): Configuration {
  return (loaded ??= configurationOf({ space: undefined, seed: undefined }));
}

/** A configuration with files or contents of its own in the place of those of the package. @throws {ConfigurationError | Error} what is not right, or a file that cannot be read */
export function configurationOf({ space, seed }: ConfigurationSources): Configuration {
  return configurationFrom(
    space === undefined
      ? bundledSource(bundled.space as TemplatesSource, 'space-template.yaml')
      : sourceOf(space, 'space', readTemplates),
    seed === undefined ? bundledSource(bundled.seed as SeedSource, 'seed.yaml') : sourceOf(seed, 'seed', readSeed),
  );
}

/** A file of the package: that it fits is known from a test, and it is read only to tell where something does not point. */
function bundledSource<T>(content: T, name: string): Source<T> {
  const file = fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url));
  const asItIs = (): Fit<T> => ({ value: content });
  return { content, error: (path, complaint) => readSource(file, asItIs).error(path, complaint) };
}

function sourceOf<T>(source: string | URL | object, name: string, read: Read<T>): Source<T> {
  if (typeof source === 'string') return readSource(source, read);
  if (source instanceof URL) return readSource(fileURLToPath(source), read);
  return sourceFrom(name, JSON.stringify(source, null, 2), read);
}

/** @throws {ConfigurationError} a name that points nowhere */
export function configurationFrom(templateSource: Source<TemplatesSource>, seed: Source<SeedSource>): Configuration {
  const templates = templatesFrom(templateSource);
  const { collection, auth, roles, spaces, users, ...outside } = seed.content;
  assertHolders(seed);
  assertAdministrationKey(seed);
  return {
    ...outside,
    collection,
    auth: authFrom(auth),
    templates,
    spaces: mapOf(spaces, (space, id) => spaceFrom(id, space, templates, seed.error)),
    users: mapOf(users, (user, name) => ({ name, collectionAdministrator: false, ...user })),
    roles: mapOf(roles, (role) => new Set<string>(role.methods)),
  };
}

function spaceFrom(
  id: string,
  source: SeedSource['spaces'][string],
  templates: ReadonlyMap<string, Template>,
  complain: Source<SeedSource>['error'],
): Space {
  const template = templates.get(source.template);
  if (!template)
    throw complain(['spaces', id, 'template'], `names the template ${source.template}, which does not exist`);
  return {
    id,
    name: source.name,
    template,
    participants: mapOf(source.participants, (holders) => new Map(Object.entries(holders))),
  };
}

/** Every role holder is a user, every role held is one of those listed. */
function assertHolders({ content: { spaces, users, roles }, error }: Source<SeedSource>): void {
  for (const [spaceId, space] of Object.entries(spaces)) {
    for (const [participantId, holders] of Object.entries(space.participants)) {
      const path = ['spaces', spaceId, 'participants', participantId];
      for (const [user, role] of Object.entries(holders)) {
        if (!Object.hasOwn(users, user)) throw error([...path, user], `names the user ${user}, who does not exist`);
        if (!Object.hasOwn(roles, role)) throw error([...path, user], `names the role ${role}, which does not exist`);
      }
    }
  }
}

function assertAdministrationKey({ content: { administrationKey }, error }: Source<SeedSource>): void {
  const complaint = administrationKey === undefined ? undefined : administrationKeyComplaint(administrationKey);
  if (complaint !== undefined) throw error(['administrationKey'], complaint);
}

function authFrom(source: SeedSource['auth']): AuthSettings {
  return {
    ...source,
    signingKey: Buffer.from(source.signingKey, 'base64'),
    idTokenKey: Buffer.from(source.idTokenKey, 'base64'),
  };
}

/** What is wrong with a key, without a word of it; undefined for one that can be used. */
function administrationKeyComplaint(key: string): string | undefined {
  const found = base64.test(key) ? `${Buffer.from(key, 'base64').length} bytes` : 'no Base64';
  if (base64.test(key) && Buffer.from(key, 'base64').length >= fewestAdministrationKeyBytes) return undefined;
  return `the administration key must be Base64, with padding, of ${fewestAdministrationKeyBytes} random bytes or more; found ${found}`;
}

/** @throws {ConfigurationError} no file that can be read, no YAML, or not what the schema says */
function readSource<T>(file: string, read: Read<T>): Source<T> {
  const refusal = (why: string): ConfigurationError => new ConfigurationError({ file, line: 1, column: 1 }, why);
  return sourceFrom(file, readTextFile(file, refusal), read);
}

/** @throws {ConfigurationError} */
export function sourceFrom<T>(file: string, text: string, read: Read<T>): Source<T> {
  const { LineCounter, parseDocument } = loadYaml();
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const [error] = document.errors;
  if (error)
    throw new ConfigurationError(
      { file, ...linePosition(lines, error.pos[0]) },
      error.message.split('\n', 1)[0] ?? error.code,
    );
  const at = (offset: number, complaint: string): ConfigurationError =>
    new ConfigurationError({ file, ...linePosition(lines, offset) }, complaint);
  const fit = read(document.toJS());
  if ('value' in fit)
    return { content: fit.value, error: (path, complaint) => at(offsetIn(document, path), complaint) };
  const { path, key, sentence } = fit.misfit;
  throw at(offsetIn(document, path, key), sentence);
}

function linePosition(lines: LineCounter, offset: number): { readonly line: number; readonly column: number } {
  const { line, col } = lines.linePos(offset);
  return { line, column: col };
}

/** The templates of a file, by id. @throws {ConfigurationError} a name that points nowhere */
function templatesFrom(source: Source<TemplatesSource>): ReadonlyMap<string, Template> {
  return mapOf(source.content.templates, (template, id) => templateFrom(id, template, source.error));
}

function templateFrom(id: string, source: TemplateSource, complain: Complain): Template {
  const path = ['templates', id];
  const processes = mapOf(source.maturity, processFrom);
  const softTypes = mapOf(source.softTypes, (softType, softTypeId) => {
    assertReferences(softType.members, source, [...path, 'softTypes', softTypeId, 'members'], complain);
    return softTypeFrom(softTypeId, softType, processes, [...path, 'softTypes', softTypeId], complain);
  });
  const filters = mapOf(source.filters, (filter, filterId): Filter => ({ id: filterId, ...filter }));
  for (const filter of filters.values()) assertFilter(filter, softTypes, [...path, 'filters', filter.id], complain);
  return { id, name: source.name, softTypes, filters };
}

function processFrom(source: TemplateSource['maturity'][string], id: string): MaturityProcess {
  return { id, levels: mapOf(source.levels, (level) => level.states) };
}

function softTypeFrom(
  id: string,
  source: SoftTypeSource,
  processes: ReadonlyMap<string, MaturityProcess>,
  path: readonly string[],
  complain: Complain,
): SoftType {
  const members = membersFrom(source.members);
  const viewsOf = (kind: 'inputs' | 'outputs'): ReadonlyMap<string, SchemaView> =>
    mapOf(source[kind], (view, viewId) => viewFrom(viewId, view, members, [...path, kind, viewId], complain));
  const views = { inputs: viewsOf('inputs'), outputs: viewsOf('outputs') };
  if (source.maturity === undefined) return { id, members, ...views };
  const maturity = processes.get(source.maturity);
  if (!maturity)
    throw complain([...path, 'maturity'], `names the maturity process ${source.maturity}, which the template lacks`);
  return { id, members, ...views, maturity };
}

function membersFrom(source: Readonly<Record<string, MemberSource>>): Members {
  return mapOf(source, memberFrom);
}

function memberFrom({ kind, mandatory = false, of = 'string', to = '', members = {} }: MemberSource): Member {
  switch (kind) {
    case 'list':
    case 'dated':
      return { kind, of, mandatory };
    case 'object':
    case 'entries':
      return { kind, members: membersFrom(members), mandatory };
    case 'references':
      return { kind, to, mandatory };
    default:
      return { kind, mandatory };
  }
}

/** Without `only` a schema holds all members; both lists speak canonical names. */
function viewFrom(
  id: string,
  source: SoftTypeSource['inputs'][string],
  members: Members,
  path: readonly string[],
  complain: Complain,
): SchemaView {
  const { only = [...members.keys()], rename = {} } = source;
  for (const member of [...only, ...Object.keys(rename)]) {
    if (!members.has(member)) throw complain(path, `names the member ${member}, which the definition lacks`);
  }
  const held = [...members.keys()].filter((member) => only.includes(member));
  const names = new Map(held.map((member) => [rename[member] ?? member, member]));
  if (names.size !== held.length) throw complain(path, 'gives two members one name');
  return { id, names };
}

function assertReferences(
  members: SoftTypeSource['members'],
  template: TemplateSource,
  path: readonly string[],
  complain: Complain,
): void {
  for (const [name, member] of Object.entries(members)) {
    const at = [...path, name];
    if (member.kind === 'references' && !Object.hasOwn(template.softTypes, member.to ?? '')) {
      throw complain([...at, 'to'], `refers to the definition ${member.to}, which the template lacks`);
    }
    if (member.members) assertReferences(member.members, template, [...at, 'members'], complain);
  }
}

function assertFilter(
  filter: Filter,
  softTypes: ReadonlyMap<string, SoftType>,
  path: readonly string[],
  complain: Complain,
): void {
  const port = softTypes.get(filter.softType)?.members.get(filter.port);
  if (port?.kind !== 'entries')
    throw complain([...path, 'port'], `${filter.softType} has no array port ${filter.port}`);
  if (!port.members.has(filter.member))
    throw complain([...path, 'member'], `entries of ${filter.port} have no member ${filter.member}`);
  const asks = filter.groupId !== undefined && filter.criteriaPort !== undefined;
  if (filter.equals === undefined && !asks) throw complain(path, 'needs either equals, or groupId and criteriaPort');
}

/** A map in the order of the file; keys that mean something to JavaScript are keys like others. */
function mapOf<S, T>(record: Readonly<Record<string, S>>, make: (value: S, key: string) => T): ReadonlyMap<string, T> {
  return new Map(Object.entries(record).map(([key, value]) => [key, make(value, key)]));
}
