import type { FileRecord } from '../../../reference-server/areas/file-areas.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { scheduleTask } from '../proofs.ts';
import { spaceFiles } from '../service.ts';

const userFiles = '/api/space/main/user/fs/file';

export const filesMistakes: Batch = {
  'files.a-part-of-a-file-stays': {
    source: 'extensions: File routes, text below the chunk table',
    breaks: 'A client can delete what an upload in chunks has left that came to no end, in any area.',
    kind: 'place',
    variant: replaces('files', 'deleteFile', async (right, areas, place) => {
      if (place.area.kind === 'user' && (await areas.fileAreas.uploadUnderWay(place)) !== undefined)
        throw new Refusal(409, 'An upload is under way.');
      return right(areas, place);
    }),
    async shows({ edda }) {
      await edda.sendChunk('part.txt', ['abcd', 'ef'], 1, userFiles);
      await edda.delete(`${userFiles}/part.txt`);
      return (await edda.upload('part.txt', 'whole', userFiles)).status >= 300;
    },
  },
  'caching.tag-of-the-file-before': {
    source: 'core: Common request headers, text below',
    breaks: 'The tag of a file is that of the file that is there now, not of one that was deleted from its place.',
    kind: 'copy',
    survives:
      'Whether files have tags, and what these tell, is not said (etag-resources, download-metadata-headers): a tag that stays is remarked.',
    variant: breaks('fileAreas', 'fileRecordOf', (right) => {
      const records = new Map<string, FileRecord>();
      return async (areas, place, stamp) => {
        const id = JSON.stringify(place);
        const record = records.get(id) ?? (await right(areas, place, stamp));
        if (record !== undefined && !record.growing) records.set(id, record);
        return record;
      };
    }),
    async shows({ edda }) {
      const path = `${spaceFiles}/a.txt`;
      await edda.upload('a.txt', 'before');
      const tag = (await edda.get(path)).headers.get('etag');
      await edda.delete(path);
      await edda.upload('a.txt', 'after it');
      return (await edda.get(path)).headers.get('etag') === tag;
    },
  },
};

const task = { id: 'task', extensionType: 'ExternalTask' };

export const tasksMistakes: Batch = {
  'tasks.status-with-an-empty-object': {
    source: 'extensions: Callbacks from an external task',
    breaks: 'No member of the body of a status report has to be there.',
    kind: 'value',
    variant: replaces('jobs', 'reportedFilesOf', (right, areas, call) => {
      if (call.json !== undefined && Object.keys(call.json).length === 0)
        throw new Refusal(422, 'Expected a path, found none.');
      return right(areas, call);
    }),
    async shows(service) {
      await service.host(() => [task]);
      const job = await scheduleTask(service);
      return (await service.edda.put(`${job}/status/Completed`, undefined, {})).status >= 300;
    },
  },
};
