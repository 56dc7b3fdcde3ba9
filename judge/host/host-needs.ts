import type { Need } from '../../contract/needs.ts';
import type { Profile } from '../../contract/profile.ts';
import type { Side } from '../../contract/rule.ts';
import type { Rule } from '../rule.ts';
import type { Outcome } from '../outcome.ts';
import { blockedBecause, blockedFor } from '../run-case/outcome-of.ts';
import type { Session } from '../session.ts';
import type { HostRecord } from './records.ts';

/** The profile as one side sees it: the time of an extension host is its own. */
export function sideProfile(profile: Profile, side: Side | undefined): Profile {
  if (side !== 'extension') return profile;
  const { time: _serviceTime, ...rest } = profile;
  return { ...rest, ...(profile.extensionHost?.time && { time: profile.extensionHost.time }) };
}

/** The needs that the metadata of a host decides on. */
export const needsOfHost: Readonly<
  Partial<Record<Need, { readonly what: string; readonly isMet: (record: HostRecord) => boolean }>>
> = {
  'extension-event': { what: 'a record of type ExternalEvent', isMet: ({ type }) => type === 'ExternalEvent' },
  'extension-validation': {
    what: 'a record of type ExternalValidation',
    isMet: ({ type }) => type === 'ExternalValidation',
  },
  'extension-task': { what: 'a record of type ExternalTask', isMet: ({ type }) => type === 'ExternalTask' },
  'extension-email': { what: 'a record of type Email', isMet: ({ type }) => type === 'Email' },
  'extension-action': { what: 'a record of type ExternalAction', isMet: ({ type }) => type === 'ExternalAction' },
  'extension-permissions': { what: 'a record with permissions', isMet: ({ permissions }) => permissions !== undefined },
};

/** The outcome of a rule for which the metadata of the host shows no record; undefined where its case can begin. */
export async function blockedByHost({ id, needs }: Rule, { host }: Session): Promise<Outcome | undefined> {
  const wanted = needs.flatMap((need) => (needsOfHost[need] === undefined ? [] : [{ need, ...needsOfHost[need] }]));
  if (host === undefined || wanted.length === 0) return undefined;
  const { records, reply, error } = await host.discovery();
  const [missing] = wanted.filter(({ isMet }) => !records.some(isMet));
  if (missing === undefined) return undefined;
  if (reply === undefined)
    return blockedBecause(
      id,
      `the metadata of the host could not be read: ${error instanceof Error ? error.message : 'no answer'}`,
    );
  if (reply.status >= 400 || !Array.isArray(reply.json))
    return {
      ...blockedBecause(
        id,
        `the metadata of the host cannot be read (status ${reply.status}${reply.status < 400 ? ', but no JSON array' : ''})`,
      ),
      standsOn: ['metadata.host.array-response'],
    };
  return blockedFor(id, [{ need: missing.need, hint: `its metadata shows no usable one (${missing.what})` }]);
}
