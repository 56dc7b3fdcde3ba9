import { headerNames } from '../../contract/names.ts';
import type { Order } from '../../contract/control/route.ts';
import { type ServiceControl, mostSeedObjects } from '../../contract/control/service.ts';
import type { Areas } from '../areas.ts';
import { MultiCreate } from '../areas/multi-create.ts';
import type { Space, User } from '../configuration.ts';
import type { SpaceCall } from '../http/call.ts';
import { Refusal } from '../http/refusal.ts';
import { silentLog } from '../log.ts';
import type { Writing } from '../ports/store.ts';

type Seed = Order<ServiceControl['seed']>['body'];

/** An object that a seed has put where it is. */
export interface SeededObject {
  readonly $oid: string;
  readonly href: string;
  readonly version: number;
}

/** A multi-create whose items keep the names that they are given. */
export class SeedCreate extends MultiCreate {
  override identifyItems(items: Parameters<MultiCreate['identifyItems']>[0]): ReturnType<MultiCreate['identifyItems']> {
    return super.identifyItems(items).map((item) => ({ ...item, oid: item.$id ?? item.oid }));
  }

  override withinLimit(items: readonly unknown[]): readonly unknown[] {
    if (items.length <= mostSeedObjects) return items;
    throw new Refusal(422, `Expected ${mostSeedObjects} objects at most, found ${items.length}.`);
  }
}

/** Nobody that anything is asked of: what a seed needs no role decides. */
const sower: User = { name: 'seed', displayName: 'Seed', password: '', pat: '', collectionAdministrator: false };

/** Puts all the objects of the seed into the store, or none. @param areas with `SeedCreate`. @throws {Refusal} 404, 409, 422 */
export async function putSeed(
  areas: Areas,
  { space, objects }: Seed,
): Promise<{ readonly objects: readonly SeededObject[] }> {
  const call = callFor(spaceOf(areas, space));
  const items = await Promise.all(
    objects.map(({ version: _version, ...item }, index) => filled(call.space, item, index)),
  );
  return areas.store.change(async (writing) => {
    for (const [index, { $id }] of objects.entries())
      if ($id !== undefined) await assertFree(areas, writing, $id, `/objects/${index}/$id`);
    const { body } = await areas.multiCreate
      .multiCreate({ ...call, json: items }, writing)
      .catch((error: unknown) => Promise.reject(placed(error)));
    const made = Array.isArray(body) ? body : [];
    const seeded: SeededObject[] = [];
    for (const [index, { version = 1 }] of objects.entries()) {
      const href = String(Object(made[index]).href);
      const $oid = decodeURIComponent(href.split('/').at(-1) ?? '');
      const object = await writing.object(call.space.id, $oid);
      if (object !== undefined && version !== object.version)
        await writing.updateObject(call.space.id, $oid, version, object.content);
      seeded.push({ $oid, href, version });
    }
    return { objects: seeded };
  });
}

/** With data that is made up where it is left out. */
async function filled(space: Space, item: Omit<Seed['objects'][number], 'version'>, index: number): Promise<object> {
  const softType = space.template.softTypes.get(item.$softType);
  if (item.data !== undefined || softType === undefined) return item;
  // the library behind it is loaded for those who ask
  const { madeUpData } = await import('./made-up.ts');
  return { ...item, data: madeUpData(softType, index + 1) };
}

/** Identifiers are those of a collection, not of a space. */
async function assertFree({ configuration }: Areas, writing: Writing, oid: string, pointer: string): Promise<void> {
  for (const spaceId of configuration.spaces.keys())
    if ((await writing.object(spaceId, oid)) !== undefined)
      throw new Refusal(
        409,
        `Expected identifiers that no object has, found "${oid}" in the space ${spaceId}; take another, or reset the server first.`,
        { pointer },
      );
}

/** What refuses an item points at its place in the seed. */
function placed(error: unknown): unknown {
  if (!(error instanceof Refusal) || error.pointer === undefined) return error;
  return new Refusal(error.status, error.message, { pointer: `/objects${error.pointer}` });
}

function spaceOf({ configuration: { spaces } }: Areas, id: string | undefined): Space {
  const [first] = spaces.values();
  const space = id === undefined ? first : spaces.get(id);
  if (space !== undefined) return space;
  throw new Refusal(404, `Expected one of the spaces ${[...spaces.keys()].join(', ')}, found "${id}".`, {
    pointer: '/space',
  });
}

function callFor(space: Space): SpaceCall {
  const filter = Buffer.from('{}').toString('base64');
  return {
    method: 'POST',
    url: '',
    params: { spaceId: space.id },
    query: new URLSearchParams(),
    headers: { [headerNames.informationFilter.toLowerCase()]: filter },
    body: undefined,
    correlationId: '',
    correlationGiven: false,
    log: silentLog,
    space,
    user: sower,
  };
}
