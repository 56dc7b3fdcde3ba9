import { type Variant, breaks, replaces, together, within } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, callsTo, named, reached, registerEndpoint, scheduleTask } from '../proofs.ts';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { at, editPath, listAt, many, movePath, spaceFiles, versionHeader } from '../service.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import { type CurrentStates, statesMember, storedStates } from '../../../reference-server/areas/soft-type.ts';
import type { Content } from '../../../reference-server/ports/store.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';

/** Asked about every Document. */
const validator = {
  id: 'check',
  extensionType: 'ExternalValidation',
  capabilities: [{ capabilityType: 'SoftType', capabilities: ['Document'] }],
} as const;

const deliveryMistakes: Batch = {
  'validation.second-level-is-not-validated': {
    source: 'extensions: Extension metadata record, capability use',
    breaks: 'An object of a listed SoftType is validated at each level, the second one as well.',
    kind: 'place',
    survives: 'Which configuration makes a level be validated is not shown (trigger-validation-binding).',
    variant: replaces('validation', 'verdictOn', async (right, areas, call, object, validators) =>
      call.params['levelId'] === 'approval' ? { kind: 'valid', message: '' } : right(areas, call, object, validators),
    ),
    async shows(service) {
      await service.host(() => [validator], always({ status: 200, json: { isValid: false, message: 'no' } }));
      const made = await service.edda.make('Document', { title: 't' });
      return (await service.edda.move(made, 1, 'promote', 'approval')).status < 300;
    },
  },
};

const bulkOfMain = '/admin/fileupload/main';

const filesMistakes: Batch = {
  'files.delete-uncovers-the-replaced': {
    source: 'extensions: File routes, row 4',
    breaks: 'To delete a file leaves none there, also where it had replaced another one.',
    kind: 'combination',
    variant: keepsReplaced(),
    async shows({ edda, bulk, directory }) {
      const sourceDirectory = await directory();
      await writeFile(join(sourceDirectory, 'a.txt'), 'new');
      await edda.upload('a.txt', 'old');
      await bulk(bulkOfMain, { sourceDirectory, writeLog: false, replaceFiles: true });
      await edda.delete(`${spaceFiles}/a.txt`);
      return (await edda.get(`${spaceFiles}/a.txt`)).status === 200;
    },
  },

  'chunks.last-byte-alone': {
    source: 'extensions: File routes, chunk table',
    breaks: 'The file has the bytes that were sent, also where the last chunk is a single one.',
    kind: 'value',
    variant: replaces('chunks', 'chunkContent', (right, areas, chunk) =>
      chunk.number > 1 && chunk.size === 1 && chunk.number === chunk.totalChunks ? [] : right(areas, chunk),
    ),
    async shows({ edda }) {
      await edda.sendChunks('odd.txt', ['abcd', 'e']);
      return (await edda.get(`${spaceFiles}/odd.txt`)).text !== 'abcde';
    },
  },
};

/** Keeps what a bulk upload replaces, and shows it again when the newer one goes. */
function keepsReplaced(): Variant {
  return (classes) => {
    const kept = new Map<string, Buffer>();
    return together(
      replaces('bulkUpload', 'uploadSourceFile', async (right, areas, run, entry) => {
        const place = { area: run.area, segments: [...run.target, ...entry.path] };
        const stream = await areas.fileStore.read(place).catch(() => undefined);
        const before = stream && (await buffer(stream));
        const result = await right(areas, run, entry);
        if (before !== undefined && result.status === 'replaced') kept.set(JSON.stringify(place), before);
        return result;
      }),
      replaces('files', 'deleteFile', async (right, areas, place) => {
        const key = JSON.stringify(place);
        const removed = await right(areas, place);
        const before = kept.get(key);
        if (before === undefined) return removed;
        kept.delete(key);
        await areas.fileStore.write(place, onePiece(before));
        return removed;
      }),
    )(classes);
  };
}

