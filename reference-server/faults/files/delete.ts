import { replacing, type FaultsOf } from '../fault.ts';
import { withoutCredentials } from './download.ts';
import { directoryOf, keyOf, whole } from './words.ts';

export const deleteFaults = {
  // each server gets a store of its own
  'files.delete.removes-file': (behaviours) => {
    const kept = new Map<string, Buffer>();
    return {
      ...behaviours,
      deleteFile: async (service, place) => {
        const content = await service.files.read(place);
        if (content !== undefined) kept.set(keyOf(place), await whole(content));
        return behaviours.deleteFile(service, place);
      },
      downloadFile: async (service, call, kind) => {
        const byLink = call.query.has('token') && call.headers['authorization'] === undefined;
        const area = byLink ? await service.behaviours.openArea(service, call, kind) : undefined;
        const raw = area && kept.get(keyOf(service.behaviours.filePlaceOf(service, call, area)));
        return raw === undefined ? behaviours.downloadFile(service, call, kind) : { status: 200, headers: {}, raw };
      },
    };
  },

  // each server gets a list of its own
  'files.delete.missing-file-fails': (behaviours) => {
    const deleted = new Set<string>();
    return {
      ...behaviours,
      deleteFile: async (service, place) => {
        const there = await behaviours.deleteFile(service, place);
        if (there) deleted.add(keyOf(place));
        return there || deleted.has(keyOf(place));
      },
    };
  },

  'files.delete.leaves-siblings': replacing('deleteFile', (right) => async (service, place) => {
    const removed = await right(service, place);
    const directory = directoryOf(place);
    const name = place.segments.at(-1) ?? '';
    const siblings = (await service.files.list(directory)) ?? [];
    for (const sibling of siblings)
      if (removed && sibling.kind === 'file' && sibling.name.startsWith(name))
        await right(service, { ...directory, segments: [...directory.segments, sibling.name] });
    return removed;
  }),

  'files.delete.basic-pat': withoutCredentials('basic', 'DELETE'),
} satisfies Partial<FaultsOf<'files'>>;
