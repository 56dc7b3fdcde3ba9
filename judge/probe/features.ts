import type { Profile, SoftTypeProfile } from '../../contract/profile.ts';
import { dataOf, entriesOf, linksOf } from '../service/answers.ts';
import type { CaseContext } from '../case.ts';
import { isSuccess, type Reply } from '../exchange.ts';
import { isObject, memberIn, pointer, valueAt } from '../json.ts';
import { dereference, type Json } from '../every-answer/openapi.ts';
import type { DescribedOperation } from './described.ts';
import { idsIn, templateOfLink, deletionLinked } from './links.ts';
import { portOf } from '../profile.ts';
import { withQuery } from '../service/queries.ts';
import type { Thing } from '../things.ts';
import { insteadOfRefusal, unlessRefused } from '../violation.ts';
import { decodeSegment } from '../service/requests.ts';
import { item } from '../service/referrers.ts';
import type { AreaName } from '../files/files.ts';

/** Filters that the documents name on reads of instances. Source: core, Server side paging 5 */
export interface DescribedFilters {
  readonly ids: readonly string[];
  /** Parameters that carry the value of a filter whose own is blank. */
  readonly values: readonly { readonly groupId: string; readonly criteriaPort: string }[];
}

type Filters = NonNullable<Profile['filters']>;

const mostFilters = 8;

const somethingElse = 'something else';

export function filtersIn(operations: readonly DescribedOperation[]): DescribedFilters {
  const parameters = operations.filter(({ method }) => method === 'GET').flatMap(parametersOf);
  const ids = parameters
    .filter(({ name }) => name === 'softTypeFilterId')
    .flatMap(({ schema }) => textsIn(schema['enum']));
  const dotted = [...new Set(parameters.map(({ name }) => name))].filter((name) => /^[^.]+\.[^.]+$/.test(name));
  return {
    ids: [...new Set(ids)].slice(0, mostFilters),
    values: dotted.slice(0, mostFilters).map((name) => {
      const [groupId = '', criteriaPort = ''] = name.split('.');
      return { groupId, criteriaPort };
    }),
  };
}

/** Those of the filters that are seen to choose entries of the array port by one of their members. */
export async function findFilters(
  context: CaseContext,
  type: SoftTypeProfile,
  described: DescribedFilters,
): Promise<Filters | undefined> {
  const port = type.arrayPort;
  if (port === undefined || described.ids.length === 0) return undefined;
  const criteria = described.values.map(({ criteriaPort }) => criteriaPort);
  const members = [...new Set([...criteria, ...(port.mandatory === undefined ? [] : [port.mandatory])])].filter(
    (name) => name !== port.text,
  );
  for (const member of members) {
    const withValue = await blankIn(context, type, member, described);
    const fixed = await fixedIn(
      context,
      type,
      member,
      described.ids.filter((id) => id !== withValue?.id),
    );
    if (withValue ?? fixed) return { ...(fixed && { fixed }), ...(withValue && { withValue }) };
  }
  return undefined;
}

async function blankIn(
  context: CaseContext,
  type: SoftTypeProfile,
  member: string,
  { ids, values }: DescribedFilters,
): Promise<Filters['withValue']> {
  const [one, other] = ['one', 'other'] as const;
  const thing = values.length === 0 ? undefined : await holding(context, type, member, [one, other]);
  if (thing === undefined) return undefined;
  for (const id of ids)
    for (const { groupId, criteriaPort } of values) {
      const keptBy = (value: string) =>
        kept(context, thing, member, { softTypeFilterId: id, [`${groupId}.${criteriaPort}`]: value });
      const [first, second] = [await keptBy(one), await keptBy(other)];
      if (first?.join() === one && second?.join() === other) return { id, groupId, criteriaPort, member };
    }
  return undefined;
}

/** The value that a filter admits is nowhere told: its own id is tried, and that in the singular. */
async function fixedIn(
  context: CaseContext,
  type: SoftTypeProfile,
  member: string,
  ids: readonly string[],
): Promise<Filters['fixed']> {
  for (const id of ids) {
    const values = [...new Set([id, id.replace(/ies$/, 'y'), id.replace(/s$/, '')])];
    const thing = await holding(context, type, member, [...values, somethingElse]);
    const [value, ...others] = (thing && (await kept(context, thing, member, { softTypeFilterId: id }))) ?? [];
    if (value !== undefined && others.length === 0 && value !== somethingElse)
      return { id, matching: { [member]: value }, other: { [member]: somethingElse } };
  }
  return undefined;
}

