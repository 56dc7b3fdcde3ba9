import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, passSteps, promoteOne, referenceTo, scheduled, sendChunks, sendEvent, validator } from './scenes.ts';
import { at, listAt, many, md5, spaceFiles, versionHeader } from '../service.ts';
import { callsTo, named, registerEndpoint } from '../proofs.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import { Misfit, capabilitiesOf } from '../../../reference-server/areas/records.ts';
import { mimeTypeOf } from '../../../reference-server/areas/triggers.ts';

const multiCreateMistakes: Batch = {
  'multi-create.id-used-up': {
    source: 'core: Multi-create rules 2',
    breaks: 'Any number of items may refer to the same one.',
    kind: 'moment',
    variant: breaks('multiCreate', 'findItem', (right) => {
      const used = new WeakMap<object, Set<string>>();
      return (areas, items, $id, referrer) => {
        const before = used.get(items) ?? new Set();
        used.set(items, new Set([...before, $id]));
        return before.has($id) ? undefined : right(areas, items, $id, referrer);
      };
    }),
    async shows(service) {
      const describes = [referenceTo('p', 'Part')];
      const answer = await service.edda.multiCreate([
        { $id: 'p', $softType: 'Part', data: { name: 'n' } },
        { $id: 'd1', $softType: 'Document', data: { title: 't', describes } },
        { $id: 'd2', $softType: 'Document', data: { title: 't', describes } },
      ]);
      return answer.status >= 400;
    },
  },
};

