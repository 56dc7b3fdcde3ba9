import { isContent } from '../../../reference-server/areas/content.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { type Variant, breaks, replaces, together, within } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, listAt, many, spaceFiles } from '../service.ts';
import { isThere, registerEndpoint } from '../proofs.ts';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Areas } from '../../../reference-server/areas.ts';
import type { FilePlace } from '../../../reference-server/ports/file-store.ts';

const writingMistakes: Batch = {
  'operations.nothing-in-front': {
    source: 'core: Operations-based PATCH rules 2',
    breaks: 'The members of an operation stand in any order, also where the value comes first and is an empty text.',
    kind: 'combination',
    variant: replaces('operations', 'operationOf', (right, areas, item, place) => {
      if (isContent(item) && Object.keys(item)[0] === 'value' && !item['value'])
        throw new Refusal(400, 'There is no value.');
      return right(areas, item, place);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', note: 'n' });
      const operation = { value: '', op: 'replace', path: '/note' };
      return (await edda.operate(made, 1, [operation])).status >= 300;
    },
  },
};

const readingMistakes: Batch = {
  'reading.version-beside-a-filter': {
    source: 'core: SoftType read response, row version',
    breaks:
      'The version of a read is the current one, also of a filtered read after an edit that followed another read.',
    kind: 'combination',
    variant: breaks('instances', 'readInstance', (right) => {
      const versions = new Map<string, number>();
      return async (areas, call, reading) => {
        const answer = await right(areas, call, reading);
        const { oid, version } = call.object;
        if (!call.query.has('softTypeFilterId')) versions.set(oid, version);
        const kept = versions.get(oid) ?? version;
        return isContent(answer.body) ? { ...answer, body: { ...answer.body, version: kept } } : answer;
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      await edda.read(made);
      await edda.merge(made, 1, { note: 'n' });
      return at(await edda.read(made, '?softTypeFilterId=drawings'), '/version') !== 2;
    },
  },

  'paging.filtered-pages-of-twenty': {
    source: 'core: Link object, row pages',
    breaks: 'As many pages as the admitted entries fill, also where the last one is full.',
    kind: 'combination',
    variant: replaces('hypermedia', 'pageLink', (right, areas, object, view, section, total, filter) => {
      const link = right(areas, object, view, section, total, filter);
      return filter === undefined ? link : { ...link, pages: Math.floor(total / 10) + 1 };
    }),
    async shows({ edda }) {
      const files = [
        ...many(20, (number) => ({ name: `n${number}`, category: 'drawing' })),
        ...many(3, (number) => ({ name: `m${number}` })),
      ];
      const made = await edda.make('Document', { title: 't', files });
      const read = await edda.read(made, '?softTypeFilterId=drawings');
      return listAt(read, '/links').some((link) => at(link, '/rel') === 'page' && at(link, '/pages') !== 2);
    },
  },
};

const accessMistakes: Batch = {
  'auth.personal-token-in-the-first-space': {
    source: 'core: Authentication 1',
    breaks: 'A personal access token opens every space in which its user has a role.',
    kind: 'place',
    survives: 'How a personal access token is issued is not said: it may be one for one space.',
    variant: replaces('auth', 'authorize', (right, areas, user, access, call) => {
      right(areas, user, access, call);
      const credentials = areas.auth.credentialsOf(call.headers);
      if (access !== 'space' || credentials?.scheme !== 'bearer' || credentials.token.includes('.')) return;
      const first = areas.configuration.spaces.values().find((space) => areas.auth.rolesOf(user, space).length > 0);
      if (first?.id !== call.params['spaceId']) throw new Refusal(403, 'The token is for another space.');
    }),
    async shows({ edda }) {
      return (await edda.post('/api/space/depot/softtype/Dossier/dossierInput', { title: 't' })).status === 403;
    },
  },

  'registrations.kind-of-the-former': {
    source: 'extensions: Registration routes',
    breaks: 'An endpoint is what it was registered as, also where its id was that of a simple one before.',
    kind: 'copy',
    variant: breaks('registrations', 'createEndpoint', (right) => {
      const simple = new Set<string>();
      return async (areas, { json }, writing) => {
        const endpoint = simple.has(json.id) ? ({ ...json, kind: 'externalEndpoint' } as typeof json) : json;
        const answer = await right(areas, { json: endpoint }, writing);
        if (endpoint.kind === 'externalEndpoint') simple.add(json.id);
        return answer;
      };
    }),
    async shows(service) {
      const host = await service.host(() => []);
      const url = `${host.url}/hook`;
      const { headers } = await registerEndpoint(service, 'externalEndpoint', { url });
      await service.cora.delete(headers.get('location') ?? '');
      await registerEndpoint(service, 'trustedExternalEndpoint', { url });
      await service.edda.sendToEndpoint();
      await service.pass(1);
      const [entry] = host.entries(({ path }) => path === '/hook');
      return entry !== undefined && !entry.target.includes('access_token=');
    },
  },
};

const manyMistakes: Batch = {
  'multi-create.type-of-a-namesake': {
    source: 'core: Multi-create item, row $softType',
    breaks: 'An item becomes what its own $softType says, also where another request of the batch has its $id.',
    kind: 'moment',
    variant: breaks('multiCreate', 'createItems', (right) => {
      const known = new Map<string, Parameters<typeof right>[3][number]['softType']>();
      return (areas, call, writing, items, inputs) => {
        const typed = items.map((item) => {
          const key = `${call.correlationId} ${item.$id ?? item.oid}`;
          const softType = known.get(key) ?? item.softType;
          known.set(key, softType);
          return { ...item, softType };
        });
        return right(areas, call, writing, typed, inputs);
      };
    }),
    async shows({ edda }) {
      const { json } = await edda.batch([
        multiCreate([{ $id: 'a', $softType: 'Part', data: { name: 'n' } }]),
        multiCreate([{ $id: 'a', $softType: 'Requirement', data: { text: 't' } }]),
      ]);
      const { json: read } = await edda.get(String(at(json, '/1/body/0/href')));
      return at(read, '/data/$softType') === 'Part';
    },
  },

  'batch.refers-to-another-multi-create': {
    source: 'core: Batch rules 4',
    breaks: 'An item of one multi-create of a batch cannot refer to an item of another one.',
    kind: 'combination',
    variant: findsAcross(),
    async shows({ edda }) {
      const describes = [{ id: 'd', value: { instanceRef: 'p', softTypeId: 'Part' } }];
      const { status } = await edda.batch([
        multiCreate([{ $id: 'p', $softType: 'Part', data: { name: 'n' } }]),
        multiCreate([{ $id: 'd', $softType: 'Document', data: { title: 't', describes } }]),
      ]);
      return status === 200;
    },
  },
};

function multiCreate(body: readonly object[]) {
  return { method: 'POST', href: '/space/main/softtype', body };
}

function findsAcross(): Variant {
  return breaks('multiCreate', 'multiCreate', (right) => {
    const known = new Map<string, { readonly $id: string | undefined }[]>();
    return (areas, call, writing) => {
      const items = known.get(call.correlationId) ?? [];
      known.set(call.correlationId, items);
      const across = within(areas, {
        multiCreate: {
          identifyItems(given) {
            const identified = areas.multiCreate.identifyItems(given);
            items.push(...identified);
            return identified;
          },
          findItem: (_own, $id) => items.find((item) => item.$id === $id) as never,
        },
      });
      return right(across, { ...call, isSibling: () => false }, writing);
    };
  });
}

const bulkPath = '/admin/fileupload/main';

const filesMistakes: Batch = {
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

/** Drawn by lot: sixty sentences of both documents, each broken where a second lot says, by somebody who had not seen a check. */
export const thirtySixth: Batch = {
  ...readingMistakes,
  ...writingMistakes,
  ...manyMistakes,
  ...accessMistakes,
  ...filesMistakes,
};
