import type { Profile, SoftTypeProfile } from '../../contract/profile.ts';
import { dataOf } from '../service/answers.ts';
import type { CaseContext } from '../case.ts';
import { isSuccess, type Reply } from '../exchange.ts';
import type { AreaName } from '../files/files.ts';
import { withUnique } from '../given.ts';
import { pointer, valueAt } from '../json.ts';
import { item } from '../service/referrers.ts';
import type { Json } from '../every-answer/openapi.ts';
import { type Documents, readDocuments } from './documents.ts';
import { findAdministration, taggedIn } from './administration.ts';
import { type DescribedOperation, type DescribedType, routesIn, typesIn } from './described.ts';
import {
  type DescribedFilters,
  filesIn,
  filtersIn,
  findFilters,
  findMaturity,
  findMultiCreate,
  findStates,
  findWorkingRoutes,
  usualRoutes,
} from './features.ts';
import { shapeBehind, withLearntOutputs } from './learn.ts';
import { type Candidate, candidateFrom, candidatesOf, smallestBody } from './propose.ts';
import { probe, type Probed, tryCandidate } from './try-out.ts';
import { bulkUsable } from '../run/preflight/files.ts';
import type { LoadedProfile } from '../profile/load.ts';
import type { Thing } from '../things.ts';
import { filterAt } from '../service/queries.ts';
import { momentIn } from '../service/moments.ts';
import { datedPathIn } from '../service/writes.ts';
import { insteadOfRefusal } from '../violation.ts';
import { decodeSegment } from '../service/requests.ts';
import { membersWith, referencesIn } from '../service/soft-types.ts';

type Dated = NonNullable<SoftTypeProfile['dated']>;

interface FoundDate {
  readonly dated: Dated;
  readonly informationFilter: NonNullable<Profile['informationFilter']>;
}

/** What the member of an information filter for the chosen date may be called: the documents do not show it. */
const usualNames = [
  'time',
  'date',
  'effectivityDate',
  'effectivity',
  'viewDate',
  'effectiveDate',
  'effectiveOn',
  'asOf',
  'chosenDate',
  'dateTime',
];

const dates = ['2019-03-04T00:00:00Z', '2021-11-30T00:00:00Z'];

interface FoundReference {
  readonly port: string;
  readonly single?: true;
  /** An object of the SoftType to which it leads. */
  readonly target: Thing;
  readonly readPath: string;
}

const mostTried = 12;

/** SoftTypes and files have rules of their own, and documents about the API change with the model. */
const otherMatters = /\/softtype|\/fs\/|openapi|\/dx\//i;

/** What probing shows of a deployment, as keys of its profile. */
type Found = Pick<
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
  | 'bulk'
  | 'collection'
  | 'listener'
  | 'triggers'
  | 'apiKeys'
>;

export interface Findings {
  readonly found: Found;
  /** SoftTypes of which no object could be made, with the reason. */
  readonly refused: readonly Refused[];
  /** The answer to the dynamic OpenAPI document. */
  readonly openApi: Reply;
  /** What no document of the deployment says: tried because it is usual, each with its key. */
  readonly guessed: readonly string[];
  /** What was stated and does not work, each with the reason. */
  readonly useless: readonly string[];
}

/** A SoftType as far as somebody names it. */
export type StatedType = Pick<SoftTypeProfile, 'definitionId' | 'inputSchemaId' | 'outputSchemaId'> &
  Partial<Pick<SoftTypeProfile, 'body'>>;

interface Refused {
  readonly definitionId: string;
  readonly reason: string;
  readonly reply?: Reply;
}

/** SoftTypes that are tried before it is given up. */
const mostCandidates = 12;

const areaNames: readonly AreaName[] = ['collection', 'space', 'user', 'participant'];

/**
 * Finds out what a profile can say of a deployment that is only known by address, space and editor. What it creates it deletes again
 * with what it found out about that. @param stated a SoftType to begin with
 */
export async function probeDeployment(loaded: LoadedProfile, stated?: StatedType): Promise<Probed<Findings>> {
  const { result: documents } = await probe(loaded, readDocuments);
  const routes = routesOf(documents, loaded.profile.space);
  const areas = {
    ...Object.fromEntries(areaNames.map((name) => [name, { as: 'editor' as const }])),
    ...(loaded.profile.identities.administrator !== undefined && { collection: { as: 'administrator' as const } }),
  };
  const profile = { ...loaded.profile, routes, files: { areas } };
  const { result: first, ...around } = await probe(
    { ...loaded, profile },
    (context) => findingsOf(context, { documents, routes, stated, filters: filtersIn(documents.operations) }),
    ({ found }) => profileWith(loaded.profile, found),
  );
  const administered = await probeAdministration(
    { ...loaded, profile: profileWith(loaded.profile, first.found) },
    documents,
  );
  return {
    result: { ...first, ...administered.result, found: { ...first.found, ...administered.result.found } },
    remains: [...around.remains, ...administered.remains],
    strangers: [...new Set([...around.strangers, ...administered.strangers])],
    ...(around.leftOut !== undefined && { leftOut: around.leftOut }),
  };
}

