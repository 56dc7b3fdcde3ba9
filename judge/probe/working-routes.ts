import type { Profile, SoftTypeProfile } from '../../contract/profile.ts';
import type { CaseContext } from '../case.ts';
import type { Thing } from '../things.ts';
import { unlessRefused } from '../violation.ts';
import { deletionLinked, idsIn } from './links.ts';
import { isSuccess } from '../exchange.ts';

type Routes = NonNullable<Profile['routes']>;

/** Where routes that the documents of the service do not show usually are; tried on objects made for it. */
export const usualRoutes = {
  softTypePut: '/api/space/{spaceId}/softtype/{definitionId}/{inputSchemaId}/{objectId}',
  softTypeDelete: '/api/space/{spaceId}/softtype/{objectId}',
} satisfies Routes;

/**
 * The routes that do what they are for: those that links and documents show, and the usual ones.
 * @param shown routes that the OpenAPI documents show; all but the DELETE are taken at their word
 */
export async function findWorkingRoutes(context: CaseContext, type: SoftTypeProfile, shown: Routes): Promise<Routes> {
  const put =
    shown.softTypePut ??
    ((await unlessRefused(() => puts(context, type))) === true ? usualRoutes.softTypePut : undefined);
  const linked = await linkedDeletion(context, type);
  const deletions = new Set(
    [shown.softTypeDelete, linked, usualRoutes.softTypeDelete].filter((path) => path !== undefined),
  );
  const { softTypeDelete: _stated, ...rest } = shown;
  const remove = await firstThatRemoves(context, type, [...deletions]);
  return {
    ...rest,
    ...(put !== undefined && { softTypePut: put }),
    ...(remove !== undefined && { softTypeDelete: remove }),
  };
}

async function firstThatRemoves(
  context: CaseContext,
  type: SoftTypeProfile,
  paths: readonly string[],
): Promise<string | undefined> {
  for (const path of paths) if ((await unlessRefused(() => removes(context, type, path))) === true) return path;
  return undefined;
}

async function linkedDeletion(context: CaseContext, type: SoftTypeProfile): Promise<string | undefined> {
  const thing = await unlessRefused(() => context.given.object({}, { type }));
  return thing && deletionLinked(context, thing);
}

async function puts({ given, service }: CaseContext, type: SoftTypeProfile): Promise<boolean> {
  const thing = await given.object({}, { type });
  const request = { ...service.requests.get(pathOf(usualRoutes.softTypePut, thing)), method: 'PUT' };
  const reply = await service.send({ ...request, body: given.body({}, type), version: thing.version });
  return isSuccess(reply.status) && isSuccess((await service.readLong(thing)).status);
}

async function removes({ given, service }: CaseContext, type: SoftTypeProfile, path: string): Promise<boolean> {
  const thing = await given.object({}, { type });
  const request = { ...service.requests.get(pathOf(path, thing)), method: 'DELETE' };
  const reply = await service.send(request);
  const again =
    reply.status === 412 || reply.status === 428 ? await service.send({ ...request, version: thing.version }) : reply;
  return isSuccess(again.status) && (await service.readLong(thing)).status >= 400;
}

function pathOf(template: string, thing: Thing): string {
  const ids: Readonly<Record<string, string>> = { ...idsIn(thing), spaceId: thing.space };
  return template.replaceAll(/\{(\w+)\}/g, (_all, name: string) => encodeURIComponent(ids[name] ?? ''));
}
