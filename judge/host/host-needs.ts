import type { Need } from '../../contract/needs.ts';
import type { Profile } from '../../contract/profile.ts';
import type { Side } from '../../contract/rule.ts';
import type { Rule } from '../rule.ts';
import { blockedBecause, type Outcome } from '../outcome.ts';
import { blockedFor } from '../case/outcome-of.ts';
import type { Session } from '../run/session.ts';
import type { Discovery } from './host-session.ts';
import { askingRecords, type HostCalledType, optionalMembers, withQueryToken } from './records.ts';

/** The profile as one side sees it: the time of an extension host is its own. */
export function sideProfile(profile: Profile, side: Side | undefined): Profile {
  if (side !== 'extension') return profile;
  const { time: _serviceTime, ...rest } = profile;
  return { ...rest, ...(profile.extensionHost?.time && { time: profile.extensionHost.time }) };
}

interface HostNeed {
  /** What the metadata would have to show, with its article. */
  readonly what: string;
  readonly isMet: (discovery: Discovery) => boolean;
}

/** The needs that the metadata of a host decides on. */
export const needsOfHost: Readonly<Partial<Record<Need, HostNeed>>> = {
  'extension-event': typed('ExternalEvent'),
  'extension-validation': typed('ExternalValidation'),
  'extension-task': typed('ExternalTask'),
  'extension-email': typed('Email'),
  'extension-action': typed('ExternalAction'),
  'extension-record': { what: 'a record', isMet: ({ announced }) => announced.length > 0 },
  'extension-call': {
    what: 'a record of a type whose calls are documented',
    isMet: ({ records }) => records.length > 0,
  },
  'extension-query': {
    what: `a record of type ${withQueryToken.join(' or ')}`,
    isMet: ({ records }) => records.some(({ type }) => withQueryToken.includes(type)),
  },
  'extension-options': withMember(...optionalMembers),
  'extension-capabilities': withMember('capabilities'),
  'extension-permissions-member': withMember('permissions'),
  'extension-permissions': {
    what: 'a record with permissions that can be called',
    isMet: ({ records, announced }) => askingRecords(announced).some(({ id }) => records.some((one) => one.id === id)),
  },
};

function typed(name: HostCalledType): HostNeed {
  return { what: `a record of type ${name}`, isMet: ({ records }) => records.some(({ type }) => type === name) };
}

/** One that is malformed is there: what is wrong with it is the business of the rules. */
function withMember(...names: readonly string[]): HostNeed {
  return {
    what: `a record with ${names.join(' or ')}`,
    isMet: ({ announced }) => announced.some((record) => names.some((name) => record[name] !== undefined)),
  };
}

/** The outcome of a rule for which the metadata of the host shows no record; undefined where its case can begin. */
export async function blockedByHost({ id, needs }: Rule, { host }: Session): Promise<Outcome | undefined> {
  const wanted = needs.flatMap((need) => (needsOfHost[need] === undefined ? [] : [{ need, ...needsOfHost[need] }]));
  if (host === undefined || wanted.length === 0) return undefined;
  const discovery = await host.discovery();
  const { reply, error } = discovery;
  const [missing] = wanted.filter(({ isMet }) => !isMet(discovery));
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
