import type { Profile, SoftTypeProfile } from '../../contract/profile.ts';
import { dataOf } from '../answers.ts';
import type { Booking } from '../bookings.ts';
import type { CaseContext } from '../case.ts';
import type { Reply } from '../exchange.ts';
import type { AreaName } from '../files/files.ts';
import { pointer, valueAt } from '../json.ts';
import { fetchDefinition, type Json, parseDefinition } from '../openapi.ts';
import { type DescribedOperation, operationsOf, routesIn, typesIn } from './described.ts';
import {
  type DescribedFilters,
  filtersIn,
  findFilters,
  findMaturity,
  findMultiCreate,
  findStates,
} from './features.ts';
import { type Candidate, candidatesOf, type ReferencePort } from './propose.ts';
import { probe, type Probed, tryOut } from './try-out.ts';
import type { LoadedProfile } from '../profile/load.ts';
import type { Thing } from '../things.ts';
import { datedPathIn } from '../writes.ts';
import { PreconditionFailed } from '../violation.ts';
import { decodeSegment } from '../requests.ts';

/** What a deployment says of itself in OpenAPI. */
interface Documents {
  /** The answer to the dynamic document, whatever it was. */
  readonly reply: Reply;
  /** Path template of the dynamic document, where it is served and can be read. */
  readonly dynamicPath?: string;
  /** Paths of the static documents that are served. */
  readonly staticPaths: readonly string[];
  readonly operations: readonly DescribedOperation[];
}

/** Where the bundled server has its static documents: the documents of the service do not say. Source: ledger openapi-static-paths */
const usualStaticPaths = ['/api/openApi/system', '/api/openApi/collection', '/api/openApi/space'];

type Dated = NonNullable<SoftTypeProfile['dated']>;

interface FoundDate {
  readonly dated: Dated;
  readonly dateMember: NonNullable<NonNullable<Profile['informationFilter']>['dateMember']>;
}

/** What the member of an information filter for the chosen date may be called: the documents do not show it. */
const usualNames = ['time', 'date', 'effectivityDate', 'effectivity'];

const dates = ['2019-03-04T00:00:00Z', '2021-11-30T00:00:00Z'];

/** Both SoftTypes that were tried, each with an object of it. */
interface Targets {
  readonly primary: Thing;
  readonly second?: Thing;
}

interface FoundReference {
  readonly reference: NonNullable<SoftTypeProfile['reference']>;
  readonly readPath: string;
}

const mostTried = 12;

const mostProposed = 2;

/** SoftTypes and files have rules of their own, and documents about the API change with the model. */
const otherMatters = /\/softtype|\/fs\/|openapi|\/dx\//i;

/** Nominal chunk sizes that are tried, in bytes; every service takes the last one. Source: extensions, Limits */
const sizes = [1, 1024, 65_536, 262_144, 1_048_576, 4_194_304];

/** What probing shows of a deployment, as keys of its profile. */
export type Found = Pick<
  Profile,
  | 'informationFilter'
  | 'softTypes'
  | 'filters'
  | 'caching'
  | 'openApi'
  | 'routes'
  | 'maturity'
  | 'multiCreate'
  | 'references'
  | 'files'
>;

export interface Findings {
  readonly found: Found;
  /** SoftTypes of which no object could be made, with the reason. */
  readonly refused: readonly Refused[];
  /** The answer to the dynamic OpenAPI document. */
  readonly openApi: Reply;
}

export interface Refused {
  readonly definitionId: string;
  readonly reason: string;
  readonly reply?: Reply;
}

/** SoftTypes that are tried before it is given up. */
const mostCandidates = 12;

const areaNames: readonly AreaName[] = ['collection', 'space', 'user', 'participant'];

/**
 * Finds out what a profile can say of a deployment that is only known by address, space and editor. What it creates it deletes again
 * where the documents show how. @param stated a SoftType that is known, in the place of those that the documents describe
 */
export async function probeDeployment(loaded: LoadedProfile, stated?: SoftTypeProfile): Promise<Probed<Findings>> {
  const { result: documents } = await probe(loaded, readDocuments);
  const { space } = loaded.profile;
  const routes = routesOf(documents, space);
  const known: Candidate[] =
    stated === undefined ? [] : [{ type: stated, references: [], renamable: { inputs: [], outputs: [] }, dated: [] }];
  const filters = filtersIn(documents.operations);
  const criteria = filters.values.map(({ criteriaPort }) => criteriaPort);
  const candidates = stated === undefined ? candidatesOf(typesIn(documents.operations), criteria) : known;
  const areas = Object.fromEntries(areaNames.map((name) => [name, { as: 'editor' as const }]));
  const profile = { ...loaded.profile, routes, files: { areas } };
  return probe(
    { ...loaded, profile },
    (context) => findingsOf(context, { documents, routes, candidates, filters }),
    ({ found }, booking, context) => withRemoval(found.routes, booking, context),
  );
}

