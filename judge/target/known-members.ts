import type { Profile, SoftTypeProfile } from '../../contract/profile.ts';
import { portOf } from '../profile.ts';
import type { Port, Thing } from '../given.ts';

/** Array ports of a SoftType that hold entries with known members. */
export function portsOf(type: SoftTypeProfile): readonly Port[] {
  return [type.arrayPort, type.secondArrayPort].flatMap((port) => (port === undefined ? [] : [portOf(port)]));
}

/** Root members that the profile or the body of the thing names, by their names in the output, array ports left out. */
export function rootMembersOf(thing: Thing): readonly string[] {
  const { type, body } = thing;
  const arrays = new Set([...portsOf(type).map((port) => port.member), type.reference?.port, type.renamed?.input]);
  const named = [
    ...Object.keys(type.body),
    ...Object.keys(body),
    ...(type.scalars ?? []),
    type.object?.member,
    type.scalarList,
    type.renamed?.output,
    type.escaped,
    ...Object.keys(type.dated?.value ?? {}),
  ];
  return [...new Set(named)].filter((name): name is string => name !== undefined && !arrays.has(name));
}

/** Members of the entries of a port that the profile or the body of the thing names. */
export function entryMembersOf(thing: Thing, port: Port, profile: Profile): readonly string[] {
  const { fixed, withValue } = profile.filters ?? {};
  const sent = thing.body[port.member];
  const sentNames = Array.isArray(sent) ? sent.flatMap((entry: unknown) => namesIn(entry)) : [];
  const filtered = [...namesIn(fixed?.matching), ...namesIn(fixed?.other), withValue?.member];
  const named = [...Object.keys(port.entry), port.text, port.mandatory, ...sentNames, ...filtered];
  return [...new Set(named)].filter((name): name is string => name !== undefined && name !== port.nested?.member);
}

function namesIn(value: unknown): readonly string[] {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.keys(value) : [];
}
