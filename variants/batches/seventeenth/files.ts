import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { md5, spaceFiles } from '../service.ts';
import { sendChunks } from './scenes.ts';

export const filesMistakes: Batch = {
  'files.found-without-its-ending': {
    source: 'extensions: File routes, row 3',
    breaks: 'To download a file that does not exist fails, also where one has the name with an ending.',
    kind: 'value',
    variant: replaces('files', 'downloadFile', async (right, areas, call) => {
      const place = areas.files.filePlaceOf(call, call.admitted);
      const { area, segments } = place;
      if ((await areas.fileStore.describe(place)) !== undefined) return right(areas, call);
      const beside = (await areas.fileStore.list({ area, segments: segments.slice(0, -1) })) ?? [];
      const found = beside.find(({ kind, name }) => kind === 'file' && name.startsWith(`${segments.at(-1)}.`));
      const rest = found && [...(call.rest ?? []).slice(0, -1), encodeURIComponent(found.name)];
      return right(areas, rest === undefined ? call : { ...call, rest });
    }),
    async shows(service) {
      const edda = service.edda;
      await edda.upload('folder/report.txt', 'content');
      return (await edda.get(`${spaceFiles}/folder/report`)).status === 200;
    },
  },

  'chunks.checksum-of-all-so-far': {
    source: 'extensions: File routes, text below the chunk table',
    breaks: 'The checksum of a chunk is that of this chunk, and not of all that came.',
    kind: 'place',
    variant: breaks('chunks', 'assertChunkChecksum', (right) => {
      const sent = new Map<string, Buffer>();
      return (areas, expected, chunk) => {
        const { relativePath: path, number, pieces } = chunk;
        const all = Buffer.concat([...(number === 1 ? [] : [sent.get(path) ?? Buffer.of()]), ...pieces]);
        sent.set(path, all);
        right(areas, expected, { ...chunk, md5: md5(all) });
      };
    }),
    shows: async (service) => (await sendChunks(service.edda, 'sums.txt', 'aaaabb')).status >= 400,
  },
};