interface Described {
  readonly documents: Documents;
  readonly routes: NonNullable<Profile['routes']>;
  readonly candidates: readonly Candidate[];
  readonly filters: DescribedFilters;
}

async function findingsOf(
  context: CaseContext,
  { documents, routes, candidates, filters }: Described,
): Promise<Findings> {
  const { accepted, refused } = await tryAll(context, candidates.slice(0, mostCandidates));
  const [first] = accepted;
  const working = first === undefined ? routes : await findWorkingRoutes(context, first.type, routes);
  const caching = await cachedResources(context, documents.operations);
  const files = await filesIn(context);
  const found = {
    ...(documents.dynamicPath !== undefined && { openApi: { served: true } }),
    ...(Object.keys(working).length > 0 && { routes: working }),
    ...(caching && { caching }),
    ...(files && { files }),
    ...(await aroundTypes(context, accepted, filters)),
  };
  return { found, refused, openApi: documents.reply };
}

async function filesIn(context: CaseContext): Promise<Profile['files']> {
  const usable = await usableAreas(context);
  const [area] = usable;
  if (area === undefined) return undefined;
  const minChunkSize = await smallestChunkSize(context, area);
  return {
    areas: Object.fromEntries(usable.map((name) => [name, { as: 'editor' as const }])),
    ...(minChunkSize !== undefined && { minChunkSize }),
  };
}

function routesOf({ operations, dynamicPath, staticPaths }: Documents, space: string): NonNullable<Profile['routes']> {
  return {
    ...routesIn(operations, space),
    ...(dynamicPath !== undefined && { openApiDynamic: dynamicPath }),
    ...(staticPaths.length > 0 && { openApiStatic: [...staticPaths] }),
  };
}

interface Accepted {
  readonly candidate: Candidate;
  readonly type: SoftTypeProfile;
  readonly thing: Thing;
}

/** The first two that work. */
async function tryAll(
  context: CaseContext,
  candidates: readonly Candidate[],
): Promise<{ readonly accepted: readonly Accepted[]; readonly refused: readonly Refused[] }> {
  const accepted: Accepted[] = [];
  const refused: Refused[] = [];
  for (const candidate of candidates) {
    if (accepted.length === 2) break;
    const tried = await tryOut(context, candidate);
    if ('type' in tried) accepted.push({ candidate, ...tried });
    else
      refused.push({
        definitionId: candidate.type.definitionId,
        reason: tried.refusal,
        ...(tried.reply && { reply: tried.reply }),
      });
  }
  return { accepted, refused };
}

/** What can be told once objects can be made. */
async function aroundTypes(
  context: CaseContext,
  accepted: readonly Accepted[],
  described: DescribedFilters,
): Promise<Found> {
  const [first, second] = accepted;
  if (first === undefined) return {};
  const forward = await referenceFrom(context, first.type, first.candidate.references, {
    primary: first.thing,
    ...(second && { second: second.thing }),
  });
  const back =
    forward &&
    second &&
    (await referenceFrom(context, second.type, second.candidate.references, {
      primary: first.thing,
      second: second.thing,
    }));
  const level = await findMaturity(context, first.thing);
  const states = level && (await findStates(context, await context.given.object({}, { type: first.type }), level));
  const date = await datedIn(context, first.type, first.candidate.dated);
  const filters = await findFilters(context, first.type, described);
  const multiCreate = await findMultiCreate(context, first.thing);
  return {
    softTypes: {
      primary: { ...first.type, ...(date && { dated: date.dated }), ...(forward && { reference: forward.reference }) },
      ...(second && { second: { ...second.type, ...(back && { reference: back.reference }) } }),
    },
    ...(forward && { references: { readPath: forward.readPath } }),
    ...(date && { informationFilter: { default: {}, dateMember: date.dateMember } }),
    ...(filters && { filters }),
    ...(level && { maturity: { ...level, ...(states && { states: [...states] }) } }),
    ...(multiCreate && { multiCreate }),
  };
}

/** Areas whose identity can upload a small file, read it and delete it again. */
async function usableAreas({ files, given }: CaseContext): Promise<readonly AreaName[]> {
  const tried = await Promise.all(
    files.areas.map(async (area) => {
      const path = given.filePath();
      const bytes = given.bytes(100);
      const uploaded = await files.upload(area, path, bytes);
      if (uploaded.status >= 300) return [];
      const read = await files.download(area, path);
      const removed = await files.remove(area, path);
      return Buffer.from(read.bytes).equals(bytes) && removed.status < 300 ? [area.name] : [];
    }),
  );
  return tried.flat();
}

