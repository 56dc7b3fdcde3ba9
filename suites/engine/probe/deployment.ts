import type { Profile, SoftTypeProfile } from '../../../contract/profile.ts';
import type { CaseContext } from '../case.ts';
import type { Reply } from '../exchange.ts';
import type { AreaName } from '../files/files.ts';
import type { Thing } from '../given.ts';
import type { LoadedProfile } from '../profile/load.ts';
import { usableAreas } from './areas.ts';
import { typesIn } from './described.ts';
import { readDocuments, type Documents } from './documents.ts';
import { maturityIn } from './links.ts';
import { multiCreateOf } from './multi-create.ts';
import { probing, type Probed } from './probing.ts';
import { candidatesOf, type Candidate } from './propose.ts';
import { referenceFrom } from './references.ts';
import { routesIn } from './routes.ts';
import { triedOut } from './try-out.ts';

/** What probing shows of a deployment, as keys of its profile. */
export type Found = Pick<
  Profile,
  'softTypes' | 'openApi' | 'routes' | 'maturity' | 'multiCreate' | 'references' | 'files'
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
    stated === undefined ? [] : [{ type: stated, references: [], renamable: { inputs: [], outputs: [] } }];
  const candidates = stated === undefined ? candidatesOf(typesIn(documents.operations)) : known;
  const areas = Object.fromEntries(areaNames.map((name) => [name, { as: 'editor' as const }]));
  const profile = { ...loaded.profile, routes, files: { areas } };
  return probing({ ...loaded, profile }, async (context) => {
    const { accepted, refused } = await tryAll(context, candidates.slice(0, mostCandidates));
    const usable = await usableAreas(context);
    const found = {
      ...(documents.dynamicPath !== undefined && { openApi: { served: true } }),
      ...(Object.keys(routes).length > 0 && { routes }),
      ...(usable.length > 0 && {
        files: { areas: Object.fromEntries(usable.map((name) => [name, { as: 'editor' as const }])) },
      }),
      ...(await aroundTypes(context, accepted)),
    };
    return { found, refused, openApi: documents.reply };
  });
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
async function aroundTypes(context: CaseContext, accepted: readonly Accepted[]): Promise<Found> {
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
  const maturity = await maturityIn(context, first.thing);
  const multiCreate = await multiCreateOf(context, first.thing);
  return {
    softTypes: {
      primary: { ...first.type, ...(forward && { reference: forward.reference }) },
      ...(second && { second: { ...second.type, ...(back && { reference: back.reference }) } }),
    },
    ...(forward && { references: { readPath: forward.readPath } }),
    ...(maturity && { maturity }),
    ...(multiCreate && { multiCreate }),
  };
}
