import { routes } from '../../../contract/routes.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import { isPort, nameOf } from '../../../reference-server/areas/operations.ts';
import type { Answer } from '../../../reference-server/http/call.ts';
import { Undone } from '../../../reference-server/http/refusal.ts';
import type { Content } from '../../../reference-server/ports/store.ts';
import { isoTime } from '../../../reference-server/rfc3339.ts';
import { breaks, replaces, together, within } from '../../breaks.ts';
import { awaitCalls, validator } from '../hosts.ts';
import type { Mistakes } from '../mistake.ts';
import {
  documentOf,
  documentsPath,
  filesOf,
  mergeOf,
  multiCreateOf,
  named,
  operationsOf,
  part,
  profilePath,
  promoteOf,
  promoteOne,
  putOf,
  tokenOf,
  withContacts,
} from '../proofs.ts';
import { at, encoded, listAt, many, versionHeader } from '../service.ts';
import {
  changes,
  during,
  isRefusal,
  leadsTo,
  mapEntries,
  mapTexts,
  perRun,
  perServer,
  whole,
} from '../variant-parts.ts';

const versionName = 'svc-uoiversion';

function withFloats(value: unknown): unknown {
  if (typeof value === 'number') return Math.fround(value);
  if (Array.isArray(value)) return value.map(withFloats);
  if (!isContent(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withFloats(member)]));
}

function withTenNested(content: Content): Content {
  return Object.fromEntries(
    Object.entries(content).map(([name, value]) => [name, Array.isArray(value) ? value.slice(0, 10) : value]),
  );
}

const firstContents = perServer(() => new Map<string, Content>());
const knownOids = perServer(() => new Set<string>());
const lastReads = perServer(() => new Map<string, { readonly version: number; readonly at: number }>());
const saltOf = perRun(() => String(Math.random()));