/** The smallest nominal chunk size that the service takes; undefined where that is 1, or where it takes no chunks at all. */
async function smallestChunkSize(context: CaseContext, name: AreaName): Promise<number | undefined> {
  for (const size of sizes) if (await takes(context, name, size)) return size === 1 ? undefined : size;
  return undefined;
}

async function takes({ files, given }: CaseContext, name: AreaName, chunkSize: number): Promise<boolean> {
  const area = files.areas.find((each) => each.name === name);
  if (area === undefined) return false;
  const path = given.filePath();
  const replies = await files.chunks(area, { path, file: given.bytes(chunkSize + 1), chunkSize });
  const isTaken = replies.length > 1 && replies.every(({ status }) => status < 300);
  if (isTaken) await files.remove(area, path);
  return isTaken;
}

/** Resources that answer the editor with an ETag which stays the same, as the documents show them. Source: core, Status codes and ETag */
async function cachedResources(
  { service, profile }: CaseContext,
  operations: readonly DescribedOperation[],
): Promise<Profile['caching']> {
  const paths = operations.filter(({ method }) => method === 'GET').map(({ path }) => inSpace(path, profile.all.space));
  const candidates = [...new Set(paths)].filter((path) => !path.includes('{') && !otherMatters.test(path));
  const found: string[] = [];
  for (const path of candidates.slice(0, mostTried)) {
    if (found.length === mostProposed) break;
    const [first, second] = [await service.get(path), await service.get(path)];
    const tag = first.headers['etag'];
    if (first.status === 200 && tag !== undefined && tag === second.headers['etag']) found.push(path);
  }
  return found.length === 0 ? undefined : { resources: found.map((path) => ({ path })) };
}

function inSpace(path: string, space: string): string {
  return path.replace(/\/space\/(\{[^}]+\}|[^/]+)(?=\/)/, (whole, part: string) =>
    part.startsWith('{') || decodeSegment(part) === space ? `/space/${encodeURIComponent(space)}` : whole,
  );
}

/** Writes a reference into each port, to an object of either SoftType (the other one first), until one comes back as written. */
async function referenceFrom(
  context: CaseContext,
  type: SoftTypeProfile,
  ports: readonly ReferencePort[],
  targets: Targets,
): Promise<FoundReference | undefined> {
  const others =
    type.definitionId === targets.primary.type.definitionId
      ? (['second', 'primary'] as const)
      : (['primary', 'second'] as const);
  for (const { port, value } of ports) {
    for (const target of others) {
      const thing = targets[target];
      if (thing !== undefined && (await leadsTo(context, type, port, value, thing)))
        return { reference: { port, target }, readPath: pointer(value, '$oid') };
    }
  }
  return undefined;
}

async function leadsTo(
  { given, service }: CaseContext,
  type: SoftTypeProfile,
  port: string,
  value: string,
  target: Thing,
): Promise<boolean> {
  try {
    const entry = { [value]: { $oid: target.oid } };
    const data = dataOf(await service.readLong(await given.object({ [port]: [entry] }, { type })));
    return valueAt(data, pointer(port, 0, value, '$oid')) === target.oid;
  } catch (error) {
    if (error instanceof PreconditionFailed) return false;
    throw error;
  }
}

/** The first element whose effectivity date follows the date of the information filter. Source: core, Operations 7 */
async function datedIn(
  context: CaseContext,
  type: SoftTypeProfile,
  candidates: readonly Dated[],
): Promise<FoundDate | undefined> {
  for (const dated of candidates)
    for (const dateMember of usualNames)
      if (await follows(context, type, { dated, dateMember })) return { dated, dateMember };
  return undefined;
}

async function follows(
  { given, service, profile }: CaseContext,
  type: SoftTypeProfile,
  { dated, dateMember }: FoundDate,
): Promise<boolean> {
  try {
    let thing = await given.object(dated.value, { type });
    for (const date of dates) {
      const filter = { ...profile.all.informationFilter?.default, [dateMember]: date };
      const value = String(dated.replaceWith).replaceAll('{{unique}}', given.unique('probe'));
      const reply = await service.operations(
        thing,
        [{ op: 'replace', path: await datedPathIn({ service }, thing, dated), value }],
        { filter },
      );
      const seen =
        reply.status >= 300 ? undefined : valueAt(dataOf(await service.readLong(thing, { filter })), dated.datePath);
      if (typeof seen !== 'string' || Date.parse(seen) !== Date.parse(date)) return false;
      thing = await given.current(thing);
    }
    return true;
  } catch (error) {
    if (error instanceof PreconditionFailed) return false;
    throw error;
  }
}