/** An object with an entry for each value of the member; undefined where it is refused. */
async function holding(
  { given }: CaseContext,
  type: SoftTypeProfile,
  member: string,
  values: readonly string[],
): Promise<Thing | undefined> {
  const port = type.arrayPort && portOf(type.arrayPort);
  if (port === undefined) return undefined;
  return unlessRefused(async () => {
    const entries = values.map((value) => given.entry(given.unique('probe'), { [member]: value }, port));
    return await given.object({ [port.member]: entries }, { type });
  });
}

/** Values of the member in the entries that a filtered read shows; undefined where it is refused. */
async function kept(
  { service }: CaseContext,
  thing: Thing,
  member: string,
  query: Readonly<Record<string, string>>,
): Promise<readonly string[] | undefined> {
  const reply = await service.readLong(thing, { url: withQuery(service.requests.readLong(thing).url, query) });
  const { arrayPort } = thing.type;
  if (reply.status !== 200 || arrayPort === undefined) return undefined;
  return unlessRefused(async () => entriesOf(reply, portOf(arrayPort)).map(({ members }) => String(members[member])));
}

function parametersOf({
  document,
  definition,
}: DescribedOperation): readonly { readonly name: string; readonly schema: Json }[] {
  const stated: readonly unknown[] = Array.isArray(definition['parameters']) ? definition['parameters'] : [];
  return stated.flatMap((each) => {
    const parameter = dereference(document, each);
    if (!isObject(parameter) || parameter['in'] !== 'query') return [];
    const schema = dereference(document, parameter['schema']);
    // 2.0 has no schema here
    return [{ name: String(parameter['name']), schema: isObject(schema) ? schema : parameter }];
  });
}

function textsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}

type Way = 'promote' | 'demote';

const actionPath = /\/maturityAction\/(promote|demote)\/[^/]+\/([^/?]+)\/([^/?]+)/;

/** The process and the level in which a link leads that way; undefined where it leads elsewhere. */
function levelBehind(href: string, way: Way): { readonly processId: string; readonly levelId: string } | undefined {
  const [, action, process, level] = actionPath.exec(href) ?? [];
  if (action !== way || process === undefined || level === undefined) return undefined;
  return { processId: decodeSegment(process), levelId: decodeSegment(level) };
}

/** A process and a level that a new object links to for its promotion, and another level of that process where it links to one. */
export async function findMaturity({ service }: CaseContext, thing: Thing): Promise<Profile['maturity']> {
  const links = (await unlessRefused(async () => linksOf(await service.readLong(thing)))) ?? [];
  const levels = links.flatMap((link) => levelBehind(String(link['href']), 'promote') ?? []);
  const [first] = levels;
  const other = levels.find(({ processId, levelId }) => processId === first?.processId && levelId !== first.levelId);
  return first && { ...first, ...(other && { secondLevelId: other.levelId }) };
}

type Level = Pick<NonNullable<Profile['maturity']>, 'processId' | 'levelId'>;

const mostStates = 10;

/** What a climb through the states of a level shows. */
interface Climb {
  readonly maturity: Partial<Pick<NonNullable<Profile['maturity']>, 'states' | 'stateMember'>>;
  /** Path template, from a link of a promoted object. */
  readonly demote?: string;
}

/**
 * Promotes an object as often as a link leads on, and demotes it again where links lead back: what has reached the end may be frozen.
 * Undefined where it cannot be promoted.
 */
export async function findStates(context: CaseContext, thing: Thing, level: Level): Promise<Climb | undefined> {
  return unlessRefused(async () => {
    const reads = await climbed(context, thing, level);
    const demote = reads.flatMap((read) => demotionIn(context, read, thing, level) ?? [])[0];
    for (let step = 0; step < mostStates; step += 1)
      if (!(await moved(context, await context.given.current(thing), level, 'demote'))) break;
    const isAtEnd = reads.length > 1 && linkIn(reads.at(-1), level, 'promote') === undefined;
    const member = stateMemberIn(reads, level.levelId);
    const states = member === undefined ? [] : reads.map((read) => stateOf(read, member));
    const isTold =
      isAtEnd &&
      states.length > 1 &&
      states.every((state) => state !== undefined) &&
      new Set(states).size === states.length;
    return {
      maturity: {
        ...(isTold && { states }),
        ...(member !== undefined && { stateMember: member }),
      },
      ...(demote !== undefined && { demote }),
    };
  });
}

/** A read in each state, from the first to where no link leads on. */
async function climbed(context: CaseContext, thing: Thing, level: Level): Promise<readonly Reply[]> {
  const reads: Reply[] = [];
  for (let current = thing; reads.length < mostStates; current = await context.given.current(current)) {
    const read = await context.service.readLong(current);
    reads.push(read);
    if (linkIn(read, level, 'promote') === undefined || !(await moved(context, current, level, 'promote'))) break;
  }
  return reads;
}

