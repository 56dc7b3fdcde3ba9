import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { type Client, type Made, at, editPath, encoded, listAt, many, movePath, operationsPath } from '../service.ts';
import { headerNames, mediaTypes } from '../../../contract/names.ts';
import { callsTo, claimsIn, logged, named, reached } from '../proofs.ts';
import { randomUUID } from 'node:crypto';
import { validator } from './proofs.ts';
import { type ArrayItem, isContent } from '../../../reference-server/areas/content.ts';

const reading: Batch = {
  'reading.version-of-two-digits-is-text': {
    source: 'core: SoftType read response',
    breaks: 'The version is an integer, from the tenth on as well.',
    kind: 'value',
    variant: replaces('instances', 'assembleInstance', async (right, areas, ...args) => {
      const read = await right(areas, ...args);
      return read.version < 10 ? read : Object.assign({ ...read }, { version: String(read.version) });
    }),
    async shows({ edda }) {
      const made = await edda.make('Part', { name: 'p' });
      for (const version of many(9, (number) => number)) await edda.merge(made, version, { note: `${version}` });
      return typeof at(await edda.read(made), '/version') !== 'number';
    },
  },
  'paging.value-of-filter-ends-with-first-page': {
    source: 'core: Endpoint table, page route',
    breaks: 'A filter with a supplied value applies to every page, not to the first alone.',
    kind: 'combination',
    variant: replaces('entries', 'filterOf', (right, areas, call, ...rest) => {
      const applied = right(areas, call, ...rest);
      const isLater = (call.params['pageNumber'] ?? '0') !== '0';
      return isLater && applied?.filter.equals === undefined ? undefined : applied;
    }),
    async shows({ edda }) {
      const files = many(22, (number) => ({ name: `n${number}`, category: number % 2 === 0 ? 'a' : 'b' }));
      const made = await edda.make('Document', { title: 't', files });
      const query = '?softTypeFilter=byCategory&fileGroup.category=a';
      return listAt((await edda.page(made, 'files', 1, query)).json, '/data').length !== 1;
    },
  },
};

const registered: Batch = {
  'endpoint.body-is-cut-by-letters': {
    source: 'extensions: Registered external endpoint',
    breaks: 'The configured body is sent whole, where letters take more than a byte as well.',
    kind: 'value',
    variant: replaces('requests', 'endpointRequest', async (right, areas, ...args) => {
      const request = await right(areas, ...args);
      const { body } = request;
      if (body === undefined) return request;
      return { ...request, body: Buffer.from(body).subarray(0, body.length).toString() };
    }),
    async shows(service) {
      const host = await service.host(() => []);
      const endpoint = {
        id: 'hook',
        url: `${host.url}/hook`,
        method: 'POST',
        category: 'proof',
        headers: [{ name: 'content-type', value: 'text/plain; charset=utf-8' }],
      };
      await service.cora.post('/api/admin/externalEndpoint', endpoint);
      const event = { endpointId: 'hook', contentPayload: 'größer' };
      await service.edda.post('/api/space/main/externalEvent', event);
      const [call] = await reached(host, 1);
      return Buffer.from(call?.body ?? []).toString() !== 'größer';
    },
  },
  'envelope.filter-is-the-first-of-the-user': {
    source: 'extensions: Call envelope',
    breaks: 'The information filter is that of the request that triggered the call.',
    kind: 'copy',
    variant: breaks('triggeredCalls', 'passedFilter', (right) => {
      const kept = new Map<string, string>();
      return (areas, call) => {
        const filter = kept.get(call.user.name) ?? right(areas, call);
        kept.set(call.user.name, filter);
        return filter;
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'e' }]);
      const second = encoded({ role: 'second' });
      await service.edda.sendEvent('e', {}, { [headerNames.informationFilter]: encoded({ role: 'first' }) });
      await reached(host, 1);
      await service.edda.sendEvent('e', {}, { [headerNames.informationFilter]: second });
      return at((await reached(host, 2))[1]?.json, '/informationFilter') !== second;
    },
  },
  'envelope.token-is-that-of-the-user-before': {
    source: 'extensions: Call envelope',
    breaks: 'The token of a call speaks for the user that triggered this one.',
    kind: 'role',
    variant: breaks('requests', 'impersonationToken', (right) => {
      const kept = new Map<number, Promise<string>>();
      return (areas, userName, minutes) => {
        const token = kept.get(minutes) ?? right(areas, userName, minutes);
        kept.set(minutes, token);
        return token;
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'e' }]);
      await service.edda.sendEvent('e');
      await reached(host, 1);
      await service.emil.sendEvent('e');
      return at(claimsIn((await reached(host, 2))[1]), '/sub') !== 'emil';
    },
  },
};

