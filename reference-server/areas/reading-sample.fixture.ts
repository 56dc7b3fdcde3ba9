import { routes } from '../../contract/routes.ts';
import { carryOut } from './carry-out.fixture.ts';
import type { Instance, Link, Page } from '../../contract/wire.ts';
import { type AreaClasses, composeAreas, rightAreas } from '../areas.ts';
import { Outgoing } from '../ports/outgoing.ts';
import type { Configuration, Filter, Member, Members, SchemaView, SoftType, Space, User } from '../configuration.ts';
import { openFileStore } from '../ports/disk.ts';
import type { Answer, Log, SpaceCall } from '../http/call.ts';
import type { Areas } from '../areas.ts';
import { openSqliteStore } from '../ports/sqlite.ts';

// A small service in memory that tests of the reading side share: one space, a SoftType with every kind of array, an
// editor and a reader.
const text: Member = { kind: 'string', mandatory: false };
const name: Member = { kind: 'string', mandatory: true };
const revisions: Member = { kind: 'entries', mandatory: false, members: new Map([['text', text]]) };
const files: Member = {
  kind: 'entries',
  mandatory: false,
  members: new Map<string, Member>([
    ['name', name],
    ['category', text],
    ['revisions', revisions],
  ]),
};
const contacts: Member = { kind: 'entries', mandatory: false, members: new Map([['name', name]]) };

const documentMembers: Members = new Map<string, Member>([
  ['title', name],
  ['label', text],
  ['keywords', { kind: 'list', of: 'string', mandatory: false }],
  [
    'dimensions',
    {
      kind: 'object',
      mandatory: false,
      members: new Map([
        ['width', text],
        ['height', text],
      ]),
    },
  ],
  ['price', { kind: 'dated', of: 'string', mandatory: false }],
  ['files', files],
  ['contacts', contacts],
  ['describes', { kind: 'references', to: 'Part', mandatory: false }],
]);

function view(id: string, names: Iterable<readonly [string, string]>): readonly [string, SchemaView] {
  return [id, { id, names: new Map(names) }];
}

function same(members: Iterable<string>): (readonly [string, string])[] {
  return [...members].map((member) => [member, member]);
}

const renamed = same(documentMembers.keys()).map(
  ([shown, member]) => [shown === 'label' ? 'displayLabel' : shown, member] as const,
);

export const document: SoftType = {
  id: 'Document',
  members: documentMembers,
  inputs: new Map([view('documentInput', same(documentMembers.keys()))]),
  outputs: new Map([view('documentFull', renamed), view('documentSummary', same(['title']))]),
  maturity: { id: 'release', levels: new Map([['engineering', ['draft', 'reviewed', 'released']]]) },
};

const part: SoftType = {
  id: 'Part',
  members: new Map([['name', name]]),
  inputs: new Map([view('partInput', same(['name']))]),
  outputs: new Map([view('partFull', same(['name']))]),
};

const filters = new Map<string, Filter>([
  ['drawings', { id: 'drawings', softType: 'Document', port: 'files', member: 'category', equals: 'drawing' }],
  [
    'byCategory',
    {
      id: 'byCategory',
      softType: 'Document',
      port: 'files',
      member: 'category',
      groupId: 'group',
      criteriaPort: 'category',
    },
  ],
]);

const space: Space = {
  id: 'main',
  name: 'Main',
  template: {
    id: 'sample',
    name: 'Sample',
    softTypes: new Map([
      ['Document', document],
      ['Part', part],
    ]),
    filters,
  },
  participants: new Map([
    [
      'owner',
      new Map([
        ['edda', 'editor'],
        ['rita', 'reader'],
      ]),
    ],
  ]),
};

const configuration: Configuration = {
  collection: { id: 'sample', name: 'Sample' },
  auth: {
    clientId: '',
    clientSecret: '',
    signingKey: Buffer.alloc(64),
    tokenLifetimeSeconds: 1,
    idTokenIssuer: '',
    idTokenAudience: '',
    idTokenKey: Buffer.alloc(64),
  },
  templates: new Map([[space.template.id, space.template]]),
  spaces: new Map([[space.id, space]]),
  users: new Map(),
  roles: new Map([
    ['reader', new Set(['GET'])],
    ['editor', new Set(['GET', 'POST', 'PUT', 'DELETE'])],
  ]),
};

const log: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };
const clock = { now: () => 0, monotonic: () => 0, sleep: async () => undefined };

/** @param classes those of its areas, the right ones unless given */
export function sampleService(classes: AreaClasses = rightAreas): Areas {
  const outgoing = new Outgoing();
  return composeAreas(classes, {
    store: openSqliteStore(),
    fileStore: openFileStore(),
    clock,
    configuration,
    log,
    outgoing,
  });
}

export interface Request {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly user?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string | undefined>>;
}

/** A call of the editor with an empty information filter, unless the request says otherwise. */
export function sampleCall({ params = {}, query = '', user = 'edda', body, headers = {} }: Request): SpaceCall {
  return {
    method: body === undefined ? 'GET' : 'POST',
    url: '/',
    params: { spaceId: space.id, ...params },
    query: new URLSearchParams(query),
    headers: { 'svc-informationfilter': 'e30=', 'content-type': 'application/json', ...headers },
    body: body === undefined ? undefined : Buffer.from(JSON.stringify(body)),
    correlationId: '1',
    correlationGiven: false,
    log,
    space,
    user: sampleUser(user),
  };
}

function sampleUser(user: string): User {
  return { name: user, displayName: user, password: '', pat: '', collectionAdministrator: false };
}

/** Creates a document and returns its id. */
export async function create(
  service: Areas,
  body: unknown,
  definitionId = 'Document',
  inputSchemaId = 'documentInput',
): Promise<string> {
  const call = sampleCall({ params: { definitionId, inputSchemaId }, body });
  const answer = await carryOut(service, 'POST', routes.create, call);
  return answer.headers?.Location?.split('/').at(-1) ?? '';
}

export type Seen<Body> = Answer & { readonly json: Body };

/** The answer to a GET of an instance, its body parsed. */
export async function read(service: Areas, objectId: string, request: Request = {}): Promise<Seen<Instance>> {
  const call = sampleCall({ ...request, params: { objectId, ...request.params } });
  return parseText(await carryOut(service, 'GET', routes.instanceShort, call));
}

/** The answer to a GET of a page by its href. */
export async function follow(service: Areas, href: string): Promise<Seen<Page>> {
  const [path = '', query = ''] = href.split('?');
  const [softTypeId = '', outputSchemaId = '', arrayPortId = '', objectId = '', pageNumber = ''] = path
    .split('/')
    .slice(6)
    .map(decodeURIComponent);
  const call = sampleCall({ params: { softTypeId, outputSchemaId, arrayPortId, objectId, pageNumber }, query });
  return parseText(await carryOut(service, 'GET', routes.page, call));
}

function parseText<Body>(answer: Answer): Seen<Body> {
  return { ...answer, json: JSON.parse(answer.raw?.toString() ?? JSON.stringify(answer.body)) };
}

/** The page links of a read, by the array they belong to. */
export function pageLinks(links: readonly Link[]): ReadonlyMap<string, Link> {
  return new Map(links.filter(({ rel }) => rel === 'page').map((link) => [link.sectionPath ?? '', link]));
}

/** The entries of an array in `data` of a read. */
export function entriesIn(data: Instance['data'], array: string): readonly Readonly<Record<string, unknown>>[] {
  const entries = data[array];
  return Array.isArray(entries) ? entries : [];
}
