import type { CaseContext } from './case.ts';
import type { Profile } from '../contract/profile.ts';
import type { RequestSpec } from './exchange.ts';
import { urlInSpace } from './openapi.ts';
import type { Thing } from './things.ts';

/** The other space of the profile, for somebody who may make objects there. */
export interface SecondSpace {
  readonly of: Pick<Thing, 'type' | 'space'>;
  readonly as: 'editor' | 'outsider';
  /** Url of a request for the space of the profile, led to this one. */
  readonly urlOf: (request: RequestSpec) => string;
}

/** Undefined where the profile knows none, or nobody who may write there. */
export async function enterSecondSpace({ given, service, profile }: CaseContext): Promise<SecondSpace | undefined> {
  const { secondSpace } = profile.all;
  if (secondSpace === undefined) return undefined;
  const { space, softType: type, as = 'editor' } = secondSpace;
  const of = { type, space };
  const { status } = await service.create(given.body({}, type), { of, as });
  return status < 300 ? { of, as, urlOf: ({ url }) => urlInSpace(url, space) } : undefined;
}

/** The profile, with who writes in the second space where it says nothing of that and the editor was seen to have no role there. */
export async function withWriterOfSecondSpace(
  { given, service }: Pick<CaseContext, 'given' | 'service'>,
  profile: Profile,
): Promise<Profile> {
  const { secondSpace, identities } = profile;
  if (secondSpace === undefined || secondSpace.as !== undefined || identities.outsider === undefined) return profile;
  const { space, softType: type } = secondSpace;
  const { status } = await service.create(given.body({}, type), { of: { type, space } });
  return status === 403 ? { ...profile, secondSpace: { ...secondSpace, as: 'outsider' } } : profile;
}
