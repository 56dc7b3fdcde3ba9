import type { FileArea } from '../../files/file-store.ts';
import { replacing, type Fault, type FaultsOf } from '../fault.ts';
import { directoryOf, keyOf } from './words.ts';

/** Space and participant that others are taken for. */
const firstSpaceId = 'main';
const firstParticipantId = 'owner';

export const isolationFaults = {
  'files.isolation.between-areas': storedAs((area) =>
    area.kind === 'collection' ? { kind: 'space', spaceId: firstSpaceId } : area,
  ),
  'files.isolation.between-users': storedAs((area) =>
    area.kind === 'user' ? { ...area, userName: 'everybody' } : area,
  ),
  'files.isolation.between-participants': storedAs((area) =>
    area.kind === 'participant' ? { ...area, participantId: firstParticipantId } : area,
  ),
  'files.isolation.between-spaces': storedAs((area) =>
    area.kind === 'space' ? { ...area, spaceId: firstSpaceId } : area,
  ),

  // every second deletion in a directory that holds more; each server counts by itself
  'files.area.model-sequence': (behaviours) => {
    const deletions = new Map<string, number>();
    return {
      ...behaviours,
      deleteFile: async (service, place) => {
        const directory = directoryOf(place);
        const info = await service.files.describe(place);
        const entries = (await service.files.list(directory)) ?? [];
        const isOneOfMany = info?.kind === 'file' && entries.length > 1;
        const count = (deletions.get(keyOf(directory)) ?? 0) + (isOneOfMany ? 1 : 0);
        deletions.set(keyOf(directory), count);
        return isOneOfMany && count % 2 === 0 ? true : behaviours.deleteFile(service, place);
      },
    };
  },
} satisfies Partial<FaultsOf<'files'>>;

/** Who may use an area is decided rightly, and then another one is used. */
function storedAs(other: (area: FileArea) => FileArea): Fault {
  return replacing('openArea', (right) => async (service, call, kind) => other(await right(service, call, kind)));
}