function profileWith(profile: Profile, found: Found): Profile {
  return { ...profile, ...found };
}

/** What the administrator can find out once the rest is known, and whether what was stated for bulk uploads works. */
async function probeAdministration(
  loaded: LoadedProfile,
  { operations }: Documents,
): Promise<Probed<Pick<Findings, 'found' | 'useless'>>> {
  const { identities, bulk, routes, baseUrl } = loaded.profile;
  const nothing = { result: { found: {}, useless: [] }, remains: [], strangers: [] };
  const isLocal = /^(localhost|127\.|\[::1\])/.test(new URL(baseUrl).hostname);
  const listener = isLocal ? { bind: '127.0.0.1:0', publicUrl: 'http://127.0.0.1:{port}' } : undefined;
  if (identities.administrator === undefined && bulk === undefined) return nothing;
  const gets = operations.filter(({ method }) => method === 'GET').map(({ path }) => path);
  const profile = { ...loaded.profile, ...(listener && { listener }) };
  return probe(
    { ...loaded, profile },
    async (context) => {
      const bulkFound = await usableBulk(context);
      const found = identities.administrator === undefined ? { routes: {} } : await findAdministration(context, gets);
      return {
        found: { ...found, ...bulkFound.found, routes: { ...routes, ...found.routes } },
        useless: bulkFound.useless,
      };
    },
    ({ found }) => profileWith(loaded.profile, found),
  );
}

/** Bulk uploads as stated, with the base path in what is signed or without. */
async function usableBulk(context: CaseContext): Promise<Pick<Findings, 'found' | 'useless'>> {
  const { bulk } = context.profile.all;
  if (bulk === undefined) return { found: {}, useless: [] };
  const sentence = await bulkUsable(context, new Set(['host-directory', 'admin-api-key'] as const));
  return sentence === undefined ? { found: { bulk }, useless: [] } : { found: {}, useless: [sentence] };
}

interface Described {
  readonly documents: Documents;
  readonly routes: NonNullable<Profile['routes']>;
  readonly stated: StatedType | undefined;
  readonly filters: DescribedFilters;
}

async function findingsOf(context: CaseContext, described: Described): Promise<Findings> {
  const { documents, routes, filters } = described;
  const candidates = await candidatesIn(context, described);
  const { accepted, refused } = await tryAll(context, candidates.slice(0, mostCandidates));
  const [first] = accepted;
  const working = first === undefined ? routes : await findWorkingRoutes(context, first.type, routes);
  const caching = await cachedResources(context, documents.operations);
  const files = await filesIn(context);
  const around = await aroundTypes(context, accepted, filters);
  const all = { ...working, ...around.routes };
  const found = {
    ...(documents.dynamicPath !== undefined && { openApi: { served: true } }),
    ...(caching && { caching }),
    ...(files && { files }),
    ...around,
    ...(Object.keys(all).length > 0 && { routes: all }),
  };
  return { found, refused, openApi: documents.reply, guessed: guessesIn(found, routes), useless: [] };
}

/** The SoftType that is stated first, with what documents or a read of it show, then the others. */
async function candidatesIn(
  context: CaseContext,
  { documents, stated, filters }: Described,
): Promise<readonly Candidate[]> {
  const criteria = filters.values.map(({ criteriaPort }) => criteriaPort);
  const types = await withLearntOutputs(context, typesIn(documents.operations).slice(0, mostCandidates));
  const candidates = candidatesOf(types, criteria);
  if (stated === undefined) return candidates;
  const others = candidates.filter(({ type }) => type.definitionId !== stated.definitionId);
  return [await candidateOfStated(context, stated, types, criteria), ...others];
}

async function candidateOfStated(
  context: CaseContext,
  stated: StatedType,
  types: readonly DescribedType[],
  criteria: readonly string[],
): Promise<Candidate> {
  const described = types.find(({ definitionId }) => definitionId === stated.definitionId);
  const input = described?.inputs.find(({ id }) => id === stated.inputSchemaId);
  const body =
    stated.body ?? (input === undefined ? {} : smallestBody(input.document, input.shape, stated.definitionId));
  const type = { ...stated, body };
  const shown = described?.outputs.find(({ id }) => id === stated.outputSchemaId);
  const output = shown ?? { id: stated.outputSchemaId, document: {}, shape: await shapeOfNew(context, type) };
  // what is read and not sent may be written as well, as far as anybody knows
  const guess = { id: stated.inputSchemaId, document: {}, shape: { ...output.shape, required: Object.keys(body) } };
  const others = described?.outputs.filter(({ id }) => id !== stated.outputSchemaId) ?? [];
  return { ...candidateFrom(type, { input: input ?? guess, output, others, criteria }), isStated: true };
}

