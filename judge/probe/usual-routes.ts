import type { Profile, SoftTypeProfile } from '../../contract/profile.ts';
import type { Booking } from '../bookings.ts';
import type { CaseContext } from '../case.ts';
import type { Thing } from '../given.ts';
import { PreconditionFailed } from '../violation.ts';

type Routes = NonNullable<Profile['routes']>;

/** Where routes that the documents of the service do not show usually are; tried on objects made for it. */
const usualRoutes = {
  softTypePut: '/api/space/{spaceId}/softtype/{definitionId}/{inputSchemaId}/{objectId}',
  softTypeDelete: '/api/space/{spaceId}/softtype/{objectId}',
} satisfies Routes;

/** Those of the usual routes that do what they are for. @param shown routes that the OpenAPI documents show, which are taken at their word */
export async function workingRoutes(context: CaseContext, type: SoftTypeProfile, shown: Routes): Promise<Routes> {
  const put = shown.softTypePut ?? ((await puts(context, type)) ? usualRoutes.softTypePut : undefined);
  const remove = shown.softTypeDelete ?? ((await removes(context, type)) ? usualRoutes.softTypeDelete : undefined);
  return {
    ...shown,
    ...(put !== undefined && { softTypePut: put }),
    ...(remove !== undefined && { softTypeDelete: remove }),
  };
}

/** The booking of an object with the request that deletes it, where the usual route is seen to do so. */
export function removable(found: Routes | undefined, booking: Booking, { service }: CaseContext): Booking {
  const isUsual = found?.softTypeDelete === usualRoutes.softTypeDelete;
  if (booking.remove !== undefined || !isUsual || !/\/softtype\/[^/]+$/.test(booking.uri)) return booking;
  return { ...booking, remove: { ...service.requests.get(booking.uri), method: 'DELETE' } };
}

async function puts(context: CaseContext, type: SoftTypeProfile): Promise<boolean> {
  return unlessRefused(async () => {
    const { given, service } = context;
    const thing = await given.object({}, { type });
    const request = { ...service.requests.get(pathOf(usualRoutes.softTypePut, thing)), method: 'PUT' };
    const reply = await service.send({ ...request, body: given.body({}, type), version: thing.version });
    return reply.status < 300 && (await service.readLong(thing)).status < 300;
  });
}

async function removes({ given, service }: CaseContext, type: SoftTypeProfile): Promise<boolean> {
  return unlessRefused(async () => {
    const thing = await given.object({}, { type });
    const request = { ...service.requests.get(pathOf(usualRoutes.softTypeDelete, thing)), method: 'DELETE' };
    const reply = await service.send(request);
    const again =
      reply.status === 412 || reply.status === 428 ? await service.send({ ...request, version: thing.version }) : reply;
    return again.status < 300 && (await service.readLong(thing)).status >= 400;
  });
}

function pathOf(template: string, { space, type, oid }: Thing): string {
  const ids: Readonly<Record<string, string>> = {
    spaceId: space,
    definitionId: type.definitionId,
    inputSchemaId: type.inputSchemaId,
    objectId: oid,
  };
  return template.replaceAll(/\{(\w+)\}/g, (_all, name: string) => encodeURIComponent(ids[name] ?? ''));
}

async function unlessRefused(work: () => Promise<boolean>): Promise<boolean> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof PreconditionFailed) return false;
    throw error;
  }
}
