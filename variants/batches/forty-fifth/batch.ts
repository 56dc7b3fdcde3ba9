import { breaks, replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { type Service, at, hostKey, listAt, many, md5, signatureOver, spaceFiles } from '../service.ts';
import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { always, callsTo, named, scheduleTask } from '../proofs.ts';
import { callsMistakes, payloadMistakes } from './calls.ts';

/** Batches and multi-creates. */
const manyMistakes: Batch = {
  'multi-create.equal-items-are-one': {
    source: 'core: Multi-create rules 1',
    breaks: 'Each item becomes an instance, also where two of them are alike.',
    kind: 'value',
    variant: together(
      replaces('multiCreate', 'identifyItems', (right, areas, items) => {
        const known = new Map<string, string>();
        return right(areas, items).map((item) => {
          const key = JSON.stringify([item.softType.id, item.data]);
          const oid = known.get(key) ?? item.oid;
          known.set(key, oid);
          return { ...item, oid };
        });
      }),
      replaces('multiCreate', 'createItems', (right, areas, call, writing, items, inputs) => {
        const isFirst = items.map(({ oid }, index) => items.findIndex((item) => item.oid === oid) === index);
        return right(
          areas,
          call,
          writing,
          items.filter((_item, index) => isFirst[index]),
          inputs.filter((_input, index) => isFirst[index]),
        );
      }),
    ),
    async shows({ edda }) {
      const answer = await edda.multiCreate([
        { $id: 'a', $softType: 'Part', data: { name: 'p' } },
        { $id: 'b', $softType: 'Part', data: { name: 'p' } },
      ]);
      return at(answer.json, '/0/href') === at(answer.json, '/1/href');
    },
  },
};

/** Operations, edits and creates. */
const writingMistakes: Batch = {
  'operations.output-name-for-a-removal': {
    source: 'core: Patch operation, path',
    breaks: 'A path has the names of the input schema, that of a removal too.',
    kind: 'combination',
    variant: replaces('operations', 'targetOf', (right, areas, run, operation) => {
      const [first = '', ...rest] = operation.tokens;
      const [output] = run.softType.outputs.values();
      const canonical = output?.names.get(first);
      const isOutputName = operation.op === 'remove' && canonical !== undefined && !run.view.names.has(first);
      return right(areas, run, isOutputName ? { ...operation, tokens: [canonical, ...rest] } : operation);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', label: 'l' });
      return (await edda.operate(made, 1, [{ op: 'remove', path: '/displayLabel' }])).status < 400;
    },
  },

  'creates.location-by-another-schema': {
    source: 'core: Endpoint table, POST softtype',
    breaks: 'The Location of a new instance leads to it, through whatever input schema it was made.',
    kind: 'place',
    variant: replaces('editing', 'createObject', async (right, areas, call, writing) => {
      const answer = await right(areas, call, writing);
      const { softType, view } = call.place;
      const [first] = softType.inputs.values();
      if (view === first) return answer;
      const oid = answer.headers?.['Location']?.split('/').at(-1) ?? '';
      const Location = `/api/space/${call.space.id}/softtype/${softType.id}/${view.id}/${oid}`;
      return { ...answer, headers: { ...answer.headers, Location } };
    }),
    async shows({ edda }) {
      const answer = await edda.post('/api/space/main/softtype/Part/partBrief', { name: 'p' });
      return (await edda.get(answer.headers.get('location') ?? '')).status !== 200;
    },
  },
};

const depotFiles = '/api/space/depot/fs/file';

/** Files of the areas, in streams, in chunks and in bulk. */
const filesMistakes: Batch = {
  'files.of-the-first-space-instead': {
    source: 'extensions: File areas, row Space',
    breaks: 'A file that a space does not have is not there, whatever another space has at that path.',
    kind: 'place',
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

  'bulk.same-size-is-the-same': {
    source: 'extensions: Bulk upload request body, row replaceFiles',
    breaks: 'With replaceFiles a file gives way to that of the source, to one of its size too.',
    kind: 'value',
    variant: replaces('bulkUpload', 'uploadSourceFile', async (right, areas, run, entry) => {
      if (!run.request.replaceFiles || entry.problem !== undefined) return right(areas, run, entry);
      const place = areas.bulkUpload.bulkPlaceOf(run.area, run.target, entry.path);
      const former = await areas.fileStore.describe(place);
      const { size } = await stat(join(run.source, ...entry.path));
      return former?.kind === 'file' && former.size === size
        ? { path: entry.path.join('/'), status: 'replaced', size }
        : right(areas, run, entry);
    }),
    async shows(service) {
      const sourceDirectory = await service.directory();
      await writeFile(join(sourceDirectory, 'size.txt'), 'new');
      await service.edda.upload('size.txt', 'old');
      await service.bulk('/admin/fileupload/main', { sourceDirectory, writeLog: false, replaceFiles: true });
      return (await service.edda.get(`${spaceFiles}/size.txt`)).text !== 'new';
    },
  },
};

/** Metadata of extensions and keys that they acquire. */
const registeredMistakes: Batch = {
  'metadata.percent-twice': {
    source: 'extensions: Extension metadata record, endpoint',
    breaks: 'A call goes to the route that the record names, one with encoded characters as it is.',
    kind: 'value',
    variant: replaces('requests', 'extensionRequest', (right, areas, delivery, callee) =>
      right(areas, delivery, { ...callee, url: callee.url.replaceAll('%', '%25') }),
    ),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event', endpoint: '/a%20b' }]);
      await service.edda.sendEvent();
      await service.pass(1);
      return callsTo(host)[0]?.path === '/a%2520b';
    },
  },

  'keys.callback-with-former-ones': {
    source: 'extensions: Acquiring API keys',
    breaks: 'The callback brings keys for the permissions that are asked for, not for those of before.',
    kind: 'copy',
    variant: breaks('apiKeys', 'issueKeys', (right) => {
      const former = new Map<string, readonly string[]>();
      return (areas, writing, holder, permissions) => {
        const id = `${holder.registrationId} ${holder.recordId}`;
        const all = [...new Set([...(former.get(id) ?? []), ...permissions])];
        former.set(id, all);
        return right(areas, writing, holder, all);
      };
    }),
    async shows(service) {
      const names = ['SnapshotAPI', 'TaskUploadAPI'];
      const { host, acquire } = await keyHolder(service, names);
      await acquire(['SnapshotAPI']);
      await acquire(['TaskUploadAPI']);
      return at(callsTo(host)[1]?.json, '/SnapshotAPI') !== undefined;
    },
  },
};

/** A record that may have these keys, and how its host asks for them. */
async function keyHolder(service: Service, permissions: readonly string[]) {
  const host = await service.host(
    (url) => [{ id: 'holder', permissions: { tokenCallback: `${url}/keys`, permissions: [...permissions] } }],
    always({ status: 200 }),
  );
  const path = '/api/collection/externalExtension/acquireAccessToken/holder';
  return {
    host,
    acquire: (asked: readonly string[]) =>
      service.nobody.post(
        path,
        { tokenCallback: `${host.url}/keys`, permissions: asked },
        { authorization: `Bearer ${signatureOver(path, hostKey)}` },
      ),
  };
}

/** Who may what, and what is held already. */
const accessMistakes: Batch = {
  'basic.name-of-another-for-a-chunk': {
    source: 'core: Authentication 5',
    breaks: 'Basic takes the personal access token of the user it names, for a chunk too.',
    kind: 'combination',
    variant: replaces('fileAreas', 'authenticateFile', async (right, areas, call) => {
      const user = await right(areas, call).catch(() => undefined);
      const credentials = areas.fileAreas.fileCredentialsOf(call);
      const isForm = (call.headers['content-type'] ?? '').startsWith('multipart/');
      if (user !== undefined || !isForm || credentials?.scheme !== 'basic') return user ?? right(areas, call);
      const owner = await areas.auth.userOfCredentials({ scheme: 'bearer', token: credentials.secret });
      return (owner && areas.configuration.users.get(credentials.name)) ?? right(areas, call);
    }),
    async shows({ nobody, emil }) {
      const form = new Response(formOf('chunk.txt', 'content'));
      const answer = await nobody.post(spaceFiles, await form.bytes(), {
        authorization: `Basic ${Buffer.from('emil:svcpat-edda-7d1c0b9e5a').toString('base64')}`,
        'content-type': form.headers.get('content-type') ?? '',
        checksum: md5('content'),
      });
      return answer.status < 400 && (await emil.get(`${spaceFiles}/chunk.txt`)).status === 200;
    },
  },

  'jobs.reports-by-a-role-elsewhere': {
    source: 'core: Authentication 7',
    breaks: 'Reports on a job need a role in the space of that job, not in any.',
    kind: 'role',
    variant: replaces('auth', 'authorize', (right, areas, user, access, call) => {
      const isReport = access === 'participant' && call.method === 'PUT';
      const holdsAny = [...areas.configuration.spaces.values()].some(
        (space) => areas.auth.rolesOf(user, space).length > 0,
      );
      if (!isReport || !holdsAny) right(areas, user, access, call);
    }),
    async shows(service) {
      await service.host(() => [{ id: 'task', extensionType: 'ExternalTask' }]);
      const job = await scheduleTask(service);
      return (await service.otto.put(`${job}/progress`, undefined, { message: 'm' })).status < 400;
    },
  },
};

/** A file in one chunk. */
function formOf(path: string, content: string): FormData {
  const form = new FormData();
  const texts = {
    resumableTotalSize: content.length,
    resumableChunkNumber: 1,
    resumableChunkSize: content.length,
    resumableCurrentChunkSize: content.length,
    resumableTotalChunks: 1,
    resumableType: 'text/plain',
    resumableFilename: path,
    resumableRelativePath: path,
  };
  for (const [name, text] of Object.entries(texts)) form.set(name, String(text));
  form.set('file', new Blob([content]), path);
  return form;
}

const drawings = { name: 'n', category: 'drawing' };

/** Reads, their links and pages. */
const readingMistakes: Batch = {
  'links.one-of-all-inner-arrays': {
    source: 'core: Server side paging 2',
    breaks: 'Every array of more than ten entries has its page link, also the same member of a second entry.',
    kind: 'place',
    variant: replaces('hypermedia', 'pageLinksOf', (right, areas, object, view, slice, filter) => {
      const links = right(areas, object, view, slice, filter);
      const seen = new Set<string>();
      return links.filter(({ sectionPath = '' }) => {
        const ports = sectionPath.split('/').filter((_part, index) => index % 2 === 0);
        const key = ports.join('/');
        const isNew = !seen.has(key);
        seen.add(key);
        return isNew;
      });
    }),
    async shows({ edda }) {
      const revisions = many(11, (number) => ({ text: `r${number}` }));
      const made = await edda.make('Document', {
        title: 't',
        files: [
          { name: 'a', revisions },
          { name: 'b', revisions },
        ],
      });
      return listAt(await edda.read(made), '/links').filter((link) => at(link, '/rel') === 'page').length < 2;
    },
  },

  'links.template-is-encoded-before-a-query': {
    source: 'core: Server side paging 3',
    breaks: 'The href of a page link holds the template as it is written, under a filter as well.',
    kind: 'combination',
    variant: replaces('hypermedia', 'pageLink', (right, areas, object, view, section, total, filter) => {
      const link = right(areas, object, view, section, total, filter);
      return link.href.includes('?') ? { ...link, href: link.href.replace('{', '%7B').replace('}', '%7D') } : link;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: many(11, () => drawings) });
      const links = listAt(await edda.read(made, '?softTypeFilterId=drawings'), '/links');
      return links.some((link) => String(at(link, '/href')).includes('%7B'));
    },
  },

  'pages.references-are-numbered-anew': {
    source: 'core: Page response, data',
    breaks: 'An entry has one id, on a later page of references too.',
    kind: 'place',
    variant: replaces('paging', 'assemblePage', async (right, areas, ...args) => {
      const page = await right(areas, ...args);
      const [, , , , section, number] = args;
      return section.member.kind === 'references' && number > 0
        ? { ...page, data: page.data.map((entry, index) => ({ ...entry, $entryId: index + 1 })) }
        : page;
    }),
    async shows({ edda }) {
      const { oid } = await edda.make('Part', { name: 'p' });
      const describes = many(11, () => ({ value: { $oid: oid } }));
      const made = await edda.make('Document', { title: 't', describes });
      const first = at((await edda.page(made, 'describes', 0)).json, '/data/0/$entryId');
      return at((await edda.page(made, 'describes', 1)).json, '/data/0/$entryId') === first;
    },
  },

  'pages.in-the-order-of-ids': {
    source: 'core: Server side paging 4',
    breaks: 'Page 0 is what the first read includes, after entries have changed places as well.',
    kind: 'moment',
    variant: replaces('paging', 'assemblePage', async (right, areas, ...args) => {
      const page = await right(areas, ...args);
      const [, reading, object, , section, number, filter] = args;
      if (filter !== undefined || section.items !== undefined) return page;
      const all = await areas.entries.entriesOf(reading, object, section, { from: 0, to: 1000 });
      const { from, to } = areas.paging.pageRange(number);
      const entries = all.toSorted((one, other) => one.entryId - other.entryId).slice(from, to);
      const ids = new Map(entries.map(({ entryId }, index) => [String(entryId), index]));
      const shown = new Map(page.data.map((entry) => [String(entry.$entryId), entry]));
      return [...ids.keys()].every((id) => shown.has(id))
        ? { ...page, data: [...ids.keys()].flatMap((id) => shown.get(id) ?? []) }
        : { ...page, data: entries.map((entry) => areas.entries.entryOut(args[0].space, section.member, entry)) };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: named(12) });
      const before = [
        ...listAt((await edda.page(made, 'files', 0)).json, '/data'),
        ...listAt((await edda.page(made, 'files', 1)).json, '/data'),
      ];
      const files = before
        .toReversed()
        .map((entry) => ({ $entryId: at(entry, '/$entryId'), name: at(entry, '/name') }));
      await edda.replace(made, 1, { title: 't', files });
      const first = listAt(await edda.read(made), '/data/files').map((entry) => at(entry, '/name'));
      const page = listAt((await edda.page(made, 'files', 0)).json, '/data').map((entry) => at(entry, '/name'));
      return first.join() !== page.join();
    },
  },

  'states.one-level-in-a-batch-of-many': {
    source: 'core: States and transitions 1',
    breaks: 'An instance has a current state for every level, also when a multi-create of a batch has made it.',
    kind: 'combination',
    variant: replaces('multiCreate', 'createItems', async (right, areas, call, writing, items, inputs) => {
      if (call.isSibling === undefined) return right(areas, call, writing, items, inputs);
      return right(
        areas,
        call,
        {
          ...writing,
          insertObject: (object) => writing.insertObject({ ...object, content: firstLevelOnly(object.content) }),
        },
        items,
        inputs,
      );
    }),
    async shows({ edda }) {
      const body = [{ $id: 'a', $softType: 'Document', data: { title: 't' } }];
      const answer = await edda.batch([{ method: 'POST', href: '/space/main/softtype', body }]);
      const href = String(at(answer.json, '/0/body/0/href'));
      return at((await edda.get(href)).json, '/data/approval') === undefined;
    },
  },
};

function firstLevelOnly(content: { readonly [member: string]: unknown }): { readonly [member: string]: unknown } {
  const states = content['$states'];
  if (typeof states !== 'object' || states === null) return content;
  return { ...content, $states: Object.fromEntries(Object.entries(states).slice(0, 1)) };
}

/** Of sixty mistakes in sentences that were drawn by lot from every section, written by somebody who knew the documents and no check. */
export const fortyFifth: Batch = {
  ...readingMistakes,
  ...writingMistakes,
  ...manyMistakes,
  ...accessMistakes,
  ...filesMistakes,
  ...callsMistakes,
  ...payloadMistakes,
  ...registeredMistakes,
};
