import type { FileArea, FilePlace } from '../files/file-store.ts';
import { Refusal } from '../problem.ts';
import type { Call, Service } from '../service.ts';
import type { BulkRequest } from './request.ts';

/** The area that the path names. Source: extensions, File routes, rows 5 to 7. @throws {Refusal} 404 */
export function bulkAreaOf(service: Service, call: Call): FileArea {
  const { behaviours } = service;
  const { spaceId, participantId } = call.params;
  if (spaceId === undefined) return behaviours.collectionArea();
  if (participantId === undefined) return behaviours.spaceArea(service, call);
  if (behaviours.spaceOf(service, call).participants.has(participantId))
    return behaviours.participantArea(service, call);
  throw new Refusal(404, `There is no participant ${participantId} in the space ${spaceId}.`, {
    pointer: 'participantId',
  });
}

/** Names of the directory in the area that takes the structure; slashes around them do not count. @throws {Refusal} 400 */
export function bulkTargetOf(service: Service, { targetDirectory }: BulkRequest): readonly string[] {
  const path = targetDirectory.replace(/^\//, '').replace(/\/$/, '');
  if (path === '') return [];
  const names = path.split('/');
  service.behaviours.assertPath(service, names);
  return names;
}

/** Where a file of the source goes: the structure is kept. @throws {Refusal} 400 for a path that no area can have */
export function bulkPlaceOf(
  service: Service,
  area: FileArea,
  target: readonly string[],
  path: readonly string[],
): FilePlace {
  const segments = [...target, ...path];
  service.behaviours.assertPath(service, segments);
  return { area, segments };
}