function demotionIn({ profile }: CaseContext, read: Reply, thing: Thing, level: Level): string | undefined {
  const href = linkIn(read, level, 'demote');
  const { processId, levelId } = level;
  const template = href && templateOfLink(href, read, profile.all, idsIn(thing, { processId, levelId }));
  return template?.includes('{objectId}') === true ? template : undefined;
}

/** The member that tells the state, or a pointer to it: named after the level, or the only one whose state is another after every promote. */
function stateMemberIn(reads: readonly Reply[], levelId: string): string | undefined {
  const [first] = reads;
  if (first === undefined || reads.length < 2) return undefined;
  const places = placesOfStates(dataOf(first));
  const named = places.find((place) => {
    const field = valueAt(dataOf(first), pointer(...place));
    return place.at(-1) === levelId || (isObject(field) && field['id'] === levelId);
  });
  const moving = places.filter(
    (place) => new Set(reads.map((read) => stateOf(read, nameOf(place)))).size === reads.length,
  );
  const found = named ?? (moving.length === 1 ? moving[0] : undefined);
  return found && nameOf(found);
}

/** Names from `data` on to the objects with a state. */
function placesOfStates(holder: Json, before: readonly string[] = []): readonly (readonly string[])[] {
  return Object.entries(holder).flatMap(([name, value]) => {
    if (!isObject(value)) return [];
    return typeof value['state'] === 'string' ? [[...before, name]] : placesOfStates(value, [...before, name]);
  });
}

/** As maturity.stateMember spells it. */
function nameOf(place: readonly string[]): string {
  return place.length === 1 ? (place[0] ?? '') : pointer(...place);
}

function stateOf(read: Reply, member: string): string | undefined {
  const field = member.startsWith('/') ? valueAt(dataOf(read), member) : dataOf(read)[member];
  const state = memberIn(field, 'state');
  return typeof state === 'string' ? state : undefined;
}

/** Whether there is a link that way, and it does its part. */
async function moved({ service }: CaseContext, thing: Thing, level: Level, way: Way): Promise<boolean> {
  const read = await service.readLong(thing);
  const href = linkIn(read, level, way);
  if (href === undefined) return false;
  const url = new URL(href, read.url).href;
  const action = { ...service.requests.get(url), method: 'PUT', version: thing.version };
  return insteadOfRefusal(false, async () => isSuccess((await service.send(action)).status));
}

function linkIn(read: Reply | undefined, { processId, levelId }: Level, way: Way): string | undefined {
  const hrefs = (read === undefined ? [] : linksOf(read)).map((link) => String(link['href']));
  return hrefs.find((href) => {
    const found = levelBehind(href, way);
    return found?.processId === processId && found.levelId === levelId;
  });
}

/** Makes objects at once and looks where the answer names them, and which is which; undefined where that cannot be told. */
export async function findMultiCreate(context: CaseContext, like: Thing): Promise<Profile['multiCreate']> {
  const { service } = context;
  const items = [1, 2].map(() => item(context, {}, like.type));
  const reply = await service.multiCreate(items);
  if (!isSuccess(reply.status)) return undefined;
  const places = placesOf(reply.json);
  const told = (at: Place, index: number): unknown => valueAt(reply.json, at.pointer.replace('{index}', String(index)));
  const ids = new Set<unknown>(items.map(({ $id }) => $id));
  const named = places.find((place) => items.every((_item, index) => ids.has(told(place, index))));
  for (const place of places) {
    const uri = uriOf(reply, place.text, like);
    if (uri !== undefined && (await unlessRefused(() => service.get(uri)))?.status === 200)
      return { resultHref: place.pointer, ...(named && { resultId: named.pointer }) };
  }
  return undefined;
}

interface Place {
  readonly pointer: string;
  readonly text: string;
}

/** Texts below the first element of each array of two. */
function placesOf(json: unknown, before: readonly string[] = []): readonly Place[] {
  if (Array.isArray(json)) return json.length < 2 ? [] : stringsIn(json[0], [...before, '{index}']);
  if (!isObject(json)) return [];
  return Object.entries(json).flatMap(([name, value]) => placesOf(value, [...before, name]));
}

function stringsIn(value: unknown, path: readonly string[]): readonly Place[] {
  if (typeof value === 'string') return [{ pointer: pointer(...path), text: value }];
  return isObject(value) ? Object.entries(value).flatMap(([name, inner]) => stringsIn(inner, [...path, name])) : [];
}