/** Reads the dynamic document of the space and the static ones, where they are served. */
async function readDocuments(context: CaseContext): Promise<Documents> {
  const { service, profile } = context;
  const { baseUrl, space } = profile.all;
  const reply = await fetchDefinition(context);
  const dynamic = reply.status === 200 ? parseDefinition(reply.text) : undefined;
  const replies = await Promise.all(usualStaticPaths.map(async (path) => ({ path, read: await service.get(path) })));
  const statics = replies.flatMap(({ path, read }) => {
    const document = read.status === 200 ? parseDefinition(read.text) : undefined;
    return hasPaths(document) ? [{ path, document }] : [];
  });
  const described = hasPaths(dynamic)
    ? [dynamic, ...statics.map(({ document }) => document)]
    : statics.map(({ document }) => document);
  const path = reply.url
    .slice(baseUrl.replace(/\/+$/, '').length)
    .replace(`/space/${encodeURIComponent(space)}/`, '/space/{spaceId}/');
  return {
    reply,
    ...(hasPaths(dynamic) && { dynamicPath: path }),
    staticPaths: statics.map((each) => each.path),
    operations: described.flatMap((document) => operationsOf(document, baseUrl)),
  };
}

function hasPaths(document: Json | undefined): document is Json {
  return document?.['paths'] !== undefined;
}

type Routes = NonNullable<Profile['routes']>;

/** Where routes that the documents of the service do not show usually are; tried on objects made for it. */
const usualRoutes = {
  softTypePut: '/api/space/{spaceId}/softtype/{definitionId}/{inputSchemaId}/{objectId}',
  softTypeDelete: '/api/space/{spaceId}/softtype/{objectId}',
} satisfies Routes;

/** Those of the usual routes that do what they are for. @param shown routes that the OpenAPI documents show, which are taken at their word */
async function findWorkingRoutes(context: CaseContext, type: SoftTypeProfile, shown: Routes): Promise<Routes> {
  const put = shown.softTypePut ?? ((await puts(context, type)) ? usualRoutes.softTypePut : undefined);
  const remove = shown.softTypeDelete ?? ((await removes(context, type)) ? usualRoutes.softTypeDelete : undefined);
  return {
    ...shown,
    ...(put !== undefined && { softTypePut: put }),
    ...(remove !== undefined && { softTypeDelete: remove }),
  };
}

/** The booking of an object with the request that deletes it, where the usual route is seen to do so. */
function withRemoval(found: Routes | undefined, booking: Booking, { service }: CaseContext): Booking {
  const isUsual = found?.softTypeDelete === usualRoutes.softTypeDelete;
  if (booking.remove !== undefined || !isUsual || !/\/softtype\/[^/]+$/.test(booking.uri)) return booking;
  return { ...booking, remove: { ...service.requests.get(booking.uri), method: 'DELETE' } };
}

async function puts(context: CaseContext, type: SoftTypeProfile): Promise<boolean> {
  return unlessRefused(async () => {
    const { given, service } = context;
    const thing = await given.object({}, { type });
    const request = { ...service.requests.get(pathOf(usualRoutes.softTypePut, thing)), method: 'PUT' };
    const reply = await service.send({ ...request, body: given.body({}, type), version: thing.version });
    return reply.status < 300 && (await service.readLong(thing)).status < 300;
  });
}

async function removes({ given, service }: CaseContext, type: SoftTypeProfile): Promise<boolean> {
  return unlessRefused(async () => {
    const thing = await given.object({}, { type });
    const request = { ...service.requests.get(pathOf(usualRoutes.softTypeDelete, thing)), method: 'DELETE' };
    const reply = await service.send(request);
    const again =
      reply.status === 412 || reply.status === 428 ? await service.send({ ...request, version: thing.version }) : reply;
    return again.status < 300 && (await service.readLong(thing)).status >= 400;
  });
}

function pathOf(template: string, { space, type, oid }: Thing): string {
  const ids: Readonly<Record<string, string>> = {
    spaceId: space,
    definitionId: type.definitionId,
    inputSchemaId: type.inputSchemaId,
    objectId: oid,
  };
  return template.replaceAll(/\{(\w+)\}/g, (_all, name: string) => encodeURIComponent(ids[name] ?? ''));
}

async function unlessRefused(work: () => Promise<boolean>): Promise<boolean> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof PreconditionFailed) return false;
    throw error;
  }
}
