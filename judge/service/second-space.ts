import type { CaseContext } from '../case.ts';
import type { Profile } from '../../contract/profile.ts';
import { isSuccess, type RequestSpec } from '../exchange.ts';
import { urlInSpace } from '../every-answer/openapi.ts';
import type { Thing } from '../things.ts';

/** The other space of the profile, for somebody who may make objects there. */
interface SecondSpace {
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
  return isSuccess(status) ? { of, as, urlOf: ({ url }) => urlInSpace(url, space) } : undefined;
}

/** The profile of a target whose second space is closed to the editor, unless it says who writes there. */
export function withOutsiderInSecondSpace({ secondSpace, ...profile }: Profile): Profile {
  return secondSpace === undefined ? profile : { ...profile, secondSpace: { as: 'outsider', ...secondSpace } };
}
