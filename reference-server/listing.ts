import type { Route } from './route.ts';
import type { Answer, Service, SpaceCall } from './service.ts';
import type { Reading, StoredObject } from './store/store.ts';

/** Instances that one answer lists at most. */
const longestListing = 100;

/** Instances of a definition that hold a text, so that a client can see what exists. The documents show no such route. @throws {Refusal} 404 */
async function listInstances(service: Service, call: SpaceCall, reading: Reading): Promise<Answer> {
  const { behaviours } = service;
  const softType = behaviours.softTypeOf(service, call.space, call.params['definitionId'] ?? '');
  const text = call.query.get('text') ?? '';
  const objects = await reading.objectsHolding(call.space.id, softType.id, text, longestListing);
  return {
    status: 200,
    headers: { 'Cache-Control': 'no-store' },
    body: { href: call.url, data: objects.map((object) => listed(service, object)) },
  };
}

function listed({ behaviours }: Service, { spaceId, oid, softType, version, content }: StoredObject): object {
  return { href: behaviours.locationOf(spaceId, oid), $oid: oid, $softType: softType, version, content };
}

export const listingBehaviours = { listInstances };

export const listingRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/api/space/{spaceId}/instances/{definitionId}',
    access: 'space',
    effect: 'read',
    handle: (service, call, reading) => service.behaviours.listInstances(service, call, reading),
  },
];
