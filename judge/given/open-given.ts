import type { Bookings } from '../bookings.ts';
import { describe } from '../describe.ts';
import type { Reply } from '../exchange.ts';
import type { Given, GivenAround, Thing } from '../given.ts';
import type { BoundProfile } from '../profile.ts';
import type { Target } from '../target.ts';
import { Inconclusive, PreconditionFailed } from '../violation.ts';
import { bodyWithEntries, proveEntries } from './entries.ts';
import { foundThing, versionOf } from './found.ts';
import { withUnique } from './unique.ts';
import { changedOid } from './unknown-oid.ts';

export interface GivenParts {
  readonly service: Target;
  readonly profile: BoundProfile;
  readonly bookings: Bookings;
  readonly unique: (prefix?: string) => string;
  /** Words of the other parts of the service. */
  readonly around: GivenAround;
}

/** Makes what the cases need. */
export function openGiven(parts: GivenParts): Given {
  const { service, profile, bookings, unique } = parts;
  const given: Given = {
    ...parts.around,
    unique,
    body: (more, type = profile.primary) => ({ ...withUnique(type.body, unique), ...more }),
    entry: (text, more, port = profile.port) => ({ ...withUnique(port.entry, unique), [port.text]: text, ...more }),
    object: async (more, { type = profile.primary, space = profile.all.space, as = 'editor' } = {}) =>
      (await made(parts, { type, space, as, body: given.body(more, type) })).thing,
    found: async (created, body, of = { type: profile.primary, space: profile.all.space }) =>
      (await foundThing(created, { ...of, as: 'editor', body }, { ...parts, profile: profile.all })).thing,
    objectWithEntries: async (count, options = {}) => {
      const texts = Array.from({ length: count }, () => unique('entry'));
      const body = given.body(bodyWithEntries(texts, options, given, profile));
      const { thing, reply } = await made(parts, {
        type: profile.primary,
        space: profile.all.space,
        as: 'editor',
        body,
      });
      return proveEntries(service, thing, profile.port, texts, reply);
    },
    current: (thing) => current(service, thing),
    edited: (thing, times = 1) => edited(parts, thing, times),
    snapshot: (thing) => service.snapshot(thing),
    unknownOid: ({ oid }) => changedOid(oid, (candidate) => bookings.knows(candidate)),
    assume: (condition, sentence) => {
      if (!condition) throw new PreconditionFailed(sentence);
    },
    present: (value, what, standsOn) => {
      if (value === null || value === undefined) throw new PreconditionFailed(what, undefined, standsOn);
      return value;
    },
    succeeded,
    inconclusive: (sentence) => {
      throw new Inconclusive(sentence);
    },
  };
  return given;
}

type Making = Pick<Thing, 'type' | 'space' | 'body'> & {
  readonly as: 'editor' | Parameters<Target['token']>[0] | null;
};

async function made(parts: GivenParts, making: Making): Promise<{ readonly thing: Thing; readonly reply: Reply }> {
  const created = await parts.service.create(making.body, { of: making, as: making.as });
  succeeded(created, `to create an instance of ${making.type.definitionId}`, ['reading.create.status-201']);
  return foundThing(created, making, { ...parts, profile: parts.profile.all });
}

/** An object that reads now: by where it was found, whatever became of the documented routes. */
async function current<T extends Thing>(service: Target, thing: T): Promise<T> {
  const reply = await service.get(thing.location);
  const version = reply.status === 200 ? versionOf(reply) : undefined;
  if (version !== undefined) return { ...thing, version };
  throw new PreconditionFailed(`to read the version of ${thing.oid}`, reply, [
    'headers.location.leads-to-object',
    'reading.body.version-is-integer',
  ]);
}

async function edited<T extends Thing>({ service, unique }: GivenParts, thing: T, times: number): Promise<T> {
  let latest = thing;
  const [scalar] = thing.type.scalars ?? [];
  for (let time = 0; time < times; time += 1) {
    const edit = scalar === undefined ? withUnique(thing.type.body, unique) : { [scalar]: unique('edit') };
    succeeded(await service.merge(latest, edit), 'an accepted merge edit', [
      'patch.merge.edits-named-member',
      'patch.merge.status-204',
    ]);
    latest = await current(service, latest);
  }
  return latest;
}

const succeeded: Given['succeeded'] = (reply, step, standsOn) => {
  if (reply.status >= 200 && reply.status < 300) return;
  const body = reply.text === '' ? '' : ` (the answer says ${describe(reply.text, 300)})`;
  throw new PreconditionFailed(`${step}${body}`, reply, standsOn);
};