async function shapeOfNew(context: CaseContext, type: SoftTypeProfile): Promise<Json> {
  return insteadOfRefusal({}, async () =>
    shapeBehind(context, await context.given.object({}, { type }), type.outputSchemaId),
  );
}

/** @param shown routes that documents show */
function guessesIn({ routes = {}, informationFilter }: Found, shown: Routes): readonly string[] {
  const { softTypePut, softTypeDelete, openApiStatic = [] } = routes;
  return [
    ...(softTypePut === usualRoutes.softTypePut && shown.softTypePut === undefined
      ? [`routes.softTypePut (${softTypePut})`]
      : []),
    ...(softTypeDelete === usualRoutes.softTypeDelete && shown.softTypeDelete === undefined
      ? [`routes.softTypeDelete (${softTypeDelete})`]
      : []),
    ...(openApiStatic.length > 0 ? [`routes.openApiStatic (${openApiStatic.join(', ')})`] : []),
    ...(informationFilter?.dateMember === undefined
      ? []
      : [`informationFilter.dateMember (${informationFilter.dateMember})`]),
  ];
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

/** So many that work are looked at before the best of them are taken. */
const mostAccepted = 4;

/** Those that work, what offers most first; one that somebody stated comes before all others whatever it offers. */
async function tryAll(
  context: CaseContext,
  candidates: readonly Candidate[],
): Promise<{ readonly accepted: readonly Accepted[]; readonly refused: readonly Refused[] }> {
  const accepted: (Accepted & { readonly offer: number })[] = [];
  const refused: Refused[] = [];
  for (const candidate of candidates) {
    if (accepted.length === mostAccepted) break;
    const tried = await tryCandidate(context, candidate);
    if ('type' in tried) accepted.push({ candidate, ...tried, offer: await offerOf(context, { candidate, ...tried }) });
    else
      refused.push({
        definitionId: candidate.type.definitionId,
        reason: tried.refusal,
        ...(tried.reply && { reply: tried.reply }),
      });
    // another one in the place of what somebody asked for would not be noticed
    if (candidate.isStated === true && accepted.length === 0) break;
  }
  const isStated = ({ candidate }: Accepted): number => (candidate.isStated === true ? 1 : 0);
  return {
    accepted: accepted.toSorted((a, b) => isStated(b) - isStated(a) || b.offer - a.offer),
    refused,
  };
}

/** How much there is to test, roughly in rules. */
const worth: Readonly<Partial<Record<keyof SoftTypeProfile, number>>> = {
  scalars: 60,
  arrayPort: 60,
  object: 8,
  secondArrayPort: 5,
  secondOutputSchema: 3,
  renamed: 2,
};

async function offerOf(context: CaseContext, { candidate, type, thing }: Accepted): Promise<number> {
  const parts = Object.keys(type).reduce((sum, key) => sum + (Reflect.get(worth, key) ?? 1), 0);
  const nested = type.arrayPort?.nested === undefined ? 0 : 8;
  const mandatory = type.arrayPort?.mandatory === undefined ? 0 : 3;
  const references = candidate.references.length > 0 ? 10 : 0;
  return parts + nested + mandatory + references + ((await findMaturity(context, thing)) === undefined ? 0 : 30);
}

/** What can be told once objects can be made. */
async function aroundTypes(
  context: CaseContext,
  accepted: readonly Accepted[],
  described: DescribedFilters,
): Promise<Found> {
  const [first, ...others] = accepted;
  if (first === undefined) return {};
  const forward = await referenceFrom(context, first, [...others, first]);
  // the one to which the first refers says more than the one that offers most
  const second = others.find(({ thing }) => thing === forward?.target) ?? others[0];
  const back = forward && second && (await referenceFrom(context, second, [first, second]));
  const named = ({ port, single, target }: FoundReference): Pick<SoftTypeProfile, 'reference'> => ({
    reference: { port, target: target === first.thing ? 'primary' : 'second', ...(single && { single }) },
  });
  const level = await findMaturity(context, first.thing);
  const climb = level && (await findStates(context, await context.given.object({}, { type: first.type }), level));
  const date = await datedIn(context, first.type, first.candidate.dated);
  const filters = await findFilters(context, first.type, described);
  const multiCreate = await findMultiCreate(context, first.thing);
  return {
    softTypes: {
      primary: { ...first.type, ...(date && { dated: date.dated }), ...(forward && named(forward)) },
      ...(second && { second: { ...second.type, ...(back && named(back)) } }),
    },
    ...(forward && { references: { readPath: forward.readPath } }),
    ...(date && { informationFilter: date.informationFilter }),
    ...(filters && { filters }),
    ...(level && { maturity: { ...level, ...climb?.maturity } }),
    ...(climb?.demote !== undefined && { routes: { demote: climb.demote } }),
    ...(multiCreate && { multiCreate }),
  };
}

/** Resources that answer the editor with an ETag which stays the same, as the documents show them. Source: core, Status codes and ETag */
async function cachedResources(
  context: CaseContext,
  operations: readonly DescribedOperation[],
): Promise<Profile['caching']> {
  const { space } = context.profile.all;
  const paths = operations.filter(({ method }) => method === 'GET').map(({ path }) => inSpace(path, space));
  const candidates = [...new Set(paths)].filter((path) => !path.includes('{') && !otherMatters.test(path));
  const resources = await taggedIn(context, candidates.slice(0, mostTried));
  return resources.length === 0 ? undefined : { resources };
}

function inSpace(path: string, space: string): string {
  return path.replace(/\/space\/(\{[^}]+\}|[^/]+)(?=\/)/, (whole, part: string) =>
    part.startsWith('{') || decodeSegment(part) === space ? `/space/${encodeURIComponent(space)}` : whole,
  );
}

