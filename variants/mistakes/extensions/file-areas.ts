import type { Areas } from '../../../reference-server/areas.ts';
import { collectionArea } from '../../../reference-server/areas/file-areas.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import type { FilePlace } from '../../../reference-server/ports/file-store.ts';
import { breaks, replaces, together, type Variant } from '../../breaks.ts';
import type { Mistakes } from '../mistake.ts';
import { basic, collectionFiles, participantFiles, tokenOf, userFiles } from '../proofs.ts';
import { spaceFiles } from '../service.ts';
import { changes } from '../variant-parts.ts';

const depotFiles = '/api/space/depot/fs/file';

export const fileAreasMistakes: Mistakes = {
  'file-areas.basic-opens-the-first-user-area': {
    source: 'extensions: File areas, row User',
    breaks: 'The user area is that of the authenticated identity, of one that came by Basic as well.',
    variant: changes('fileAreas', 'fileAreaOf', (area, _areas, { headers }) =>
      area.kind === 'user' && /^basic/i.test(headers['authorization'] ?? '') ? { ...area, userName: 'edda' } : area,
    ),
    async shows({ edda, nobody }) {
      await edda.upload('own.txt', 'own', userFiles);
      const authorization = basic('emil', 'svcpat-emil-2f8a6c4d1b');
      return (await nobody.get(`${userFiles}/own.txt`, { authorization })).status === 200;
    },
  },
  'file-areas.query-token-of-whoever-came-last': {
    source: 'extensions: File areas, row User',
    breaks: 'The user area is that of the authenticated identity, of one whose token stands in the query as well.',
    variant: breaks('fileAreas', 'fileAreaOf', (right) => {
      let last: string | undefined;
      return (areas, call, user, kind) => {
        const area = right(areas, call, user, kind);
        if (area.kind !== 'user') return area;
        if (call.headers['authorization'] === undefined) return { ...area, userName: last ?? area.userName };
        last = area.userName;
        return area;
      };
    }),
    async shows({ edda, nobody }) {
      await edda.upload('own.txt', 'own', userFiles);
      return (await nobody.get(`${userFiles}/own.txt?token=svcpat-emil-2f8a6c4d1b`)).status === 200;
    },
  },
  'files.delete-in-one-area-reaches-another': {
    source: 'extensions: File areas',
    breaks: 'A file that is deleted in the area of a user stays in that of the space.',
    variant: replaces('files', 'deleteFile', async (right, areas, place) => {
      const { area } = place;
      if (area.kind === 'user')
        await right(areas, { ...place, area: { kind: 'space', spaceId: area.spaceId } }).catch(() => false);
      return right(areas, place);
    }),
    async shows({ edda }) {
      await edda.upload('a.txt', 'a');
      await edda.upload('a.txt', 'a', userFiles);
      await edda.delete(`${userFiles}/a.txt`);
      return (await edda.get(`${spaceFiles}/a.txt`)).status !== 200;
    },
  },
  'files.user-has-one-area-for-all-spaces': {
    source: 'extensions: File areas',
    breaks: 'The area of a user in one space is another one than that in another space.',
    variant: changes('fileAreas', 'fileAreaOf', (area) => (area.kind === 'user' ? { ...area, spaceId: 'main' } : area)),
    async shows({ edda }) {
      await edda.upload('a.txt', 'a', userFiles);
      return (await edda.get('/api/space/depot/user/fs/file/a.txt')).status === 200;
    },
  },
  'chunks.two-areas-share-an-upload': {
    source: 'extensions: File areas',
    breaks: 'Uploads of one path into two areas at once are two files.',
    variant: breaks('chunks', 'chunkPlaceOf', (right) => {
      const underWay = new Map<string, ReturnType<typeof right>>();
      return (areas, chunk, area) => {
        const key = `${chunk.relativePath} ${chunk.totalSize}`;
        const place = underWay.get(key) ?? right(areas, chunk, area);
        if (chunk.number < chunk.totalChunks) underWay.set(key, place);
        else underWay.delete(key);
        return place;
      };
    }),
    async shows({ edda }) {
      await edda.sendChunk('x.bin', ['aaaa', 'bbbb'], 1);
      await edda.sendChunk('x.bin', ['cccc', 'dddd'], 1, { base: userFiles });
      return (
        (await edda.get(`${userFiles}/x.bin`)).status === 404 &&
        (await edda.get(`${spaceFiles}/x.bin`)).text.startsWith('cccc')
      );
    },
  },
  'files.space-falls-back-to-the-collection': {
    source: 'extensions: File areas, row Space',
    breaks: 'A file that is not in the area of the space is not there, be one of its name in that of the collection.',
    variant: replaces('files', 'downloadFile', (right, areas, call) =>
      right(areas, call).catch((error: unknown) => {
        const isMissing = error instanceof Refusal && error.status === 404;
        if (!isMissing || call.admitted.kind !== 'space') throw error;
        return right(areas, { ...call, admitted: collectionArea() });
      }),
    ),
    async shows({ cora, edda }) {
      await cora.upload('note.txt', 'text', collectionFiles);
      return (await edda.get(`${spaceFiles}/note.txt`)).status === 200;
    },
  },
  'files.participants-in-one-area': {
    source: 'extensions: File areas, row Participant',
    breaks: 'A participant has an area of its own, also where it is not the first one of its space.',
    variant: replaces('fileAreas', 'participantArea', (right, areas, call) => {
      const [participantId = ''] = areas.auth.spaceOf(call).participants.keys();
      return right(areas, { ...call, params: { ...call.params, participantId } });
    }),
    async shows({ emil }) {
      const baseOf = (participant: string) => `/api/space/main/participant/${participant}/fs/file`;
      await emil.upload('a.txt', 'a', baseOf('supplier'));
      return (await emil.get(`${baseOf('owner')}/a.txt`)).status === 200;
    },
  },
  'files.chunks-of-a-user-in-the-first-space': {
    source: 'extensions: File areas, row User',
    breaks: 'A user has an area in each space, also for what comes in chunks.',
    variant: replaces('chunks', 'chunkPlaceOf', (right, areas, chunk, area) => {
      const [first = ''] = areas.configuration.spaces.keys();
      return right(areas, chunk, area.kind === 'user' ? { ...area, spaceId: first } : area);
    }),
    async shows({ edda }) {
      const base = '/api/space/depot/user/fs/file';
      await edda.sendChunks('chunked.txt', ['ab', 'c'], base);
      return (await edda.get(`${base}/chunked.txt`)).text !== 'abc';
    },
  },
  'files.user-area-of-each-credential': {
    source: 'extensions: File areas, row User',
    breaks: 'The user area is that of the authenticated identity, by whatever it shows who it is.',
    variant: replaces('fileAreas', 'fileAreaOf', (right, areas, call, user, kind) => {
      const credentials = areas.fileAreas.fileCredentialsOf(call);
      const isToken = credentials?.scheme === 'bearer' && credentials.token.includes('.');
      return right(areas, call, isToken ? { ...user, name: `${user.name}.token` } : user, kind);
    }),
    async shows(service) {
      const base = '/api/space/main/user/fs/file';
      await service.edda.upload('mine.txt', 'text', base);
      const authorization = `Bearer ${await tokenOf(service, 'edda')}`;
      return (await service.nobody.get(`${base}/mine.txt`, { authorization })).status !== 200;
    },
  },
  'areas.no-listing-of-the-user-area': {
    source: 'extensions: File areas, text below the table',
    breaks: 'There is a directory listing, of the user area too.',
    survives: 'How a listing is asked for, and by whose credentials, is not shown (dir-listing): recorded.',
    variant: replaces('files', 'routes', (right, areas) =>
      right(areas).filter(({ path }) => !path.includes('/user/fs/dir')),
    ),
    shows: async ({ edda }) => (await edda.get('/api/space/main/user/fs/dir')).status !== 200,
  },
  'files.of-the-first-space-instead': {
    source: 'extensions: File areas, row Space',
    breaks: 'A file that a space does not have is not there, whatever another space has at that path.',
    variant: replaces('files', 'downloadFile', async (right, areas, call) => {
      const [spaceId = ''] = areas.configuration.spaces.keys();
      const place = areas.files.filePlaceOf(call, call.admitted);
      const isMissing = place.area.kind === 'space' && (await areas.fileStore.describe(place)) === undefined;
      return right(areas, isMissing ? { ...call, admitted: { kind: 'space', spaceId } } : call);
    }),
    async shows({ edda }) {
      await edda.upload('main-only.txt', 'content');
      return (await edda.get(`${depotFiles}/main-only.txt`)).status === 200;
    },
  },
  'files.space-file-below-a-user': {
    source: 'extensions: File areas, rows Space and User',
    breaks: 'The area of the space and that of a user are two, also for a path that begins with user.',
    variant: withUsersBelowTheSpace(),
    async shows({ edda }) {
      await edda.upload('user/edda/plan.txt', 'of the space');
      return (await edda.get('/api/space/main/user/fs/file/plan.txt')).status === 200;
    },
  },
  'files.participant-below-the-space': {
    source: 'extensions: File areas, row Participant',
    breaks: 'The area of a participant is one of its own, and no directory in that of the space.',
    variant: together(
      replaces('files', 'streamPlaceOf', (right, areas, call, area) => inParticipant(right(areas, call, area))),
      replaces('files', 'filePlaceOf', (right, areas, call, area) => inParticipant(right(areas, call, area))),
    ),
    async shows({ edda }) {
      await edda.upload('a.txt', 'a', '/api/space/main/participant/owner/fs/file');
      return (await edda.get(`${spaceFiles}/participant/owner/a.txt`)).status === 200;
    },
  },
  'files.first-query-token-stays': {
    source: 'extensions: File areas, row User',
    breaks: 'A token in the query speaks for its own user, whoever downloaded before.',
    variant: breaks('fileAreas', 'queryCredentialsOf', (right) => {
      const known = new Map<string, ReturnType<typeof right>>();
      return (areas, call) => {
        const credentials = right(areas, call);
        if (credentials?.scheme !== 'bearer') return credentials;
        const key = credentials.token.slice(0, 36);
        if (!known.has(key)) known.set(key, credentials);
        return known.get(key);
      };
    }),
    async shows(service) {
      const texts: string[] = [];
      for (const user of ['edda', 'emil'] as const) {
        await service[user].upload('own.txt', user, userFiles);
        const token = await tokenOf(service, user);
        texts.push((await service.nobody.get(`${userFiles}/own.txt?token=${token}`)).text);
      }
      return texts[1] !== 'emil';
    },
  },
  'files.directory-called-like-a-participant': {
    source: 'extensions: File areas',
    breaks: 'A file of the space is in the area of the space, also where its directory is called like a participant.',
    variant: together(
      replaces('files', 'streamPlaceOf', (right, areas, call, area) => mislay(areas, right(areas, call, area))),
      replaces('files', 'filePlaceOf', (right, areas, call, area) => mislay(areas, right(areas, call, area))),
    ),
    async shows({ edda }) {
      await edda.upload('owner/note.txt', 'x');
      return (await edda.get('/api/space/main/participant/owner/fs/file/note.txt')).status === 200;
    },
  },
  'file-areas.participants-of-any-space': {
    source: 'extensions: File areas, row Participant',
    breaks: 'The area of a participant lies in its space: under the path of another one it is not there.',
    variant: together(
      changes('fileAreas', 'participantArea', (area, areas) => {
        if (area.kind !== 'participant') return area;
        const spaces = [...areas.configuration.spaces.values()];
        const home = spaces.find(({ participants }) => participants.has(area.participantId));
        return { ...area, spaceId: home?.id ?? area.spaceId };
      }),
      replaces('fileAreas', 'mayUseArea', (right, areas, user, area, call) => {
        if (area.kind !== 'participant') return right(areas, user, area, call);
        const home = areas.configuration.spaces.get(area.spaceId);
        return home?.participants.get(area.participantId)?.has(user.name) === true;
      }),
    ),
    async shows({ edda }) {
      await edda.upload('own.txt', 'own', participantFiles);
      return (await edda.get(`${participantFiles.replace(/space\/[^/]+/, 'space/depot')}/own.txt`)).status === 200;
    },
  },
  'file-areas.participants-take-the-file-of-the-space': {
    source: 'extensions: File areas, table',
    breaks: 'What is deleted in the area of a participant stays under that path in the area of its space.',
    variant: replaces('files', 'deleteFile', async (right, areas, place) => {
      const { area, segments } = place;
      const isRemoved = await right(areas, place);
      if (isRemoved && area.kind === 'participant')
        await right(areas, { area: { kind: 'space', spaceId: area.spaceId }, segments });
      return isRemoved;
    }),
    async shows({ edda }) {
      await edda.upload('f.txt', 'space');
      await edda.upload('f.txt', 'participant', participantFiles);
      await edda.delete(`${participantFiles}/f.txt`);
      return (await edda.get(`${spaceFiles}/f.txt`)).status >= 400;
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

/** Where a path below the area of the space leads that looks like one of a participant. */
function inParticipant({ area, segments }: FilePlace): FilePlace {
  const [first, participantId, ...rest] = segments;
  if (area.kind !== 'space' || first !== 'participant' || participantId === undefined || rest.length === 0)
    return { area, segments };
  return { area: { kind: 'participant', spaceId: area.spaceId, participantId }, segments: rest };
}

function mislay(areas: Areas, place: FilePlace): FilePlace {
  const { area, segments } = place;
  const [participantId = '', ...rest] = segments;
  if (area.kind !== 'space' || rest.length === 0) return place;
  const isParticipant = areas.configuration.spaces.get(area.spaceId)?.participants.has(participantId) === true;
  return isParticipant
    ? { area: { kind: 'participant', spaceId: area.spaceId, participantId }, segments: rest }
    : place;
}