const deliveries: Batch = {
  'validation.retry-has-another-id': {
    source: 'extensions: Call envelope',
    breaks: 'A correlation id that was given is that of every attempt of a validation.',
    kind: 'moment',
    variant: replaces('outgoingCalls', 'preparedRequest', (right, areas, delivery, callee, count) => {
      const isAgain = delivery.kind === 'validation' && count > 1;
      return right(areas, isAgain ? { ...delivery, envelopeId: randomUUID() } : delivery, callee, count);
    }),
    async shows(service) {
      const host = await service.host(() => [validator('v')], [{ steps: [{ status: 503 }] }]);
      const { edda } = service;
      const made = await edda.make('Document', { title: 't' });
      const promote = edda.send('PUT', movePath(made), {
        headers: { [headerNames.version]: '1', [headerNames.correlationId]: 'tenth-given' },
      });
      await reached(host, 1);
      await service.pass(2);
      await promote;
      return callsTo(host)[1]?.envelope?.id !== 'tenth-given';
    },
  },
  'validation.log-tells-of-five-retries': {
    source: 'extensions: Errors 3',
    breaks: 'The log of a validation tells the retry out of the three that it has.',
    survives: 'How the log is read is not said (log-access): its entries are recorded, and fail nobody.',
    kind: 'combination',
    variant: replaces('deliveries', 'logEntriesFor', (right, areas, delivery, policy, ...rest) => {
      const wrong = policy && delivery.kind === 'validation' ? { ...policy, retries: 5 } : policy;
      return right(areas, delivery, wrong, ...rest);
    }),
    async shows(service) {
      const host = await service.host(() => [validator('v')], [{ steps: [{ status: 503 }] }]);
      const { edda } = service;
      const promote = edda.move(await edda.make('Document', { title: 't' }), 1);
      await reached(host, 1);
      await service.pass(2);
      await promote;
      return at((await logged(service, 'transient-error'))[0], '/total') !== 3;
    },
  },
  'delivery.broken-connections-are-not-counted': {
    source: 'extensions: Limits, retries',
    breaks: 'Waits grow after each attempt, those that ended with a broken connection too.',
    kind: 'combination',
    variant: replaces('policies', 'nextStepOf', (right, areas, delivery, policy, outcome) =>
      right(areas, outcome.kind === 'failed' ? { ...delivery, attempts: 0 } : delivery, policy, outcome),
    ),
    async shows(service) {
      const host = await service.host(
        () => [{ id: 'e' }],
        [{ steps: [{ cut: 'before-answer', how: 'close' }], afterwards: 'last' }],
      );
      await service.edda.sendEvent('e');
      await reached(host, 1);
      await service.pass(2);
      await reached(host, 2);
      await service.pass(2.5);
      return callsTo(host).length > 2;
    },
  },
  'rate.second-pause-is-not-logged': {
    source: 'extensions: Errors 3',
    breaks: 'Each time that the rate limit is exceeded a log entry is written.',
    survives: 'How the log is read is not said (log-access): its entries are recorded, and fail nobody.',
    kind: 'moment',
    variant: breaks('deliveryLog', 'logEntry', (right) => {
      const known = new Set<string>();
      return async (areas, store, entry) => {
        if (entry.kind === 'rate-limit' && known.has(entry.endpoint)) return;
        if (entry.kind === 'rate-limit') known.add(entry.endpoint);
        return right(areas, store, entry);
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'e', rateLimitNumberOfExecutions: 1 }]);
      for (const _ of [1, 2, 3]) await service.edda.sendEvent('e');
      await reached(host, 1);
      await service.pass(60.5);
      await reached(host, 2);
      return (await logged(service, 'rate-limit')).length < 2;
    },
  },
};