/** A URI below the SoftTypes of the space, or an id put in the place of that of another object. */
function uriOf(reply: Reply, text: string, like: Thing): string | undefined {
  if (/\/softtype\//i.test(text) && URL.canParse(text, reply.url)) return new URL(text, reply.url).href;
  const isId = text.length === like.oid.length && text !== like.type.definitionId && !/[\s/]/.test(text);
  return isId ? like.location.replace(encodeURIComponent(like.oid), encodeURIComponent(text)) : undefined;
}

/** Nominal chunk sizes that are tried, in bytes; every service takes the last one. Source: extensions, Limits */
const sizes = [1, 1024, 65_536, 262_144, 1_048_576, 4_194_304];

/** What of the files a deployment serves, as the key of its profile. */
export async function filesIn(context: CaseContext): Promise<Profile['files']> {
  const usable = await usableAreas(context);
  const [area] = usable;
  if (area === undefined) return undefined;
  const minChunkSize = await smallestChunkSize(context, area);
  return {
    areas: Object.fromEntries(usable.map((name) => [name, { as: context.files.area(name).as }])),
    ...(minChunkSize !== undefined && { minChunkSize }),
  };
}

/** Areas whose identity can upload a small file, read it and delete it again. */
async function usableAreas({ files, given }: CaseContext): Promise<readonly AreaName[]> {
  const tried = await Promise.all(
    files.areas.map(async (area) => {
      const path = given.filePath();
      const bytes = given.bytes(100);
      const uploaded = await files.upload(area, path, bytes);
      if (!isSuccess(uploaded.status)) return [];
      const read = await files.download(area, path);
      const removed = await files.remove(area, path);
      return Buffer.from(read.bytes).equals(bytes) && isSuccess(removed.status) ? [area.name] : [];
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
  const isTaken = replies.length > 1 && replies.every(({ status }) => isSuccess(status));
  if (isTaken) await files.remove(area, path);
  return isTaken;
}

type Routes = NonNullable<Profile['routes']>;

/** Where routes that the documents of the service do not show usually are; tried on objects made for it. */
export const usualRoutes = {
  softTypePut: '/api/space/{spaceId}/softtype/{definitionId}/{inputSchemaId}/{objectId}',
  softTypeDelete: '/api/space/{spaceId}/softtype/{objectId}',
} satisfies Routes;

/**
 * The routes that do what they are for: those that links and documents show, and the usual ones.
 * @param shown routes that the OpenAPI documents show; all but the DELETE are taken at their word
 */
export async function findWorkingRoutes(context: CaseContext, type: SoftTypeProfile, shown: Routes): Promise<Routes> {
  const put =
    shown.softTypePut ??
    ((await unlessRefused(() => puts(context, type))) === true ? usualRoutes.softTypePut : undefined);
  const linked = await linkedDeletion(context, type);
  const deletions = new Set(
    [shown.softTypeDelete, linked, usualRoutes.softTypeDelete].filter((path) => path !== undefined),
  );
  const { softTypeDelete: _stated, ...rest } = shown;
  const remove = await firstThatRemoves(context, type, [...deletions]);
  return {
    ...rest,
    ...(put !== undefined && { softTypePut: put }),
    ...(remove !== undefined && { softTypeDelete: remove }),
  };
}

async function firstThatRemoves(
  context: CaseContext,
  type: SoftTypeProfile,
  paths: readonly string[],
): Promise<string | undefined> {
  for (const path of paths) if ((await unlessRefused(() => removes(context, type, path))) === true) return path;
  return undefined;
}

async function linkedDeletion(context: CaseContext, type: SoftTypeProfile): Promise<string | undefined> {
  const thing = await unlessRefused(() => context.given.object({}, { type }));
  return thing && deletionLinked(context, thing);
}

async function puts({ given, service }: CaseContext, type: SoftTypeProfile): Promise<boolean> {
  const thing = await given.object({}, { type });
  const request = { ...service.requests.get(pathOf(usualRoutes.softTypePut, thing)), method: 'PUT' };
  const reply = await service.send({ ...request, body: given.body({}, type), version: thing.version });
  return isSuccess(reply.status) && isSuccess((await service.readLong(thing)).status);
}

async function removes({ given, service }: CaseContext, type: SoftTypeProfile, path: string): Promise<boolean> {
  const thing = await given.object({}, { type });
  const request = { ...service.requests.get(pathOf(path, thing)), method: 'DELETE' };
  const reply = await service.send(request);
  const again =
    reply.status === 412 || reply.status === 428 ? await service.send({ ...request, version: thing.version }) : reply;
  return isSuccess(again.status) && (await service.readLong(thing)).status >= 400;
}

function pathOf(template: string, thing: Thing): string {
  const ids: Readonly<Record<string, string>> = { ...idsIn(thing), spaceId: thing.space };
  return template.replaceAll(/\{(\w+)\}/g, (_all, name: string) => encodeURIComponent(ids[name] ?? ''));
}