export const fresh16WritesMistakes: Mistakes = {
  'fresh16a.etag-per-process': {
    source: 'core: Versioning 4',
    breaks: 'A later GET of unchanged data gives 304, also after a restart.',
    variant: changes('caching', 'etagOf', (tag, areas) => `"${saltOf(areas)}${tag.slice(1, 20)}"`),
    async shows({ cora, restart }) {
      const etag = (await cora.get(profilePath)).headers.get('etag') ?? '';
      await restart();
      return (await cora.get(profilePath, { 'If-None-Match': etag })).status === 200;
    },
  },
  'fresh16a.token-reissued-after-expiry': {
    source: 'core: Authentication 3',
    breaks: 'The token of a grant is one that space routes accept.',
    variant: breaks('tokens', 'issueToken', (right) => {
      const kept = new Map<string, { readonly token: string; readonly until: number }>();
      return async (areas, user) => {
        const known = kept.get(user.name);
        if (known !== undefined && areas.clock.now() < known.until) return known.token;
        const token = await right(areas, user);
        const lifetime = areas.configuration.auth.tokenLifetimeSeconds + 300;
        kept.set(user.name, { token, until: areas.clock.now() + lifetime * 1000 });
        return token;
      };
    }),
    async shows(service) {
      const made = await service.edda.make('Document');
      await tokenOf(service, 'edda');
      await service.pass(3610);
      const authorization = `Bearer ${await tokenOf(service, 'edda')}`;
      return (await service.nobody.get(made.path, { authorization })).status === 401;
    },
  },
  'fresh16a.positive-role-cache': {
    source: 'core: Authentication 7',
    breaks: 'A role in one space allows nothing in another, also right after it was used.',
    variant: breaks('auth', 'mayUse', (right) => {
      const allowed = new Set<string>();
      return (areas, user, space, method) => {
        const key = `${user.name} ${method}`;
        if (right(areas, user, space, method)) allowed.add(key);
        return allowed.has(key);
      };
    }),
    async shows({ rita }) {
      await rita.make('Dossier');
      return (await rita.post(documentsPath, { title: 't' })).status === 201;
    },
  },
  'fresh16a.batch-foreign-object': {
    source: 'core: What the service does, space level; Errors 404',
    breaks: 'An operation of a batch finds objects of its own space only.',
    variant: replaces('dispatcher', 'carryOutWrite', async (right, areas, route, call, writing) => {
      try {
        return await right(areas, route, call, writing);
      } catch (error) {
        if (call.isSibling === undefined || call.method !== 'GET' || !isRefusal(error, 404)) throw error;
        for (const space of areas.configuration.spaces.values())
          if ((await writing.object(space.id, call.params['objectId'] ?? '')) !== undefined)
            return right(areas, route, { ...call, space }, writing);
        throw error;
      }
    }),
    async shows({ edda }) {
      const { oid } = await edda.make('Dossier');
      return (await edda.batch([{ method: 'GET', href: `/api/space/main/softtype/${oid}` }])).status === 200;
    },
  },
  'fresh16a.version-remembered-from-read': {
    source: 'core: Errors 1; Versioning 3',
    breaks: 'A promote is made for the version that the object has, not for the one that was read a moment ago.',
    variant: together(
      changes('instances', 'readInstance', (answer, areas, call) => {
        lastReads(areas).set(call.object.oid, { version: call.object.version, at: Date.now() });
        return answer;
      }),
      replaces('versioning', 'assertVersion', (right, areas, call, object) => {
        const last = lastReads(areas).get(object.oid);
        const isFresh = last !== undefined && Date.now() - last.at < 500;
        if (isFresh && call.params['levelId'] !== undefined && call.headers[versionName] === String(last.version))
          return object.version;
        return right(areas, call, object);
      }),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document');
      await edda.read(made);
      await edda.merge(made, 1, { note: 'n' });
      return (await edda.move(made, 1)).status < 300;
    },
  },
  'fresh16a.batch-version-header-inherited': {
    source: 'core: Batch operation, headers; Errors 2',
    breaks: 'An operation has the version from its own headers, not from those of the batch request.',
    variant: changes('batch', 'operationHeaders', (headers, _areas, batch) =>
      batch.headers[versionName] === undefined || headers[versionName] !== undefined
        ? headers
        : { ...headers, [versionName]: batch.headers[versionName] },
    ),
    async shows({ edda }) {
      const made = await edda.make('Document');
      const { headers: _headers, ...merge } = mergeOf(made, 1, { note: 'n' });
      return (await edda.post('/api/space/main/batch', [merge], versionHeader(1))).status === 200;
    },
  },
  'fresh16a.batch-headers-leak-to-next': {
    source: 'core: Batch operation, headers; Errors 2',
    breaks: 'Each operation has its own headers, and not the version of the one before it.',
    variant: breaks('batch', 'operationHeaders', (right) => {
      const last = new Map<string, string>();
      return (areas, batch, operation) => {
        const headers = right(areas, batch, operation);
        const own = headers[versionName] ?? last.get(batch.correlationId);
        if (own === undefined) return headers;
        last.set(batch.correlationId, own);
        return { ...headers, [versionName]: own };
      };
    }),
    async shows({ edda }) {
      const one = await edda.make('Document');
      const other = await edda.make('Document');
      const { headers: _headers, ...merge } = mergeOf(other, 1, { note: 'n' });
      return (await edda.batch([mergeOf(one, 1, { note: 'n' }), merge])).status === 200;
    },
  },
  'fresh16a.batch-promote-takes-old-content': {
    source: 'core: Batch rules 1; States and transitions',
    breaks: 'A promote keeps what an operation before it in the batch has edited.',
    variant: together(
      replaces('batch', 'runBatch', (right, areas, call, writing, table) => {
        firstContents(areas).clear();
        return right(areas, call, writing, table);
      }),
      during('batch', 'runBatch', (step) =>
        replaces('versioning', 'storeEdit', (right, areas, writing, object, version, content) => {
          const all = firstContents(areas);
          const first = all.get(object.oid) ?? object.content;
          if (!step.isOn()) return right(areas, writing, object, version, content);
          all.set(object.oid, first);
          const isMove = JSON.stringify(content['$states']) !== JSON.stringify(object.content['$states']);
          return right(areas, writing, object, version, isMove ? { ...first, $states: content['$states'] } : content);
        }),
      ),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document');
      await edda.batch([mergeOf(made, 1, { note: 'n' }), promoteOf(made, 2)]);
      return at(await edda.read(made), '/data/note') === undefined;
    },
  },
  'fresh16a.batch-results-last-version': {
    source: 'core: Batch result, body',
    breaks: 'The version in a result is the one that its operation made.',
    variant: replaces('batch', 'batchAnswer', (right, areas, results) => {
      const last = new Map<unknown, unknown>();
      for (const { body } of results)
        if (at(body, '/data') === undefined && at(body, '/href') !== undefined)
          last.set(at(body, '/href'), at(body, '/version'));
      return right(
        areas,
        results.map((result) =>
          isContent(result.body) && 'version' in result.body && last.has(result.body['href'])
            ? { ...result, body: { ...result.body, version: last.get(result.body['href']) } }
            : result,
        ),
      );
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      const { json } = await edda.batch([mergeOf(made, 1, { note: 'n' }), mergeOf(made, 2, { note: 'm' })]);
      return at(json, '/0/body/version') !== 2;
    },
  },
  'fresh16a.batch-equal-creates-once': {
    source: 'core: Batch rules 5',
    breaks: 'Every create of a batch creates, also where two are alike.',
    variant: breaks('batch', 'runOperation', (right) => {
      const seen = new WeakMap<object, Map<string, ReturnType<typeof right>>>();
      return (areas, batch, writing, table, operation, index) => {
        const key = JSON.stringify(operation);
        if (batch.body === undefined || at(operation, '/method') !== 'POST')
          return right(areas, batch, writing, table, operation, index);
        const known = seen.get(batch.body) ?? new Map<string, ReturnType<typeof right>>();
        seen.set(batch.body, known);
        const outcome = known.get(key) ?? right(areas, batch, writing, table, operation, index);
        known.set(key, outcome);
        return outcome;
      };
    }),
    async shows({ edda }) {
      const create = { method: 'POST', href: documentsPath, body: { title: 'same' } };
      const { json } = await edda.batch([create, create]);
      return at(json, '/0/body/href') === at(json, '/1/body/href');
    },
  },
  'fresh16a.batch-multi-create-by-reader': {
    source: 'core: Authentication 6; Batch rules 4',
    breaks: 'A multi-create in a batch is allowed to whom it is allowed by itself.',
    variant: replaces('batch', 'carryOutOperation', (right, areas, prepared, writing) =>
      prepared.route.path === routes.multiCreate
        ? areas.dispatcher.carryOutWrite(prepared.route, prepared.call, writing)
        : right(areas, prepared, writing),
    ),
    async shows({ rita }) {
      return (await rita.batch([multiCreateOf([part('a')])])).status === 200;
    },
  },
  'fresh16a.batch-put-keeps-arrays': {
    source: 'core: Batch rules 5; Endpoint table, PUT',
    breaks: 'A PUT in a batch removes what its body leaves out, arrays too.',
    variant: during('batch', 'runBatch', (step) =>
      replaces('editing', 'arraysAfterPut', (right, areas, softType, given) =>
        step.isOn() ? given : right(areas, softType, given),
      ),
    ),
    async shows({ edda }) {
      const made = await withContacts(edda, 2);
      await edda.batch([putOf(made, 1, { title: 'u' })]);
      return listAt(await edda.read(made), '/data/contacts').length === 2;
    },
  },
  'fresh16a.batch-unsupported-keeps-the-rest': {
    source: 'core: Batch rules 1',
    breaks:
      'A batch is rolled back whatever its failing operation fails for, a route that batches do not know included.',
    variant: replaces('batch', 'runBatch', async (right, areas, call, writing, table) => {
      try {
        return await right(areas, call, writing, table);
      } catch (error) {
        if (!(error instanceof Undone)) throw error;
        if (!listAt(error.answer.body, '').some((result) => at(result, '/statusCode') === 400)) throw error;
        return error.answer;
      }
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      await edda.batch([mergeOf(made, 1, { note: 'n' }), { method: 'GET', href: '/api/collection/health' }]);
      return at(await edda.read(made), '/data/note') === 'n';
    },
  },
  'fresh16a.put-keeps-dated': {
    source: 'core: Endpoint table, PUT',
    breaks: 'A PUT removes every field that is absent from the body, a dated one too.',
    variant: changes('editing', 'replaceContent', (content, _areas, old) => {
      const dated = Object.entries(old).filter(([, value]) => isContent(value) && 'effectivity' in value);
      return { ...Object.fromEntries(dated), ...content };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { price: '10' });
      await edda.replace(made, 1, { title: 'u' });
      return at(await edda.read(made), '/data/price') !== undefined;
    },
  },
  'fresh16a.put-keeps-later-pages': {
    source: 'core: Endpoint table, PUT',
    breaks: 'The entries of a PUT are all that the array has afterwards, whatever lay beyond its first page.',
    variant: during('editing', 'putObject', (step) =>
      replaces('editing', 'replaceArray', async (right, areas, writing, oid, port, items) => {
        if (!step.isOn() || items.length === 0 || items.length > 10) return right(areas, writing, oid, port, items);
        const later = await writing.entries(oid, port, { ...whole, from: 10 });
        const ids = new Set(items.map(({ entryId }) => entryId));
        return right(areas, writing, oid, port, [...items, ...later.filter(({ entryId }) => !ids.has(entryId))]);
      }),
    ),
    async shows({ edda }) {
      const made = await withContacts(edda, 12);
      await edda.replace(made, 1, { title: 'u', contacts: named(3) });
      return listAt(await edda.read(made), '/data/contacts').length !== 3;
    },
  },
  'fresh16a.float32-in-entries': {
    source: 'core: SoftType read response, data',
    breaks: 'A number inside an entry is read as it was written.',
    variant: changes('contents', 'inputFrom', (input) =>
      mapEntries(input, (entries) =>
        entries.map((entry) => ({ ...entry, content: withFloats(entry.content) as Content })),
      ),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: [{ name: 'n', scale: 0.1 }] });
      return at(await edda.read(made), '/data/files/0/scale') !== 0.1;
    },
  },
  'fresh16a.line-ends-in-added-entries': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'The value that an operation appends is the one that is read, its line ends included.',
    variant: replaces('operations', 'appendToPort', (right, areas, run, target, contents) =>
      right(areas, run, target, mapTexts(contents, (text) => text.replaceAll('\r\n', '\n')) as readonly Content[]),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document');
      await edda.operate(made, 1, [{ op: 'add', path: '/files', value: { name: 'a\r\nb' } }]);
      return at(await edda.read(made), '/data/files/0/name') !== 'a\r\nb';
    },
  },
  'fresh16a.location-by-input-schema': {
    source: 'core: Common request headers, Location',
    breaks: 'The Location of a created object is its URI, whichever input schema it was created with.',
    variant: changes('editing', 'createObject', (answer, _areas, call) => {
      const { softType, view } = call.place;
      if (view.id === softType.inputs.keys().next().value) return answer;
      const location = answer.headers?.['Location'] ?? '';
      const Location = location.replace('/softtype/', `/softtype/${softType.id}/${view.id}/`);
      return { ...answer, headers: { ...answer.headers, Location } };
    }),
    async shows({ edda }) {
      const { headers } = await edda.post('/api/space/main/softtype/Document/documentBrief', { title: 't' });
      return (await edda.get(headers.get('location') ?? '')).status === 404;
    },
  },
  'fresh16a.multi-create-existing-oid-wins': {
    source: 'core: Multi-create item, $id',
    breaks: 'An instanceRef means the item with that $id, also where an object of that id is there already.',
    variant: together(
      changes('editing', 'newOid', (oid, areas) => {
        knownOids(areas).add(oid);
        return oid;
      }),
      changes('multiCreate', 'storedTarget', (oid, areas, item) =>
        item.$id !== undefined && knownOids(areas).has(item.$id) ? item.$id : oid,
      ),
    ),
    async shows({ edda }) {
      const { oid } = await edda.make('Part');
      const { json } = await edda.multiCreate([part(oid), documentOf('d', [oid])]);
      const made = await edda.get(String(at(json, '/1/href')));
      return at(made.json, '/data/describes/0/value/$oid') === oid;
    },
  },
  'fresh16a.multi-create-without-states': {
    source: 'core: States and transitions; Multi-create rules 1',
    breaks: 'An instance of a multi-create carries its current states, and is promoted as any other.',
    variant: during('multiCreate', 'createItems', (step) =>
      replaces('editing', 'startContent', (right, areas, softType) => (step.isOn() ? {} : right(areas, softType))),
    ),
    async shows({ edda }) {
      const { json } = await edda.multiCreate([documentOf('d', [])]);
      const made = await edda.get(String(at(json, '/0/href')));
      return at(made.json, '/data/engineering') === undefined;
    },
  },
  'fresh16a.multi-create-equal-at-once': {
    source: 'core: Multi-create rules 1',
    breaks: 'Each of two multi-creates that are alike creates its instances, also when they come at the same time.',
    variant: breaks('dispatcher', 'carryOut', (right) => {
      const pending = new Map<string, Promise<Answer>>();
      return async (areas, route, call) => {
        if (route.path !== routes.multiCreate || route.method !== 'POST') return right(areas, route, call);
        const key = `${call.headers['authorization']} ${call.url} ${String(call.body)}`;
        const answer = pending.get(key) ?? right(areas, route, call);
        pending.set(key, answer);
        try {
          return await answer;
        } finally {
          setTimeout(() => pending.delete(key), 15);
        }
      };
    }),
    async shows({ edda }) {
      const both = await Promise.all([edda.multiCreate([part('a')]), edda.multiCreate([part('a')])]);
      return at(both[0].json, '/0/href') === at(both[1].json, '/0/href');
    },
  },
  'fresh16a.multi-create-ten-references': {
    source: 'core: Multi-create rules 2',
    breaks: 'All references of an item are made, beyond the tenth too.',
    variant: replaces('multiCreate', 'createItems', (right, areas, call, writing, items, inputs) =>
      right(
        areas,
        call,
        writing,
        items,
        inputs.map((input) =>
          mapEntries(input, (entries) => (entries.some((entry) => leadsTo(entry)) ? entries.slice(0, 10) : entries)),
        ),
      ),
    ),
    async shows({ edda }) {
      const names = many(11, (n) => `p${n}`);
      const { json } = await edda.multiCreate([...names.map((name) => part(name)), documentOf('d', names)]);
      const made = await edda.get(String(at(json, '/11/href')));
      return (
        at(
          listAt(made.json, '/links').find((link) => at(link, '/rel') === 'page'),
          '/totalNumber',
        ) !== 11
      );
    },
  },
  'fresh16a.multi-create-first-fifty': {
    source: 'core: Multi-create rules 3',
    breaks: 'A multi-create that is refused for its length creates nothing.',
    variant: replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
      try {
        return await right(areas, route, call);
      } catch (error) {
        const items = listAt(JSON.parse(String(call.body ?? 'null')), '');
        if (route.path === routes.multiCreate && items.length > 50)
          await right(areas, route, { ...call, body: Buffer.from(JSON.stringify(items.slice(0, 50))) });
        throw error;
      }
    }),
    async shows({ edda }) {
      await edda.multiCreate(many(51, (n) => part(`x${n}`, 'fifty-one')));
      const { json } = await edda.get('/api/space/main/instances/Part?text=fifty-one');
      return listAt(json, '/data').length > 0;
    },
  },
  'fresh16a.add-over-falsy': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'An add on a member that exists fails, also where its value is 0.',
    variant: replaces('operations', 'addValue', (right, areas, run, target, value, pointer) =>
      right(
        areas,
        run,
        target.kind === 'member' && !target.value ? { ...target, value: undefined } : target,
        value,
        pointer,
      ),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { pageCount: 0 });
      return (await edda.operate(made, 1, [{ op: 'add', path: '/pageCount', value: 3 }])).status < 300;
    },
  },
  'fresh16a.emptied-entry-removed': {
    source: 'core: Operations-based PATCH rules 8',
    breaks: 'An entry that complies stays, also when its last member was removed.',
    variant: changes(
      'operations',
      'complies',
      (complies, _areas, _members, content) => complies && Object.keys(content).some((name) => !name.startsWith('$')),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { contacts: [{ role: 'r' }] });
      const id = String(at(await edda.read(made), '/data/contacts/0/$entryId'));
      await edda.operate(made, 1, [{ op: 'remove', path: `/contacts/${id}/role` }]);
      return listAt(await edda.read(made), '/data/contacts').length === 0;
    },
  },
  'fresh16a.cascade-ends-the-list': {
    source: 'core: Operations-based PATCH rules 2 and 8',
    breaks: 'Operations behind one that removed a parent are applied too.',
    variant: (classes) => {
      const ended = new WeakSet<object>();
      return together(
        replaces('operations', 'cascadeTo', (right, areas, run, entry) => {
          ended.add(run.call);
          return right(areas, run, entry);
        }),
        replaces('operations', 'applyOperation', async (right, areas, run, operation, pointer) => {
          if (!ended.has(run.call)) await right(areas, run, operation, pointer);
        }),
      )(classes);
    },
    async shows({ edda }) {
      const made = await edda.make('Document', { files: filesOf(1) });
      const id = String(at(await edda.read(made), '/data/files/0/$entryId'));
      await edda.operate(made, 1, [
        { op: 'remove', path: `/files/${id}/name` },
        { op: 'add', path: '/note', value: 'n' },
      ]);
      return at(await edda.read(made), '/data/note') === undefined;
    },
  },
  'fresh16a.dated-in-batch-by-clock': {
    source: 'core: Operations-based PATCH rules 7; Batch operation, headers',
    breaks: 'A replace in a batch stamps the date of the information filter of the batch.',
    variant: replaces('contents', 'effectivityOf', (right, areas, call) =>
      'isSibling' in call ? isoTime(areas.clock.now()) : right(areas, call),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { price: '10' });
      const time = '2020-01-01T00:00:00Z';
      await edda.post(
        '/api/space/main/batch',
        [operationsOf(made, 1, [{ op: 'replace', path: '/price', value: '11' }])],
        {
          'Svc-InformationFilter': encoded({ time }),
        },
      );
      return Date.parse(String(at(await edda.read(made), '/data/price/effectivity'))) !== Date.parse(time);
    },
  },
  'fresh16a.dated-loses-offset': {
    source: 'core: Operations-based PATCH rules 7',
    breaks: 'The date that is stamped is the one of the information filter, its offset included.',
    variant: changes('contents', 'effectivityOf', (time) => time.replace(/[+-]\d\d:\d\d$/, 'Z')),
    async shows({ edda }) {
      const made = await edda.make('Document', { price: '10' });
      const time = '2024-03-01T00:30:00+02:00';
      await edda.operate(made, 1, [{ op: 'replace', path: '/price', value: '11' }], { time });
      return Date.parse(String(at(await edda.read(made), '/data/price/effectivity'))) !== Date.parse(time);
    },
  },
  'fresh16a.filter-kept-for-a-user': {
    source: 'core: Operations-based PATCH rules 7; Information filter',
    breaks:
      'Each request is viewed by the information filter that it brings, not by the one that its user sent before.',
    variant: breaks('contents', 'effectivityOf', (right) => {
      const kept = new Map<unknown, { readonly time: string; readonly at: number }>();
      return (areas, call) => {
        const user = at(call, '/user/name');
        const known = kept.get(user);
        if (known !== undefined && Date.now() - known.at < 1000) return known.time;
        const time = right(areas, call);
        kept.set(user, { time, at: Date.now() });
        return time;
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { price: '10' });
      for (const [index, time] of ['2020-01-01T00:00:00Z', '2021-01-01T00:00:00Z'].entries())
        await edda.operate(made, index + 1, [{ op: 'replace', path: '/price', value: `${index}` }], { time });
      return !String(at(await edda.read(made), '/data/price/effectivity')).startsWith('2021');
    },
  },
  'fresh16a.added-entry-ten-nested': {
    source: 'core: Operations-based PATCH rules 5 and 6',
    breaks: 'An object that is appended is kept whole, with more than ten entries in an array inside it.',
    variant: replaces('operations', 'appendToPort', (right, areas, run, target, contents) =>
      right(areas, run, target, contents.map(withTenNested)),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document');
      const value = { name: 'n', revisions: many(12, (n) => ({ text: `r${n}` })) };
      await edda.operate(made, 1, [{ op: 'add', path: '/files', value }]);
      const id = String(at(await edda.read(made), '/data/files/0/$entryId'));
      return listAt((await edda.page(made, `files/${id}/revisions`, 1)).json, '/data').length !== 2;
    },
  },
  'fresh16a.correlation-cut-to-guid': {
    source: 'core: Common request headers, X-Correlation-Id',
    breaks: 'A correlation id is passed on whole, longer than a GUID as well.',
    variant: replaces('dispatcher', 'carryOut', (right, areas, route, call) =>
      right(areas, route, { ...call, correlationId: call.correlationId.slice(0, 36) }),
    ),
    async shows(service) {
      const host = await service.host([validator]);
      const id = 'c'.repeat(40);
      await promoteOne(service, { 'X-Correlation-Id': id });
      const [call] = await awaitCalls(host);
      return call?.correlationId !== id;
    },
  },
  'fresh16a.promote-of-second-level-keeps-version': {
    source: 'core: Versioning 2; States and transitions',
    breaks: 'A promote raises the version, on whichever level.',
    variant: replaces('maturity', 'promoteObject', (right, areas, call, writing) =>
      right(
        call.params['levelId'] === 'engineering'
          ? areas
          : within(areas, { maturity: { versionAfterPromote: ({ version }) => version } }),
        call,
        writing,
      ),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document');
      await edda.move(made, 1, 'promote', 'approval');
      return at(await edda.read(made), '/version') === 1;
    },
  },
  'fresh16a.promote-of-second-type-without-move': {
    source: 'core: States and transitions',
    breaks: 'A promote moves the state of its level, for every SoftType that goes through the process.',
    variant: replaces('maturity', 'promoteObject', (right, areas, call, writing) =>
      right(
        call.object.softType === 'Document'
          ? areas
          : within(areas, { maturity: { contentInState: (content) => content } }),
        call,
        writing,
      ),
    ),
    async shows({ edda }) {
      const made = await edda.make('ChangeRequest');
      await edda.move(made, 1);
      return at(await edda.read(made), '/data/engineering/state') === 'draft';
    },
  },
  'fresh16a.merge-restarts-entry-ids-in-nested': {
    source: 'core: Operations-based PATCH rules 4; System properties, $entryId',
    breaks: 'An id addresses one entry: what is appended to an array inside an entry has one that no other has.',
    variant: replaces('operations', 'applyOperation', async (right, areas, run, operation, pointer) => {
      await right(areas, run, operation, pointer);
      const port = operation.tokens[0] ?? '';
      if (operation.op !== 'add' || operation.tokens.length < 3) return;
      for (const entry of await run.writing.entries(run.object.oid, port, whole)) {
        const changed = Object.entries(entry.content).map(([name, value]) => {
          if (!Array.isArray(value) || value.length < 2) return [name, value] as const;
          const last: unknown = value.at(-1);
          return [name, [...value.slice(0, -1), { ...Object(last), $entryId: value.length - 1 }]] as const;
        });
        await run.writing.updateEntry(run.object.oid, port, entry.entryId, Object.fromEntries(changed));
      }
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: [{ name: 'n', revisions: [{ text: 'a' }] }] });
      const id = String(at(await edda.read(made), '/data/files/0/$entryId'));
      await edda.operate(made, 1, [{ op: 'add', path: `/files/${id}/revisions`, value: { text: 'b' } }]);
      const ids = listAt(await edda.read(made), '/data/files/0/revisions').map((entry) => at(entry, '/$entryId'));
      return new Set(ids).size < 2;
    },
  },
  'fresh16a.remove-in-array-of-references-empties-it': {
    source: 'core: Operations-based PATCH rules 9',
    breaks: 'Removing an entry of an array of references removes that one alone.',
    variant: replaces('operations', 'removeTarget', async (right, areas, run, target) => {
      if (target.kind === 'entry' && target.member.kind === 'references' && target.row.entry !== undefined)
        return run.writing.replaceEntries(run.object.oid, target.row.entry.port, []);
      return right(areas, run, target);
    }),
    async shows({ edda }) {
      const [one, other] = [await edda.make('Part'), await edda.make('Part')];
      const describes = [one, other].map(({ oid }) => ({ value: { $oid: oid } }));
      const made = await edda.make('Document', { describes });
      const id = String(at(await edda.read(made), '/data/describes/0/$entryId'));
      await edda.operate(made, 1, [{ op: 'remove', path: `/describes/${id}/` }]);
      return listAt(await edda.read(made), '/data/describes').length === 0;
    },
  },
  'fresh16a.add-entry-beside-open-page': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'What is appended is the last entry, also where the array has more than one page.',
    variant: replaces('operations', 'appendToPort', async (right, areas, run, target, contents) => {
      await right(areas, run, target, contents);
      if (!isPort(target)) return;
      const port = nameOf(target);
      const all = await run.writing.entries(run.object.oid, port, whole);
      if (all.length <= 10 + contents.length) return;
      const fresh = all.slice(-contents.length);
      const old = all.slice(0, -contents.length);
      await run.writing.replaceEntries(run.object.oid, port, [...old.slice(0, 10), ...fresh, ...old.slice(10)]);
    }),
    async shows({ edda }) {
      const made = await withContacts(edda, 12);
      await edda.operate(made, 1, [{ op: 'add', path: '/contacts', value: { name: 'late' } }]);
      return at((await edda.page(made, 'contacts', 1)).json, '/data/2/name') !== 'late';
    },
  },
  'fresh16a.demote-of-a-stale-version': {
    source: 'core: Errors 1; Versioning 3',
    breaks: 'A demote in a batch is compared with the version of the object, as every other PUT.',
    variant: replaces('versioning', 'assertVersion', (right, areas, call, object) =>
      'isSibling' in call && call.url.includes('/demote/') && call.headers[versionName] !== undefined
        ? object.version
        : right(areas, call, object),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document');
      await edda.move(made, 1);
      const demote = { ...promoteOf(made, 1), href: promoteOf(made, 1).href.replace('/promote/', '/demote/') };
      return (await edda.batch([demote])).status === 200;
    },
  },
};