async function* onePiece(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

const manyMistakes: Batch = {
  'batch.second-read-of-one-object-is-short': {
    source: 'core: Batch rules 6',
    breaks: 'A GET of a batch brings the full read response, also the second one of the same object.',
    kind: 'copy',
    variant: breaks('batch', 'operationResult', (right) => {
      const seen = new Set<string>();
      return (areas, call, answer) => {
        const result = right(areas, call, answer);
        const key = `${call.correlationId} ${call.url}`;
        if (call.method !== 'GET' || !isContent(result.body)) return result;
        const isFirst = !seen.has(key);
        seen.add(key);
        if (isFirst) return result;
        const { schema: _known, links: _linked, ...body } = result.body;
        return { ...result, body };
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const read = { method: 'GET', href: made.path };
      const batch = await edda.batch([read, read]);
      return at(batch.json, '/1/body/schema') === undefined;
    },
  },

  'multi-create.of-two-that-refer-to-each-other': {
    source: 'core: Multi-create rules 2',
    breaks: 'Items may refer to each other, and each reference is kept.',
    kind: 'combination',
    variant: replaces('multiCreate', 'createItems', (right, areas, call, writing, items, inputs) => {
      const refersTo = (from: number, to: number) =>
        JSON.stringify([...(inputs[from]?.arrays ?? [])]).includes(items[to]?.oid ?? '?');
      const oneWay = inputs.map((input, index) => {
        const mutual = items.flatMap(({ oid }, other) =>
          other < index && refersTo(other, index) && refersTo(index, other) ? [oid] : [],
        );
        const arrays = [...input.arrays].map(
          ([port, entries]) =>
            [port, entries.filter(({ content }) => !mutual.includes(String(at(content, '/value/$oid'))))] as const,
        );
        return { ...input, arrays: new Map(arrays) };
      });
      return right(areas, call, writing, items, oneWay);
    }),
    async shows({ edda }) {
      const made = await edda.multiCreate([
        {
          $id: 'd',
          $softType: 'Document',
          data: { title: 't', describes: [{ id: 'x', value: { instanceRef: 'p', softTypeId: 'Part' } }] },
        },
        {
          $id: 'p',
          $softType: 'Part',
          data: { name: 'n', describedBy: [{ id: 'y', value: { instanceRef: 'd', softTypeId: 'Document' } }] },
        },
      ]);
      const part = await edda.get(String(at(made.json, '/1/href')));
      return listAt(part.json, '/data/describedBy').length !== 1;
    },
  },
};

const callsMistakes: Batch = {
  'endpoints.query-of-the-first-one-there': {
    source: 'extensions: Registered external endpoint, row url',
    breaks: 'The address called is that of the endpoint, also where another one differs from it in the query alone.',
    kind: 'copy',
    variant: breaks('requests', 'endpointUrl', (right) => {
      const known = new Map<string, string>();
      return (areas, delivery, callee) => {
        const [bare = ''] = callee.endpoint.url.split('?');
        const url = known.get(bare) ?? callee.endpoint.url;
        known.set(bare, url);
        return right(areas, delivery, { ...callee, endpoint: { ...callee.endpoint, url } });
      };
    }),
    async shows(service) {
      const host = await service.host(() => [], always({ status: 200 }));
      for (const id of ['one', 'two'])
        await registerEndpoint(service, 'externalEndpoint', { id, url: `${host.url}/hook?to=${id}` });
      for (const id of ['one', 'two']) await service.edda.sendToEndpoint(id);
      const calls = await reached(host, 2);
      return !calls.some(({ target }) => target.endsWith('to=two'));
    },
  },

  'actions.context-is-what-is-selected': {
    source: 'extensions: Action content payload',
    breaks: 'The context object is the one whose module it is, also where what is selected is of the same SoftType.',
    kind: 'value',
    variant: replaces('triggers', 'ribbonPayload', async (right, areas, call, reading, body, selected) => {
      const payload = await right(areas, call, reading, body, selected);
      const context = await reading.object(call.space.id, String(body['contextObjectId']));
      if (selected === undefined || context?.softType !== selected.softType) return payload;
      const selectedObject = { $oid: selected.oid };
      return { ...payload, contentPayload: { selectedObject, contextObject: selectedObject } };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'act', extensionType: 'ExternalAction' }]);
      const [one, other] = [
        await service.edda.make('Part', { name: 'a' }),
        await service.edda.make('Part', { name: 'b' }),
      ];
      const body = { kind: 'ribbon', objectId: one.oid, contextObjectId: other.oid };
      await service.edda.post('/api/space/main/externalAction/act', body);
      return at(callsTo(host)[0]?.envelope?.payload, '/contentPayload/contextObject/$oid') !== other.oid;
    },
  },

  'tasks.directory-by-the-file-name': {
    source: 'extensions: External task links, row inputDir',
    breaks: 'inputDir leads to the directory of the input, also where another job had an input of the same name.',
    kind: 'copy',
    variant: breaks('requests', 'taskLinks', (right) => {
      const known = new Map<string, string>();
      return (areas, spaceId, jobId, inputPath, token) =>
        right(areas, spaceId, jobId, inputPath, token).map((link) => {
          if (link.id !== 'inputDir') return link;
          const key = `${spaceId} ${inputPath.split('/').at(-1) ?? ''}`;
          const url = known.get(key) ?? link.url;
          known.set(key, url);
          return { ...link, url };
        });
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'task', extensionType: 'ExternalTask' }]);
      for (const directory of ['one', 'two']) await scheduleTask(service, { inputPath: `${directory}/in.csv` });
      const calls = await reached(host, 2);
      const urls = calls.flatMap(({ envelope }) =>
        listAt(envelope?.payload, '/links').filter((link) => at(link, '/id') === 'inputDir'),
      );
      return !urls.some((link) => String(at(link, '/url')).endsWith('/two'));
    },
  },
};

