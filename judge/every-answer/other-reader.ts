import type { IdentityName, Profile, SoftTypeProfile } from '../../contract/profile.ts';
import { type Draw, openDraw } from '../case/draw.ts';
import type { RequestSpec } from '../exchange.ts';
import { isObject } from '../json.ts';
import { hasCredential, identitiesIn, isUsual } from '../service/roles.ts';
import { softTypesOf } from '../service/soft-types.ts';

/** One of so many reads is asked for by somebody else as well. */
const oneIn = 5;

/** Chooses by lot reads that somebody else asks for as well: what they show hangs on nobody's role. Source: core, Access levels */
export class OtherReader {
  readonly #readers: readonly IdentityName[];
  readonly #isDrawn: Draw;

  constructor(profile: Profile, seed: number, name: string) {
    this.#readers = identitiesIn(profile).filter((as) => hasCredential(profile, as) && mayRead(profile, as));
    this.#isDrawn = openDraw(seed, `${name} read again`);
  }

  /** Who asks for the same again; undefined for most requests. */
  drawFor({ method, as, headers = {} }: RequestSpec): IdentityName | undefined {
    if (method !== 'GET' || as === null || !this.#readers.includes(as) || isConditional(headers)) return undefined;
    const [first, ...others] = this.#readers.filter((one) => one !== as);
    if (first === undefined) return undefined;
    const lots = Array.from({ length: oneIn - 1 }, () => undefined);
    return this.#isDrawn<IdentityName | undefined>([this.#isDrawn([first, ...others]), ...lots]);
  }
}

/** In the space of the profile, as far as it says so. */
function mayRead({ identities }: Profile, as: IdentityName): boolean {
  return identities[as]?.methods?.includes('GET') ?? isUsual(as, 'GET');
}

/** What hangs on more than who asks, or says itself who that is. */
function isConditional(headers: NonNullable<RequestSpec['headers']>): boolean {
  return Object.keys(headers).some((name) => ['authorization', 'if-none-match'].includes(name.toLowerCase()));
}

/** Members that the profile describes, as they are read; references may lead to what not everybody sees. */
export function describedMembers(profile: Profile): ReadonlySet<string> {
  return new Set(softTypesOf(profile).flatMap(membersOf));
}

function membersOf(type: SoftTypeProfile): readonly string[] {
  const { scalars = [], numbers = [], flags = [], object, renamed, scalarList } = type;
  const ports = [type.arrayPort, type.arrayPort?.nested, type.secondArrayPort].filter((port) => port !== undefined);
  const single = [object?.member, renamed?.output, scalarList].filter((name) => name !== undefined);
  const inPorts = ports.flatMap(({ member, text }) => [member, text]);
  return [...systemMembers, ...scalars, ...numbers, ...flags, ...(object?.scalars ?? []), ...single, ...inPorts];
}

const systemMembers = ['$oid', '$softType', '$version', '$entryId'];

/** A value without the members that are not described, in one order. */
export function describedPart(value: unknown, members: ReadonlySet<string>): unknown {
  if (Array.isArray(value)) return value.map((one) => describedPart(one, members));
  if (!isObject(value)) return value;
  const described = Object.entries(value).filter(([name]) => members.has(name));
  return Object.fromEntries(
    described
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, one]) => [name, describedPart(one, members)]),
  );
}