/**
 * Writes a reference into each port, to an object of each of these SoftTypes, until one comes back as written and may be made together with
 * its target, where many services look at the SoftType for the first time; else the first that came back.
 */
async function referenceFrom(
  context: CaseContext,
  { type, candidate }: Accepted,
  targets: readonly Accepted[],
): Promise<FoundReference | undefined> {
  let usable: FoundReference | undefined;
  for (const { port, value } of candidate.references)
    for (const { thing: target } of targets)
      for (const form of [{ port }, { port, single: true as const }]) {
        const found = { ...form, target, readPath: pointer(value, '$oid') };
        if (!(await leadsThere(context, type, found, value))) continue;
        if (await isMadeTogether(context, type, found, value)) return found;
        usable ??= found;
      }
  return usable;
}

async function isMadeTogether(
  context: CaseContext,
  type: SoftTypeProfile,
  { port, single, target }: FoundReference,
  value: string,
): Promise<boolean> {
  const { given, service } = context;
  const aim = item(context, {}, target.type);
  const [instanceRef, softTypeId] = [aim.$id, target.type.definitionId];
  const reference = { id: given.unique('reference'), [value]: { instanceRef, softTypeId } };
  const referrer = item(context, {}, type);
  const data = { ...referrer.data, ...membersWith({ port, ...(single && { single }) }, [reference]) };
  return isSuccess((await service.multiCreate([aim, { ...referrer, data }])).status);
}

async function leadsThere(
  { given, service }: CaseContext,
  type: SoftTypeProfile,
  { port, single, target, readPath }: FoundReference,
  value: string,
): Promise<boolean> {
  return insteadOfRefusal(false, async () => {
    const reference = { port, ...(single && { single }) };
    const members = membersWith(reference, [{ [value]: { $oid: target.oid } }]);
    const data = dataOf(await service.readLong(await given.object(members, { type })));
    return valueAt(referencesIn(data[port])[0], readPath) === target.oid;
  });
}

/** The first element whose effectivity date follows the date of the information filter. Source: core, Operations 7 */
async function datedIn(
  context: CaseContext,
  type: SoftTypeProfile,
  candidates: readonly Dated[],
): Promise<FoundDate | undefined> {
  for (const dated of candidates)
    for (const dateMember of usualNames)
      for (const form of [{}, { dateForm: 'date' }] as const) {
        const found = { dated, informationFilter: { default: {}, dateMember, ...form } };
        if (await follows(context, type, found)) return found;
      }
  return undefined;
}

async function follows(
  { given, service }: CaseContext,
  type: SoftTypeProfile,
  { dated, informationFilter }: FoundDate,
): Promise<boolean> {
  return insteadOfRefusal(false, async () => {
    let thing = await given.object(dated.value, { type });
    for (const date of dates) {
      const filter = filterAt({ profile: { all: { informationFilter } } }, date);
      const value = withUnique(dated.replaceWith, given.unique);
      const reply = await service.operations(
        thing,
        [{ op: 'replace', path: await datedPathIn({ service }, thing, dated), value }],
        { filter },
      );
      const seen = !isSuccess(reply.status)
        ? undefined
        : valueAt(dataOf(await service.readLong(thing, { filter })), dated.datePath);
      if (momentIn(seen, Date.parse(date)) !== Date.parse(date)) return false;
      thing = await given.current(thing);
    }
    return true;
  });
}

type Routes = NonNullable<Profile['routes']>;