const writingMistakes: Batch = {
  'editing.put-keeps-arrays-beside-a-named-one': {
    source: 'core: Endpoint table, PUT',
    breaks: 'A field that is absent from a PUT is removed, an array as well, also where the body names another array.',
    kind: 'combination',
    variant: replaces('editing', 'arraysAfterPut', (right, areas, softType, given) =>
      given.size > 0 ? given : right(areas, softType, given),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: named(1), contacts: named(1) });
      await edda.replace(made, 1, { title: 't', files: named(2) });
      return listAt(await edda.read(made), '/data/contacts').length > 0;
    },
  },

  'versioning.none-for-the-second-level-in-a-batch': {
    source: 'core: Errors 412',
    breaks: 'A PUT without the version header is answered 412, a maturity action inside a batch too.',
    kind: 'place',
    variant: replaces('versioning', 'assertVersion', (right, areas, call, object) => {
      const isMove = call.params['levelId'] === 'approval' && 'isSibling' in call;
      return isMove && call.headers['svc-uoiversion'] === undefined ? object.version : right(areas, call, object);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const batch = await edda.batch([{ method: 'PUT', href: movePath(made, 'promote', 'approval') }]);
      return at(batch.json, '/0/statusCode') !== 412;
    },
  },

  'maturity.demote-takes-the-other-level-along': {
    source: 'core: States and transitions',
    breaks: 'A demote moves the level that its path names, and no other one.',
    kind: 'copy',
    survives: 'Whether levels move independently is not said, and what a demote leads to is silent (demote-effect).',
    variant: demoteRestores(),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      await edda.move(made, 1);
      await edda.move(made, 2, 'promote', 'approval');
      await edda.move(made, 3, 'demote');
      return at(await edda.read(made), '/data/approval/state') !== 'checked';
    },
  },

  'maturity.states-share-their-ids': {
    source: 'core: States and transitions',
    breaks: 'The $oid of a current state identifies one object, not that of every instance of the definition.',
    kind: 'copy',
    survives: 'A current state names a level-state, which may be one object that all instances in it refer to.',
    variant: breaks('editing', 'startContent', (right) => {
      const known = new Map<string, Content>();
      return (areas, softType) => {
        const content = known.get(softType.id) ?? right(areas, softType);
        known.set(softType.id, content);
        return content;
      };
    }),
    async shows({ edda }) {
      const [one, other] = [await edda.make('Document', { title: 'a' }), await edda.make('Document', { title: 'b' })];
      const [first, second] = [await edda.read(one), await edda.read(other)];
      return at(first, '/data/engineering/$oid') === at(second, '/data/engineering/$oid');
    },
  },
};

/** Undoes a promote by what it kept of all levels. */
function demoteRestores(): Variant {
  return (classes) => {
    const before = new Map<string, CurrentStates>();
    return together(
      replaces('maturity', 'promoteObject', async (right, areas, call, writing) => {
        const answer = await right(areas, call, writing);
        before.set(`${call.object.oid} ${call.place.id}`, storedStates(call.object));
        return answer;
      }),
      replaces('maturity', 'demoteObject', (right, areas, call, writing) => {
        const states = before.get(`${call.object.oid} ${call.place.id}`);
        if (states === undefined) return right(areas, call, writing);
        const contentInState = (content: Content): Content => ({ ...content, [statesMember]: states });
        return right(within(areas, { maturity: { contentInState } }), call, writing);
      }),
    )(classes);
  };
}

