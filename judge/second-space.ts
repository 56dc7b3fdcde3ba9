import type { CaseContext } from './case.ts';
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
  const { secondSpace, identities } = profile.all;
  if (secondSpace === undefined) return undefined;
  const { space, softType: type } = secondSpace;
  const of = { type, space };
  for (const as of ['editor', 'outsider'] as const) {
    if (identities[as] === undefined) continue;
    const { status } = await service.create(given.body({}, type), { of, as });
    if (status < 300) return { of, as, urlOf: ({ url }) => urlInSpace(url, space) };
  }
  return undefined;
}
