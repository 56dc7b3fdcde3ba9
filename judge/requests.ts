import { mediaTypes } from '../contract/names.ts';
import { routes } from '../contract/routes.ts';
import type { RequestSpec } from './exchange.ts';
import type { Thing } from './given.ts';
import { portOf, type BoundProfile } from './profile.ts';
import { absoluteUrl } from './requests/absolute-url.ts';
import { filled } from './requests/template.ts';
import type { Requests } from './target.ts';

/** Makes requests of the documented routes and of those that the profile binds. */
export function requestsOf(profile: BoundProfile): Requests {
  const { all } = profile;
  const at = (template: string, values: Readonly<Record<string, string | number>>) =>
    absoluteUrl(all, filled(template, values));
  const by = (method: string, url: string, more: Partial<RequestSpec> = {}): RequestSpec => ({
    method,
    url,
    as: 'editor',
    ...more,
  });
  const spaceId = all.space;

  return {
    read: (thing) => by('GET', at(routes.instanceShort, idsOf(thing))),
    readLong: (thing, outputSchemaId) =>
      by('GET', at(routes.instanceLong, { ...idsOf(thing), ...(outputSchemaId !== undefined && { outputSchemaId }) })),
    page: (thing, pageNumber, port) =>
      by('GET', at(routes.page, { ...idsOf(thing), arrayPortId: portIdOf(thing, port), pageNumber })),
    create: (body, of) =>
      by('POST', at(routes.create, typeIds(of ?? { type: profile.primary, space: spaceId })), { body }),
    merge: (thing, body, version = thing.version) => by('PATCH', at(routes.merge, idsOf(thing)), { body, version }),
    operations: (thing, operations, version = thing.version) =>
      by('PATCH', at(routes.operations, idsOf(thing)), {
        body: operations,
        version,
        headers: { 'Content-Type': mediaTypes.operations },
      }),
    put: (thing, body, version = thing.version) =>
      by('PUT', at(bound(all.routes?.softTypePut, 'softTypePut'), idsOf(thing)), { body, version }),
    remove: (thing) => by('DELETE', at(bound(all.routes?.softTypeDelete, 'softTypeDelete'), idsOf(thing))),
    promote: (thing, version = thing.version) =>
      by('PUT', at(routes.promote, { ...idsOf(thing), ...levelIds(profile) }), { version }),
    demote: (thing, version = thing.version) =>
      by('PUT', at(bound(all.routes?.demote, 'demote'), { ...idsOf(thing), ...levelIds(profile) }), { version }),
    batch: (operations) => by('POST', at(routes.batch, { spaceId }), { body: operations }),
    multiCreate: (items) => by('POST', at(all.routes?.multiCreate ?? routes.multiCreate, { spaceId }), { body: items }),
    openApi: () => by('GET', at(all.routes?.openApiDynamic ?? routes.openApiDynamic, { spaceId })),
    get: (uri, base) => by('GET', base === undefined ? absoluteUrl(all, uri) : new URL(uri, base.url).href),
  };
}

function idsOf(thing: Thing): Record<string, string> {
  return { ...typeIds(thing), objectId: thing.oid };
}

function typeIds({ type, space }: Pick<Thing, 'type' | 'space'>): Record<string, string> {
  const { definitionId, inputSchemaId, outputSchemaId } = type;
  return { spaceId: space, definitionId, softTypeId: definitionId, inputSchemaId, outputSchemaId };
}

function levelIds({ all }: BoundProfile): Record<string, string> {
  const { processId, levelId } = bound(all.maturity, 'maturity');
  return { processId, levelId };
}

function portIdOf(thing: Thing, port?: { readonly portId: string }): string {
  return port?.portId ?? portOf(bound(thing.type.arrayPort, 'arrayPort')).portId;
}

function bound<T>(value: T | undefined, key: string): T {
  if (value === undefined)
    throw new Error(`the case uses ${key}, which the profile does not bind: its rule does not name the need`);
  return value;
}