const readingMistakes: Batch = {
  'access.a-refusal-sticks-to-the-user': {
    source: 'core: Authentication 7',
    breaks: 'Whoever has a role on a participant of a space may use it, also right after another space refused him.',
    kind: 'copy',
    variant: breaks('auth', 'authorize', (right) => {
      const refused = new Set<string>();
      return (areas, user, access, call) => {
        if (access === 'space' && refused.delete(user.name)) throw new Refusal(403, 'Refused a moment ago.');
        try {
          right(areas, user, access, call);
        } catch (error) {
          if (access === 'space' && error instanceof Refusal && error.status === 403) refused.add(user.name);
          throw error;
        }
      };
    }),
    async shows({ otto }) {
      const made = await otto.make('Dossier', { title: 't' });
      await otto.get('/api/space/main/softtype/none');
      return (await otto.get(made.path)).status === 403;
    },
  },

  'hypermedia.second-array-links-to-the-first': {
    source: 'core: Server side paging 3',
    breaks:
      'A page link leads to the pages of the array that it names, also of the second long one in a filtered read.',
    kind: 'place',
    variant: replaces('hypermedia', 'linksOf', (right, areas, call, object, view, slices, filter) => {
      const links = right(areas, call, object, view, slices, filter);
      const first = links.find(({ rel }) => rel === 'page');
      if (filter === undefined || first === undefined) return links;
      return links.map((link) => (link.rel === 'page' ? { ...link, href: first.href } : link));
    }),
    async shows({ edda }) {
      const files = many(11, (number) => ({ name: `n${number}`, category: 'drawing' }));
      const made = await edda.make('Document', { title: 't', files, contacts: many(11, () => ({ role: 'r' })) });
      const pages = listAt(await edda.read(made, '?softTypeFilterId=drawings'), '/links').filter(
        (link) => at(link, '/rel') === 'page',
      );
      return new Set(pages.map((link) => at(link, '/href'))).size < pages.length;
    },
  },

  'paging.total-of-a-version-that-was-undone': {
    source: 'core: Link object, totalNumber',
    breaks: 'The link tells how many entries there are, also at a version whose number a batch had that failed.',
    kind: 'combination',
    variant: breaks('entries', 'totalOf', (right) => {
      const totals = new Map<string, number>();
      return async (areas, reading, object, section, filter) => {
        const key = `${object.oid} ${object.version} ${section.path}`;
        if (filter !== undefined) return right(areas, reading, object, section, filter);
        const total = totals.get(key) ?? (await right(areas, reading, object, section, filter));
        totals.set(key, total);
        return total;
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: many(11, (number) => ({ name: `n${number}` })) });
      await edda.batch([
        {
          method: 'PATCH',
          href: editPath(made),
          headers: versionHeader(1),
          body: { files: many(25, (number) => ({ name: `m${number}` })) },
        },
        { method: 'GET', href: made.path },
        { method: 'GET', href: '/api/space/main/softtype/none' },
      ]);
      await edda.merge(made, 1, { note: 'n' });
      const link = listAt(await edda.read(made), '/links').find((each) => at(each, '/rel') === 'page');
      return at(link, '/totalNumber') !== 11;
    },
  },

  'caching.no-tag-for-readers': {
    source: 'core: Common request headers',
    breaks: 'Data other than SoftTypes come with an ETag, whoever reads them.',
    kind: 'role',
    variant: replaces('openApi', 'readDynamicOpenApi', async (right, areas, call) => {
      const answer = await right(areas, call);
      if (areas.auth.mayUse(call.user, call.space, 'PUT')) return answer;
      const { ETag: _tag, ...headers } = answer.headers ?? {};
      return { ...answer, headers };
    }),
    async shows({ rita }) {
      const answer = await rita.get('/space/main/SoftType/dynamic/softtype.openApi');
      return answer.status === 200 && answer.headers.get('etag') === null;
    },
  },
};

/** Drawn by lot: sixty sentences of both documents, each broken where a second lot says, by somebody who had not seen a check. */
export const thirtyFourth: Batch = {
  ...readingMistakes,
  ...writingMistakes,
  ...manyMistakes,
  ...filesMistakes,
  ...callsMistakes,
  ...deliveryMistakes,
};
