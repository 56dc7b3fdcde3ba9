import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { breaks, replaces, together, type Variant } from '../../breaks.ts';
import type { FilePlace } from '../../../reference-server/ports/file-store.ts';
import type { Batch } from '../mistake.ts';
import { administrationKey, md5, signatureOver, spaceFiles } from '../service.ts';

export const filesMistakes: Batch = {
  'bulk.signature-that-was-right-once': {
    source: 'extensions: Authentication 2',
    breaks: 'A signature is that of the path which is called, also when it has opened another path before.',
    kind: 'copy',
    variant: breaks('bulkUpload', 'requireAdministrationKey', (right) => {
      const known = new Set<string>();
      return async (areas, call) => {
        const shown = call.headers['authorization'] ?? '';
        if (known.has(shown)) return;
        await right(areas, call);
        known.add(shown);
      };
    }),
    async shows(service) {
      const sourceDirectory = await service.directory();
      await writeFile(join(sourceDirectory, 'a.txt'), 'a');
      const body = { sourceDirectory, writeLog: false };
      await service.bulk('/admin/fileupload', body);
      const authorization = `Bearer ${signatureOver('/admin/fileupload', administrationKey)}`;
      return (await service.nobody.post('/admin/fileupload/main', body, { authorization })).status === 200;
    },
  },

  'files.space-file-below-a-user': {
    source: 'extensions: File areas, rows Space and User',
    breaks: 'The area of the space and that of a user are two, also for a path that begins with user.',
    kind: 'value',
    variant: withUsersBelowTheSpace(),
    async shows({ edda }) {
      await edda.upload('user/edda/plan.txt', 'of the space');
      return (await edda.get('/api/space/main/user/fs/file/plan.txt')).status === 200;
    },
  },

  'files.of-the-participant-before': {
    source: 'extensions: File areas, row Participant',
    breaks: 'A participant has files of its own, also where another one has taken a file of the same path since.',
    kind: 'copy',
    variant: breaks('fileAreas', 'participantArea', (right) => {
      const latest = new Map<string, ReturnType<typeof right>>();
      return (areas, call) => {
        const area = right(areas, call);
        const key = [call.params['spaceId'], ...(call.rest ?? [])].join('/');
        if (call.method === 'POST') latest.set(key, area);
        return call.method === 'GET' ? (latest.get(key) ?? area) : area;
      };
    }),
    async shows({ emil }) {
      const [owner, supplier] = ['owner', 'supplier'].map((id) => `/api/space/main/participant/${id}/fs/file`);
      await emil.upload('same.txt', 'of the owner', owner);
      await emil.upload('same.txt', 'of the supplier', supplier);
      return (await emil.get(`${owner}/same.txt`)).text === 'of the supplier';
    },
  },

  'files.empty-whatever-its-checksum': {
    source: 'extensions: File routes, stream upload',
    breaks: 'A file is validated against its checksum, also an empty one.',
    kind: 'value',
    variant: replaces('fileAreas', 'assertChecksum', (right, areas, expected, found) => {
      if (found !== md5('')) right(areas, expected, found);
    }),
    async shows({ edda }) {
      const headers = { checksum: md5('something'), 'content-type': 'text/plain' };
      await edda.post(`${spaceFiles}/stream/empty.txt`, '', headers);
      return (await edda.get(`${spaceFiles}/empty.txt`)).status === 200;
    },
  },
};

/** What lies below `user` and a name in the area of the space lies in the area of that user. */
function withUsersBelowTheSpace(): Variant {
  const moved = ({ area, segments }: FilePlace): FilePlace => {
    const [first, userName, ...rest] = segments;
    if (area.kind !== 'space' || first !== 'user' || userName === undefined || rest.length === 0)
      return { area, segments };
    return { area: { kind: 'user', spaceId: area.spaceId, userName }, segments: rest };
  };
  return together(
    replaces('files', 'streamPlaceOf', (right, areas, call, area) => moved(right(areas, call, area))),
    replaces('files', 'filePlaceOf', (right, areas, call, area) => moved(right(areas, call, area))),
  );
}