const filesMistakes: Batch = {
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

const editingMistakes: Batch = {
  'spaces.edit-by-the-id-alone': {
    source: 'core: What the service does',
    breaks: 'A path below a space leads to objects of that space, whoever has a role in it.',
    kind: 'role',
    variant: replaces('dispatcher', 'carryOutWrite', async (right, areas, route, call, writing) => {
      const { objectId = '' } = call.params;
      for (const space of areas.configuration.spaces.values())
        if ((await writing.object(space.id, objectId)) !== undefined)
          return right(areas, route, { ...call, space }, writing);
      return right(areas, route, call, writing);
    }),
    async shows(service) {
      const { oid } = await service.edda.make('Dossier', { title: 't' });
      const path = `/api/space/main/softtype/Dossier/dossierInput/${oid}`;
      const edit = { headers: versionHeader(1), body: { note: 'from main' } };
      return (await service.emil.send('PATCH', path, edit)).status < 400;
    },
  },
};

const operationsMistakes: Batch = {
  'operations.unknown-one-passed-over': {
    source: 'core: Patch operation',
    breaks: 'An operation is add, replace or remove; a list with another one is not carried out.',
    kind: 'value',
    variant: replaces('operations', 'operationsOf', (right, areas, body) => {
      const known = listAt(body, '').filter((item) => ['add', 'replace', 'remove'].includes(String(at(item, '/op'))));
      return right(areas, Array.isArray(body) ? known : body);
    }),
    async shows(service) {
      const edda = service.edda;
      const made = await edda.make('Document', { title: 't', note: 'n' });
      const operations = [
        { op: 'replace', path: '/title', value: 'u' },
        { op: 'increment', path: '/pageCount', value: 1 },
      ];
      return (await edda.operate(made, 1, operations)).status < 400;
    },
  },
};

const deliveryMistakes: Batch = {
  'retries.once-transient-for-good': {
    source: 'extensions: Errors 1',
    breaks: 'An error that is not transient ends the retries, also where one before it was.',
    kind: 'moment',
    variant: replaces('policies', 'nextStepOf', (right, areas, delivery, policy, outcome) => {
      const isLater = delivery.attempts > 0 && outcome.kind === 'answered' && outcome.status >= 400;
      return right(areas, delivery, policy, isLater ? { ...outcome, status: 503 } : outcome);
    }),
    async shows(service) {
      const script = [{ steps: [{ status: 503 }, { status: 400 }], afterwards: 'last' as const }];
      const host = await service.host(() => [{ id: 'event' }], script);
      await sendEvent(service);
      await passSteps(service, 12, 2);
      return callsTo(host).length > 2;
    },
  },

  'events.acknowledged-in-words': {
    source: 'extensions: Events 2',
    breaks: 'Status 200 is success, whatever else the answer says, and such an event is not sent again.',
    kind: 'value',
    variant: replaces('policies', 'nextStepOf', (right, areas, delivery, policy, outcome) => {
      const isDoubted = outcome.kind === 'answered' && outcome.status === 200 && /^[^{["]/.test(outcome.body);
      return right(areas, delivery, policy, isDoubted ? { ...outcome, status: 503 } : outcome);
    }),
    async shows(service) {
      const script = [{ steps: [{ status: 200, text: 'received' }], afterwards: 'last' as const }];
      const host = await service.host(() => [{ id: 'event' }], script);
      await sendEvent(service);
      await passSteps(service, 5);
      return callsTo(host).length > 1;
    },
  },

  'endpoints.id-taken-for-a-number': {
    source: 'extensions: Registered external endpoint',
    breaks: 'The id of an endpoint is a text: 007 is another one than 7.',
    kind: 'value',
    variant: replaces('registry', 'registrationOf', async (right, areas, reading, id) => {
      const asNumber = /^\d+$/.test(id) ? String(Number(id)) : id;
      return (await right(areas, reading, asNumber)) ?? right(areas, reading, id);
    }),
    async shows(service) {
      const host = await service.host(() => []);
      for (const id of ['7', '007'])
        await registerEndpoint(service, 'externalEndpoint', { id, url: `${host.url}/at-${id}` });
      await service.edda.post('/api/space/main/externalEvent', { endpointId: '007', contentPayload: {} });
      await passSteps(service, 2);
      return callsTo(host).some(({ path }) => path === '/at-7');
    },
  },
};

const readingMistakes: Batch = {
  'reading.version-left-out-of-a-summary': {
    source: 'core: System properties inside data',
    breaks: 'The version stands in the data as well, whatever members its output schema has.',
    kind: 'place',
    variant: replaces('instances', 'dataOf', (right, areas, space, object, view, slices) => {
      const data = { ...right(areas, space, object, view, slices) };
      const all = areas.objects.softTypeOf(space, object.softType).members;
      if (view.names.size < all.size) Reflect.deleteProperty(data, '$version');
      return data;
    }),
    async shows(service) {
      const edda = service.edda;
      const { oid } = await edda.make('Document', { title: 't' });
      const read = await edda.get(`/api/space/main/softtype/Document/documentSummary/${oid}`);
      return at(read.json, '/data/$version') !== 1;
    },
  },
};

const pagingMistakes: Batch = {
  'paging.ids-by-position': {
    source: 'core: Page response',
    breaks: 'An entry of a page has the id that it has anywhere, also when one before it was removed.',
    kind: 'moment',
    variant: replaces('paging', 'assemblePage', async (right, areas, call, reading, object, view, ...rest) => {
      const [section, page, filter] = rest;
      const body = await right(areas, call, reading, object, view, section, page, filter);
      if (filter !== undefined || section.items !== undefined) return body;
      return { ...body, data: body.data.map((entry, index) => ({ ...entry, $entryId: page * 10 + index + 1 })) };
    }),
    async shows(service) {
      const edda = service.edda;
      const made = await edda.make('Document', { title: 't', contacts: named(12) });
      const [first, last] = [await edda.read(made), await edda.page(made, 'contacts', 1)];
      const id = at(last.json, '/data/1/$entryId');
      const removed = `/contacts/${at(first, '/data/contacts/0/$entryId')}/`;
      await edda.operate(made, 1, [{ op: 'remove', path: removed }]);
      return at((await edda.page(made, 'contacts', 1)).json, '/data/0/$entryId') !== id;
    },
  },

  'paging.fourth-page-begins-early': {
    source: 'core: Server side paging 4',
    breaks: 'Each later page goes on where the one before it ends.',
    kind: 'value',
    variant: replaces('paging', 'pageRange', (right, areas, page) => {
      const { from, to } = right(areas, page);
      return page < 3 ? { from, to } : { from: from - 1, to: to - 1 };
    }),
    async shows(service) {
      const edda = service.edda;
      const made = await edda.make('Document', { title: 't', contacts: named(35) });
      return at((await edda.page(made, 'contacts', 3)).json, '/data/0/name') !== 'n31';
    },
  },

  'paging.template-encoded-under-a-filter': {
    source: 'core: Link object',
    breaks: 'The href of a page link holds the template as it is, also where it carries a filter.',
    kind: 'combination',
    variant: replaces('entries', 'pageHref', (right, areas, object, view, section, page, filter) => {
      const href = right(areas, object, view, section, page, filter);
      return href.includes('?') ? href.replace('{pageNumber}', '%7BpageNumber%7D') : href;
    }),
    async shows(service) {
      const edda = service.edda;
      const files = many(11, (number) => ({ name: `f${number}`, category: 'drawing' }));
      const made = await edda.make('Document', { title: 't', files });
      const links = listAt(await edda.read(made, '?softTypeFilterId=drawings'), '/links');
      const href = String(
        at(
          links.find((link) => at(link, '/rel') === 'page'),
          '/href',
        ),
      );
      return !href.includes('{pageNumber}');
    },
  },
};

const callsMistakes: Batch = {
  'calls.first-record-of-a-type': {
    source: 'extensions: Calls to extensions',
    breaks: 'A call goes to the endpoint of its record, also where the host has several records of the type.',
    kind: 'place',
    variant: replaces('callees', 'calleeOf', async (right, areas, reading, named) => {
      const callee = await right(areas, reading, named);
      if (callee === undefined || !('record' in callee)) return callee;
      const { extensionType } = callee.record;
      const first = callee.extension.records.find((record) => record.extensionType === extensionType);
      const other = first && (await right(areas, reading, { ...named, recordId: first.id }));
      return { ...callee, url: other?.url ?? callee.url };
    }),
    async shows(service) {
      const host = await service.host(() => ['one', 'two'].map((id) => ({ id, endpoint: `/${id}` })));
      await sendEvent(service, 'two');
      await passSteps(service, 2);
      return callsTo(host).some(({ path }) => path === '/one');
    },
  },

  'calls.subject-escaped-with-its-body': {
    source: 'extensions: Payloads by extension type',
    breaks: 'The subject of a mail is as it was composed, also where its body is HTML.',
    kind: 'combination',
    variant: replaces('requests', 'payloadOf', (right, areas, delivery, token) => {
      const payload = right(areas, delivery, token);
      if (delivery.kind !== 'email' || !isContent(payload) || !String(payload['body']).startsWith('<')) return payload;
      return { ...payload, subject: String(payload['subject']).replaceAll('&', '&amp;') };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'mail', extensionType: 'Email' }]);
      const mail = { recordId: 'mail', to: 'a@b.example', subject: 'Q & A', body: '<p>text</p>' };
      await service.edda.post('/api/space/main/externalEmail', mail);
      await passSteps(service, 2);
      return at(callsTo(host)[0]?.json, '/payload/subject') === 'Q &amp; A';
    },
  },

  'calls.no-query-token-on-a-retry': {
    source: 'extensions: Calls to extensions, last sentence',
    breaks: 'The call of a mail has the token in its query each time that it is tried.',
    kind: 'moment',
    variant: replaces('requests', 'requestFor', async (right, areas, delivery, callee, attempt) => {
      const request = await right(areas, delivery, callee, attempt);
      if (attempt === 1 || delivery.kind !== 'email') return request;
      return { ...request, url: request.url.replace(/[?&]access_token=[^&]*/, '') };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'mail', extensionType: 'Email' }], always(503));
      const mail = { recordId: 'mail', to: 'a@b.example', subject: 'subject', body: 'body' };
      await service.edda.post('/api/space/main/externalEmail', mail);
      await passSteps(service, 5);
      return callsTo(host).some(({ target }) => !target.includes('token='));
    },
  },

  'actions.array-as-an-object': {
    source: 'extensions: Payloads by extension type, action content payload',
    breaks: 'The content of a form action is what the form sends, the array of a batch as well.',
    kind: 'value',
    variant: replaces('triggers', 'formPayload', (right, areas, body) => {
      const { contentPayload } = body;
      return right(areas, Array.isArray(contentPayload) ? { ...body, contentPayload: { ...contentPayload } } : body);
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'action', extensionType: 'ExternalAction' }]);
      const form = { kind: 'form', requestedRoute: '/api/space/main/batch', httpVerb: 'POST', contentPayload: [{}] };
      await service.edda.post('/api/space/main/externalAction/action', form);
      return !Array.isArray(at(callsTo(host)[0]?.json, '/payload/contentPayload'));
    },
  },
};

