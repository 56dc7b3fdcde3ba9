import { createdFile } from '../../files/location.ts';
import { Refusal } from '../../problem.ts';
import type { Service } from '../../service.ts';
import type { FilePlace } from '../../files/file-store.ts';
import { replacing, type Fault, type FaultsOf } from '../fault.ts';
import { directoryOf, keeping, keyOf, once } from './words.ts';

const kibibyte = 1024;

export const streamFaults = {
  'files.stream.root-without-subdirectory': replacing('streamPlaceOf', (right) => (service, call, area) => {
    if (call.rest?.length === 1) throw new Refusal(404, 'There is no such route.');
    return right(service, call, area);
  }),

  'files.stream.nested-directories-created': replacing('uploadStream', (right) => async (service, call, kind) => {
    const area = await service.behaviours.openArea(service, call, kind);
    const above = directoryOf(directoryOf(service.behaviours.streamPlaceOf(service, call, area)));
    if (above.segments.length > 1 && (await service.files.describe(above)) === undefined)
      throw new Refusal(409, 'The directory is missing.');
    return right(service, call, kind);
  }),

  'files.stream.existing-file-refused': beforeUpload(async (service, place, size, comes) => {
    if (size !== comes) await service.behaviours.deleteFile(service, place);
  }),

  'files.stream.existing-file-unchanged': beforeUpload(async (service, place, size, comes) => {
    if (size > 2 * comes) await service.files.write(place, once(new Uint8Array()), { replace: true });
  }),

  'files.stream.existing-identical-refused': replacing('uploadStream', (right) => async (service, call, kind) => {
    const area = await service.behaviours.openArea(service, call, kind);
    const place = service.behaviours.streamPlaceOf(service, call, area);
    const info = await service.files.describe(place);
    const kept = info?.kind === 'file' ? await service.behaviours.fileRecordOf(service, place, info.stamp) : undefined;
    return kept?.md5 !== undefined && kept.md5 === call.headers['checksum']
      ? createdFile(place)
      : right(service, call, kind);
  }),

  // each server gets a list of its own
  'files.stream.reupload-after-delete': (behaviours) => {
    const reserved = new Set<string>();
    return {
      ...behaviours,
      deleteFile: async (service, place) => {
        const info = await service.files.describe(place);
        const record =
          info?.kind === 'file' ? await service.behaviours.fileRecordOf(service, place, info.stamp) : undefined;
        if (record?.type.startsWith('text/')) reserved.add(keyOf(place));
        return behaviours.deleteFile(service, place);
      },
      assertPlaceFree: async (service, place) => {
        if (reserved.has(keyOf(place))) throw service.behaviours.placeTaken(place);
        return behaviours.assertPlaceFree(service, place);
      },
    };
  },

  'files.stream.empty-file': replacing('uploadStream', (right) => async (service, call, kind) => {
    if (Number(call.headers['content-length']) === 0) throw new Refusal(400, 'Expected a body, found none.');
    return right(service, call, kind);
  }),

  'files.stream.one-byte-file': keeping((came) =>
    came.length === 1 && came.toString('latin1').trim() === '' ? Buffer.alloc(0) : came,
  ),

  'files.stream.guidance-size': replacing('streamLimitOf', () => () => 100 * kibibyte - 1),

  'files.stream.body-not-interpreted': keeping((came, call) => {
    if (!call.headers['content-type']?.includes('json')) return came;
    try {
      return Buffer.from(JSON.stringify(JSON.parse(came.toString('utf8'))));
    } catch {
      throw new Refusal(400, 'The body is no JSON.');
    }
  }),

  'files.stream.concurrent-same-name': replacing('storeStream', (right) => async (...upload) => {
    await right(...upload).catch((error: unknown) => {
      if (!(error instanceof Refusal) || error.status !== 409) throw error;
    });
  }),

  // each server gets a list of its own
  'files.stream.concurrent-new-directory': (behaviours) => {
    const begun = new Set<string>();
    return {
      ...behaviours,
      storeStream: async (service, place, call, content, checksum) => {
        const directory = directoryOf(place);
        if (directory.segments.length < 3 || (await service.files.describe(directory)) !== undefined)
          return behaviours.storeStream(service, place, call, content, checksum);
        if (begun.has(keyOf(directory))) throw new Refusal(409, 'The directory is there already.');
        begun.add(keyOf(directory));
        return behaviours.storeStream(service, place, call, content, checksum);
      },
    };
  },
} satisfies Partial<FaultsOf<'files'>>;

/** Something is done to a file that is there before an upload to its path. @param act gets the length of the file, and that of what comes */
function beforeUpload(act: (service: Service, place: FilePlace, size: number, comes: number) => Promise<void>): Fault {
  return replacing('uploadStream', (right) => async (service, call, kind) => {
    const area = await service.behaviours.openArea(service, call, kind);
    const place = service.behaviours.streamPlaceOf(service, call, area);
    const info = await service.files.describe(place);
    if (info?.kind === 'file') await act(service, place, info.size, Number(call.headers['content-length']));
    return right(service, call, kind);
  });
}
