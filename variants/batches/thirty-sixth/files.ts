import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isContent } from '../../../reference-server/areas/content.ts';
import type { Areas } from '../../../reference-server/areas.ts';
import type { FilePlace } from '../../../reference-server/ports/file-store.ts';
import { breaks, replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { isThere } from '../proofs.ts';
import { spaceFiles } from '../service.ts';

const bulkPath = '/admin/fileupload/main';

export const filesMistakes: Batch = {
  'files.directory-called-like-a-participant': {
    source: 'extensions: File areas',
    breaks: 'A file of the space is in the area of the space, also where its directory is called like a participant.',
    kind: 'value',
    variant: together(
      replaces('files', 'streamPlaceOf', (right, areas, call, area) => mislaid(areas, right(areas, call, area))),
      replaces('files', 'filePlaceOf', (right, areas, call, area) => mislaid(areas, right(areas, call, area))),
    ),
    async shows({ edda }) {
      await edda.upload('owner/note.txt', 'x');
      return (await edda.get('/api/space/main/participant/owner/fs/file/note.txt')).status === 200;
    },
  },

  'bulk.former-logs-go-too': {
    source: 'extensions: Bulk upload request body, row deleteFilesAfterUpload',
    breaks: 'What goes from the source are files that were uploaded, not the log of an earlier run.',
    kind: 'combination',
    variant: replaces('bulkUpload', 'runBulkUpload', async (right, areas, run) => {
      const names = await readdir(run.source);
      const report = await right(areas, run);
      if (run.request.deleteFilesAfterUpload)
        for (const name of names.filter((each) => /^FileUpload_.*\.log$/.test(each))) await rm(join(run.source, name));
      return report;
    }),
    async shows(service) {
      const sourceDirectory = await service.directory();
      await writeFile(join(sourceDirectory, 'one.txt'), '1');
      await service.bulk(bulkPath, { sourceDirectory, writeLog: true, targetDirectory: 'first' });
      const log = (await readdir(sourceDirectory)).find((name) => name.startsWith('FileUpload_')) ?? '';
      await service.bulk(bulkPath, {
        sourceDirectory,
        writeLog: false,
        targetDirectory: 'second',
        deleteFilesAfterUpload: true,
      });
      const { status } = await service.edda.get(`${spaceFiles}/second/${log}`);
      return status !== 200 && !(await isThere(join(sourceDirectory, log)));
    },
  },

  'bulk.replaces-as-last-time': {
    source: 'extensions: Bulk upload request body, row replaceFiles',
    breaks: 'A run that does not say so replaces no file, also where the last one from that directory did.',
    kind: 'copy',
    variant: breaks('bulkUpload', 'bulkSettingsFrom', (right) => {
      const replacing = new Set<string>();
      return (areas, body) => {
        const settings = right(areas, body);
        if (settings.replaceFiles) replacing.add(settings.sourceDirectory);
        const isSilent = isContent(body) && body['replaceFiles'] === undefined;
        return isSilent ? { ...settings, replaceFiles: replacing.has(settings.sourceDirectory) } : settings;
      };
    }),
    async shows(service) {
      const sourceDirectory = await service.directory();
      const file = join(sourceDirectory, 'a.txt');
      await writeFile(file, 'former');
      await service.bulk(bulkPath, { sourceDirectory, writeLog: false, replaceFiles: true });
      await writeFile(file, 'later one');
      await service.bulk(bulkPath, { sourceDirectory, writeLog: false });
      return (await service.edda.get(`${spaceFiles}/a.txt`)).text === 'later one';
    },
  },

  'chunks.twins-are-one': {
    source: 'extensions: File routes, text below the chunk table',
    breaks: 'Two chunks with the same bytes are two chunks.',
    kind: 'value',
    variant: breaks('chunks', 'storeChunk', (right) => {
      const seen = new Map<string, number>();
      return (areas, place, chunk) => {
        const key = `${JSON.stringify(place)} ${chunk.md5}`;
        const number = seen.get(key) ?? chunk.number;
        seen.set(key, number);
        return right(areas, place, { ...chunk, number });
      };
    }),
    async shows({ edda }) {
      await edda.sendChunks('twins.txt', ['same', 'same', 'end']);
      return (await edda.get(`${spaceFiles}/twins.txt`)).text !== 'samesameend';
    },
  },
};

function mislaid(areas: Areas, place: FilePlace): FilePlace {
  const { area, segments } = place;
  const [participantId = '', ...rest] = segments;
  if (area.kind !== 'space' || rest.length === 0) return place;
  const isParticipant = areas.configuration.spaces.get(area.spaceId)?.participants.has(participantId) === true;
  return isParticipant
    ? { area: { kind: 'participant', spaceId: area.spaceId, participantId }, segments: rest }
    : place;
}