const writing: Batch = {
  'editing.empty-merge-tells-the-former-version': {
    source: 'core: Common request headers',
    breaks: 'The version that an edit answers with is the one that the object has from then on, whatever was edited.',
    kind: 'combination',
    variant: replaces('editing', 'mergeObject', async (right, areas, call, store) => {
      const answer = await right(areas, call, store);
      if (!isContent(call.json) || Object.keys(call.json).length > 0) return answer;
      return { ...answer, headers: { ...answer.headers, [headerNames.version]: String(call.object.version) } };
    }),
    async shows({ edda }) {
      const made = await edda.make('Part', { name: 'p' });
      const { headers } = await edda.merge(made, 1, {});
      return headers.get(headerNames.version) !== String(at(await edda.read(made), '/version'));
    },
  },
  'editing.texts-of-entries-lose-returns': {
    source: 'core: Endpoint table, POST softtype',
    breaks: 'The text of an entry is kept letter by letter, line ends included.',
    kind: 'value',
    variant: replaces('contents', 'withEntryIds', (right, areas, items) => {
      const plain = (value: unknown) => (typeof value === 'string' ? value.replaceAll('\r\n', '\n') : value);
      const contents = items.map(({ content, ...item }) => ({
        ...item,
        content: Object.fromEntries(Object.entries(content).map(([name, value]) => [name, plain(value)])),
      }));
      return right(areas, contents);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: [{ name: 'f', comment: 'a\r\nb' }] });
      return at(await edda.read(made), '/data/files/0/comment') !== 'a\r\nb';
    },
  },
  'editing.numbers-have-single-precision': {
    source: 'core: Endpoint table, POST softtype',
    breaks: 'A number is read as it was written, with all digits that JSON numbers commonly have.',
    kind: 'value',
    variant: replaces('contents', 'inputFrom', (right, areas, rules, softType, ...rest) => {
      const input = right(areas, rules, softType, ...rest);
      const pairs = Object.entries(input.content).map(([name, value]) => {
        const isNumber = softType.members.get(name)?.kind === 'number' && typeof value === 'number';
        return [name, isNumber ? Math.fround(value) : value] as const;
      });
      return { ...input, content: Object.fromEntries(pairs) };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', weight: 0.1 });
      return at(await edda.read(made), '/data/weight') !== 0.1;
    },
  },
  'operations.after-the-fiftieth-are-passed-over': {
    source: 'core: Operations-based PATCH rules 2',
    breaks: 'All operations of the array are carried out, however many they are.',
    kind: 'value',
    variant: replaces('operations', 'operationsOf', (right, areas, body) =>
      right(areas, Array.isArray(body) ? body.slice(0, 50) : body),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const entries = named(50).map((value) => ({ op: 'add', path: '/contacts/-', value }));
      await edda.operate(made, 1, [...entries, { op: 'add', path: '/note', value: 'n' }]);
      return at(await edda.read(made), '/data/note') !== 'n';
    },
  },
  'operations.empty-object-replaces': {
    source: 'core: Operations-based PATCH rules 6',
    breaks: 'An object is no value to replace by, an empty one neither.',
    kind: 'value',
    variant: replaces('operations', 'replaceValue', async (right, areas, run, target, value, place) => {
      const isEmpty = isContent(value) && Object.keys(value).length === 0;
      const isObject = target.kind === 'member' && target.member.kind === 'object' && target.value !== undefined;
      if (isEmpty && isObject) return areas.operations.setMember(run, target, {});
      return right(areas, run, target, value, place);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', dimensions: { width: '1' } });
      return (await edda.operate(made, 1, [{ op: 'replace', path: '/dimensions', value: {} }])).status < 400;
    },
  },
  'logging.operations-of-a-batch-lose-the-id': {
    source: 'core: Common request headers',
    breaks:
      'The correlation id stands in all log messages of the request, in those about one operation of a batch too.',
    survives: 'How the log of requests is read is not said, so that nobody outside can see what stands in it.',
    kind: 'place',
    variant: replaces('batch', 'runOperation', (right, areas, batch, ...rest) =>
      right(areas, { ...batch, log: areas.log }, ...rest),
    ),
    async shows({ edda, log }) {
      const made = await edda.make('Part', { name: 'p' });
      const edit = { method: 'PATCH', href: editPath(made), body: { note: 'n' } };
      await edda.post('/api/space/main/batch', [edit], { [headerNames.correlationId]: 'tenth-log' });
      // a time may hold the same digits
      return !/(?<![\d.])412(?![\d.])/.test(await log('tenth-log'));
    },
  },
};

const part = (name: string) => ({ $id: name, $softType: 'Part', data: { name } });

const documentOf = (name: string, references: readonly string[]) => ({
  $id: name,
  $softType: 'Document',
  data: {
    title: name,
    describes: references.map((instanceRef) => ({ id: instanceRef, value: { instanceRef, softTypeId: 'Part' } })),
  },
});

const filterName = headerNames.informationFilter.toLowerCase();

/** An item is a reference where its value leads to an object. */
function leadsTo({ content }: ArrayItem): unknown {
  return isContent(content['value']) ? content['value']['$oid'] : undefined;
}

/** Date of a price that one operation of a batch replaced. */
async function stampedIn(client: Client, made: Made, headers: object, filter: object): Promise<unknown> {
  const edit = {
    method: 'PATCH',
    href: operationsPath(made),
    headers: { [headerNames.version]: '1', 'Content-Type': mediaTypes.operations, ...headers },
    body: [{ op: 'replace', path: '/price/value', value: '2' }],
  };
  await client.post('/api/space/main/batch', [edit], { [headerNames.informationFilter]: encoded(filter) });
  return at(await client.read(made), '/data/price/effectivity');
}

/** Read of the object that a multi-create answered with at that place. */
async function readCreated(client: Client, answer: unknown, index: number): Promise<unknown> {
  return (await client.get(String(at(answer, `/${index}/href`)))).json;
}

const manyAtOnce: Batch = {
  'batch.reads-are-not-filtered': {
    source: 'core: Server side paging 5',
    breaks: 'A GET in a batch applies the filter that its href names.',
    kind: 'combination',
    variant: replaces('entries', 'filterOf', (right, areas, call, ...rest) =>
      call.isSibling === undefined ? right(areas, call, ...rest) : undefined,
    ),
    async shows({ edda }) {
      const files = [{ name: 'a', category: 'drawing' }, { name: 'b' }];
      const { path } = await edda.make('Document', { title: 't', files });
      const answer = await edda.batch([{ method: 'GET', href: `${path}?softTypeFilterId=drawings` }]);
      return listAt(answer.json, '/0/body/data/files').length !== 1;
    },
  },
  'batch.demote-result-lacks-the-version': {
    source: 'core: Batch result',
    breaks: 'The result of a demote holds the new version as that of any other write.',
    kind: 'place',
    variant: replaces('batch', 'writtenBody', (right, areas, call, answer) => {
      const body = right(areas, call, answer);
      return call.url.includes('/demote/') && isContent(body) ? { href: body['href'] } : body;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      await edda.move(made, 1);
      const demote = { method: 'PUT', href: movePath(made, 'demote'), headers: { [headerNames.version]: '2' } };
      return at((await edda.batch([demote])).json, '/0/body/version') !== 3;
    },
  },
  'batch.undone-edit-uses-its-version-up': {
    source: 'core: Versioning 2',
    breaks: 'An edit that was rolled back leaves no gap in the versions.',
    kind: 'copy',
    variant: breaks('versioning', 'versionAfterMerge', (right) => {
      const handedOut = new Map<string, number>();
      return (areas, object, body) => {
        const version = Math.max(right(areas, object, body), (handedOut.get(object.oid) ?? 0) + 1);
        handedOut.set(object.oid, version);
        return version;
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Part', { name: 'p' });
      const edit = { method: 'PATCH', href: editPath(made), body: { note: 'n' } };
      await edda.batch([{ ...edit, headers: { [headerNames.version]: '1' } }, edit]);
      return (await edda.merge(made, 1, { note: 'n' })).headers.get(headerNames.version) !== '2';
    },
  },
  'batch.operation-brings-its-own-filter': {
    source: 'core: Batch operation',
    breaks: 'The information filter is that of the batch request, whatever an operation says.',
    kind: 'role',
    variant: replaces('batch', 'operationHeaders', (right, areas, batch, operation) => {
      const own = areas.messages.headersOf(Object.entries(operation.headers).flat())[filterName];
      return { ...right(areas, batch, operation), ...(own !== undefined && { [filterName]: own }) };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', price: '1' });
      const time = '2032-02-03T04:05:06Z';
      const own = { [headerNames.informationFilter]: encoded({ time }) };
      return (await stampedIn(edda, made, own, {})) === time;
    },
  },
  'many.second-referrer-gets-nothing': {
    source: 'core: Multi-create rules 2',
    breaks: 'Several items may refer to one and the same.',
    kind: 'combination',
    variant: replaces('multiCreate', 'createItems', (right, areas, call, store, items, inputs) => {
      const taken = new Set<unknown>();
      const isFirst = (item: ArrayItem): boolean => {
        const oid = leadsTo(item);
        const isTaken = oid !== undefined && taken.has(oid);
        taken.add(oid);
        return !isTaken;
      };
      const once = inputs.map((input) => ({
        ...input,
        arrays: new Map([...input.arrays].map(([port, all]) => [port, all.filter(isFirst)])),
      }));
      return right(areas, call, store, items, once);
    }),
    async shows({ edda }) {
      const answer = await edda.multiCreate([part('p'), documentOf('d', ['p']), documentOf('e', ['p'])]);
      return listAt(await readCreated(edda, answer.json, 2), '/data/describes').length !== 1;
    },
  },
  'many.references-cost-a-version': {
    source: 'core: Versioning 2',
    breaks: 'An object that a multi-create made has version 1, with references as well.',
    kind: 'combination',
    variant: replaces('multiCreate', 'createItems', async (right, areas, call, store, items, inputs) => {
      await right(areas, call, store, items, inputs);
      for (const [index, { oid }] of items.entries()) {
        const refers = [...(inputs[index]?.arrays.values() ?? [])].flat().some((item) => leadsTo(item) !== undefined);
        const object = refers ? await store.object(call.space.id, oid) : undefined;
        if (object !== undefined) await store.updateObject(object.spaceId, oid, 2, object.content);
      }
    }),
    async shows({ edda }) {
      const answer = await edda.multiCreate([part('p'), documentOf('d', ['p'])]);
      return at(await readCreated(edda, answer.json, 1), '/version') !== 1;
    },
  },
};

/** Thought of with the documents alone in view: what was right before and is kept, what two features do to each other, and what is small only at first. */
export const tenth: Batch = {
  ...reading,
  ...writing,
  ...manyAtOnce,
  ...registered,
  ...deliveries,
};
