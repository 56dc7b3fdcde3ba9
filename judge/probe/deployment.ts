import type { Profile, SoftTypeProfile } from '../../contract/profile.ts';
import type { CaseContext } from '../case.ts';
import type { Reply } from '../exchange.ts';
import type { AreaName } from '../files/files.ts';
import type { Thing } from '../given.ts';
import type { LoadedProfile } from '../profile/load.ts';
import { usableAreas } from './areas.ts';
import { typesIn } from './described.ts';
import { readDocuments, type Documents } from './documents.ts';
import { maturityIn } from './links.ts';
import { smallestChunkSize } from './chunks.ts';
import { cachedResources } from './caching.ts';
import { datedIn } from './dated.ts';
import { filtersIn, filtersOf, type DescribedFilters } from './filters.ts';
import { multiCreateOf } from './multi-create.ts';
import { probing, type Probed } from './probing.ts';
import { candidatesOf, type Candidate } from './propose.ts';
import { referenceFrom } from './references.ts';
import { routesIn } from './routes.ts';
import { statesOf } from './states.ts';
import { triedOut } from './try-out.ts';
import { removable, workingRoutes } from './usual-routes.ts';

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
export async function probedDeployment(loaded: LoadedProfile, stated?: SoftTypeProfile): Promise<Probed<Findings>> {
  const { result: documents } = await probing(loaded, readDocuments);
  const { space } = loaded.profile;
  const routes = routesOf(documents, space);
  const known: Candidate[] =
    stated === undefined ? [] : [{ type: stated, references: [], renamable: { inputs: [], outputs: [] }, dated: [] }];
  const filters = filtersIn(documents.operations);
  const criteria = filters.values.map(({ criteriaPort }) => criteriaPort);
  const candidates = stated === undefined ? candidatesOf(typesIn(documents.operations), criteria) : known;
  const areas = Object.fromEntries(areaNames.map((name) => [name, { as: 'editor' as const }]));
  const profile = { ...loaded.profile, routes, files: { areas } };
  return probing(
    { ...loaded, profile },
    (context) => findingsOf(context, { documents, routes, candidates, filters }),
    ({ found }, booking, context) => removable(found.routes, booking, context),
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
  const working = first === undefined ? routes : await workingRoutes(context, first.type, routes);
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
    const tried = await triedOut(context, candidate);
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
  const level = await maturityIn(context, first.thing);
  const states = level && (await statesOf(context, await context.given.object({}, { type: first.type }), level));
  const date = await datedIn(context, first.type, first.candidate.dated);
  const filters = await filtersOf(context, first.type, described);
  const multiCreate = await multiCreateOf(context, first.thing);
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