const validationMistakes: Batch = {
  'validation.empty-list-for-all': {
    source: 'extensions: Extension metadata record, capability use',
    breaks: 'A validation applies to the SoftTypes that it lists, to none where it lists none.',
    kind: 'value',
    variant: replaces('validation', 'validatorsFor', async (right, areas, reading, softTypeId) => {
      const addresses = await areas.registry.recordsOfType(reading, 'ExternalValidation');
      const all = await Promise.all(addresses.map((address) => areas.triggeredCalls.addresseeAt(reading, address)));
      const open = all.filter((found) => found !== undefined && capabilitiesOf(found.record, 'SoftType').length === 0);
      return [...(await right(areas, reading, softTypeId)), ...open.flatMap((found) => found ?? [])];
    }),
    survives:
      'What an empty list says is open: it may as well be no restriction, as an empty list of file types is here.',
    async shows(service) {
      const host = await service.host(() => [validator('validation', [])]);
      await promoteOne(service);
      return callsTo(host).length > 0;
    },
  },
};

const tasksMistakes: Batch = {
  'tasks.main-type-is-enough': {
    source: 'extensions: Extension metadata record, capability use',
    breaks: 'A task manages the file types that it lists, and not all of their kind.',
    kind: 'value',
    variant: replaces('triggers', 'assertManages', (right, areas, record, path) => {
      const [main] = mimeTypeOf(path).split('/');
      if (capabilitiesOf(record, 'MimeType').some((type) => type.startsWith(`${main}/`))) return;
      right(areas, record, path);
    }),
    async shows(service) {
      const capabilities = [{ capabilityType: 'MimeType', capabilities: ['text/csv'] }];
      await service.host(() => [{ id: 'task', extensionType: 'ExternalTask', capabilities }]);
      return (await scheduled(service, { inputPath: 'in.txt' })) !== '';
    },
  },
};

const keysMistakes: Batch = {
  'keys.license-unknown': {
    source: 'extensions: Permission names',
    breaks: 'An extension may ask for the key of each of the five permissions, that of the license as well.',
    kind: 'value',
    variant: replaces('metadata', 'recordFrom', (right, areas, item) => {
      const isAsked = listAt(item, '/permissions/permissions').includes('LicenseCommunicationAPI');
      return isAsked ? new Misfit('/permissions', 'must be known') : right(areas, item);
    }),
    async shows(service) {
      const permissions = ['LicenseCommunicationAPI' as const];
      await service.host((url) => [{ id: 'event', permissions: { tokenCallback: `${url}/keys`, permissions } }]);
      return (await sendEvent(service)).status >= 400;
    },
  },
};

/** Sentences of both documents that a lot has drawn, each broken as the author of an independent service would get it wrong. */
export const seventeenth: Batch = {
  ...readingMistakes,
  ...pagingMistakes,
  ...editingMistakes,
  ...operationsMistakes,
  ...multiCreateMistakes,
  ...filesMistakes,
  ...deliveryMistakes,
  ...callsMistakes,
  ...validationMistakes,
  ...tasksMistakes,
  ...keysMistakes,
};
