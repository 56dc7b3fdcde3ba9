import { headerNames, mediaTypes } from '../../../contract/names.ts';
import { entryIdMember, isContent, itemsOf } from '../../../reference-server/areas/content.ts';
import type { OperationsRun } from '../../../reference-server/areas/operations.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import type { Content } from '../../../reference-server/ports/store.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Mistakes } from '../mistake.ts';
import { named, operationsOf } from '../proofs.ts';
import { at, listAt, many, operationsPath, versionHeader } from '../service.ts';
import { changes, during } from '../variant-parts.ts';

export const operationsMistakes: Mistakes = {
  'operations.in-the-order-of-the-first': {
    source: 'core: Operations-based PATCH rules 2',
    breaks: 'The members of an operation may stand in another order than those of the one before it.',
    variant: replaces('operations', 'operationsOf', (right, areas, body) => {
      if (!Array.isArray(body)) return right(areas, body);
      const [first] = body;
      const order = isContent(first) ? Object.keys(first) : [];
      const misread = body.map((item: unknown) => {
        if (!isContent(item) || Object.keys(item).toSorted().join() !== order.toSorted().join()) return item;
        const values = Object.values(item);
        return Object.fromEntries(order.map((name, index) => [name, values[index]]));
      });
      return right(areas, misread);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      const second = { value: 'b', path: '/remark', op: 'add' };
      return (await edda.operate(made, 1, [{ op: 'add', path: '/note', value: 'a' }, second])).status >= 300;
    },
  },
  'operations.inner-entries-by-their-id-alone': {
    source: 'core: Patch operation, path',
    breaks: 'A path leads to the entry inside the one that it names, and not to one of the same id inside another.',
    variant: replaces('operations', 'targetOf', async (right, areas, run, operation) => {
      const [port = '', , inner = '', id = '', ...rest] = operation.tokens;
      const entries = id === '' ? [] : await run.writing.entries(run.object.oid, port, { from: 0, to: 1000 });
      const holder = entries.find(({ content }) =>
        itemsOf(content, inner).some((item) => String(item[entryIdMember]) === id),
      );
      const tokens = holder === undefined ? operation.tokens : [port, String(holder.entryId), inner, id, ...rest];
      return right(areas, run, { ...operation, tokens });
    }),
    async shows({ edda }) {
      const files = ['a', 'b'].map((name) => ({ name, revisions: [{ text: name }] }));
      const made = await edda.make('Document', { files });
      const read = await edda.read(made);
      const [file, revision] = [at(read, '/data/files/1/$entryId'), at(read, '/data/files/1/revisions/0/$entryId')];
      const path = `/files/${String(file)}/revisions/${String(revision)}/text`;
      await edda.operate(made, 1, [{ op: 'replace', path, value: 'c' }]);
      return at(await edda.read(made), '/data/files/0/revisions/0/text') === 'c';
    },
  },
  'operations.the-same-once-more': {
    source: 'core: Patch operation, op',
    breaks: 'Each add of a list appends, also one that says the same as another of the list.',
    variant: replaces('operations', 'applyOperations', (right, areas, run, operations) => {
      const kept = new Map(operations.map((operation) => [JSON.stringify(operation), operation]));
      return right(areas, run, [...kept.values()]);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      const add = { op: 'add', path: '/files', value: { name: 'same' } };
      await edda.operate(made, 1, [add, add]);
      return listAt(await edda.read(made), '/data/files').length === 1;
    },
  },
  'operations.references-by-position': {
    source: 'core: Patch operation, path',
    breaks: 'An entry of an array is addressed by its id, also a reference.',
    variant: replaces('operations', 'entryAt', async (right, areas, run, port, token) => {
      if (run.softType.members.get(port)?.kind !== 'references') return right(areas, run, port, token);
      const position = Number(token) - 1;
      const [entry] = await run.writing.entries(run.object.oid, port, { from: position, to: position + 1 });
      return entry;
    }),
    async shows({ edda }) {
      const parts = [];
      for (const name of ['a', 'b', 'c']) parts.push(await edda.make('Part', { name }));
      const describes = parts.map(({ oid }) => ({ value: { $oid: oid } }));
      const made = await edda.make('Document', { describes });
      const ids = listAt(await edda.read(made), '/data/describes').map((entry) => String(at(entry, '/$entryId')));
      await edda.operate(made, 1, [{ op: 'remove', path: `/describes/${ids[0]}/` }]);
      await edda.operate(made, 2, [{ op: 'remove', path: `/describes/${ids[1]}/` }]);
      const left = listAt(await edda.read(made), '/data/describes').map((entry) => String(at(entry, '/$entryId')));
      return left.join() !== ids[2];
    },
  },
  'operations.output-name-for-a-removal': {
    source: 'core: Patch operation, path',
    breaks: 'A path has the names of the input schema, that of a removal too.',
    variant: replaces('operations', 'targetOf', (right, areas, run, operation) => {
      const [first = '', ...rest] = operation.tokens;
      const [output] = run.softType.outputs.values();
      const canonical = output?.names.get(first);
      const isOutputName = operation.op === 'remove' && canonical !== undefined && !run.view.names.has(first);
      return right(areas, run, isOutputName ? { ...operation, tokens: [canonical, ...rest] } : operation);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { label: 'l' });
      return (await edda.operate(made, 1, [{ op: 'remove', path: '/displayLabel' }])).status < 400;
    },
  },
  'operations.test-passes-behind-the-first': {
    source: 'core: Patch operation, op',
    breaks: 'An operation that is none of the three makes the list fail, behind others as well.',
    variant: replaces('operations', 'operationsOf', (right, areas, body) =>
      right(
        areas,
        Array.isArray(body) ? body.filter((item, index) => index === 0 || at(item, '/op') !== 'test') : body,
      ),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document');
      const operations = [
        { op: 'replace', path: '/title', value: 'u' },
        { op: 'test', path: '/title', value: 'something else' },
      ];
      return (await edda.operate(made, 1, operations)).status < 300;
    },
  },
  'operations.three-digit-entries': {
    source: 'core: Patch operation (array item of an operations-based PATCH)',
    breaks: 'A path addresses an entry by its id, however many digits that has.',
    variant: replaces('operations', 'entryAt', async (right, areas, run, port, token) =>
      token.length > 2 ? undefined : right(areas, run, port, token),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { contacts: named(101) });
      const id = String(at((await edda.page(made, 'contacts', 10)).json, '/data/0/$entryId'));
      const answer = await edda.operate(made, 1, [{ op: 'replace', path: `/contacts/${id}/name`, value: 'n' }]);
      return answer.status >= 400;
    },
  },
  'operations.removed-object-is-emptied': {
    source: 'core: Patch operation, op',
    breaks: 'After an object member was removed it does not exist, and can be added.',
    variant: replaces('operations', 'removeTarget', (right, areas, run, target) => {
      const isWhole = target.kind === 'member' && target.member.kind === 'object' && target.steps.length === 1;
      return isWhole && isContent(target.value)
        ? areas.operations.setMember(run, target, {})
        : right(areas, run, target);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { dimensions: { width: '1' } });
      await edda.operate(made, 1, [{ op: 'remove', path: '/dimensions' }]);
      const added = await edda.operate(made, 2, [{ op: 'add', path: '/dimensions', value: { width: '2' } }]);
      return added.status >= 400;
    },
  },
  'operations.entry-of-the-array-before': {
    source: 'core: Patch operation, path',
    breaks: 'A path leads to the entry of its own array, also where a list named one with that id in another array.',
    variant: breaks('operations', 'entryAt', (right) => {
      const runs = new WeakMap<OperationsRun, Map<string, string>>();
      return (areas, run, port, token) => {
        const ports = runs.get(run) ?? new Map<string, string>();
        runs.set(run, ports.set(token, ports.get(token) ?? port));
        return right(areas, run, ports.get(token) ?? port, token);
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', {
        files: [{ name: 'f', comment: 'c' }],
        contacts: [{ name: 'n', role: 'r' }],
      });
      const read = await edda.read(made);
      const [file, contact] = ['files', 'contacts'].map((port) => String(at(read, `/data/${port}/0/$entryId`)));
      await edda.operate(made, 1, [
        { op: 'replace', path: `/files/${file}/comment`, value: 'd' },
        { op: 'replace', path: `/contacts/${contact}/name`, value: 'm' },
      ]);
      return at(await edda.read(made), '/data/contacts/0/role') === undefined;
    },
  },
  'operations.remove-with-value-in-a-batch': {
    source: 'core: Patch operation, row value',
    breaks: 'A remove with a value is refused, also as an operation of a batch.',
    variant: during('batch', 'runBatch', (batch) =>
      replaces('operations', 'operationOf', (right, areas, item, place) => {
        if (!batch.isOn() || !isContent(item) || item['op'] !== 'remove') return right(areas, item, place);
        return right(areas, { op: item['op'], path: item['path'] }, place);
      }),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { note: 'n' });
      const { status } = await edda.batch([operationsOf(made, 1, [{ op: 'remove', path: '/note', value: 'n' }])]);
      return status === 200;
    },
  },
  'operations.names-of-the-data': {
    source: 'core: Patch operation, path',
    breaks: 'A path names what the input schema names, and not what the data call it.',
    variant: replaces('operations', 'targetOf', (right, areas, run, operation) => {
      const [first = '', ...rest] = operation.tokens;
      const [output] = run.softType.outputs.values();
      const name = run.view.names.has(first) ? first : (output?.names.get(first) ?? first);
      return right(areas, run, { ...operation, tokens: [name, ...rest] });
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      return (await edda.operate(made, 1, [{ op: 'add', path: '/displayLabel', value: 'l' }])).status < 300;
    },
  },
  'operations.falsy-value-is-none': {
    source: 'core: Patch operation, value',
    breaks: 'An add carries the value that it names, be it false, zero or an empty text.',
    museum: true,
    variant: replaces('operations', 'operationOf', (right, areas, item, place) =>
      right(areas, isContent(item) && item['op'] !== 'remove' && !item['value'] ? without(item, 'value') : item, place),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document');
      const { status } = await edda.operate(made, 1, [{ op: 'add', path: '/confidential', value: false }]);
      return status >= 400;
    },
  },
  'operations.unknown-one-passed-over': {
    source: 'core: Patch operation',
    breaks: 'An operation is add, replace or remove; a list with another one is not carried out.',
    variant: replaces('operations', 'operationsOf', (right, areas, body) => {
      const known = listAt(body, '').filter((item) => ['add', 'replace', 'remove'].includes(String(at(item, '/op'))));
      return right(areas, Array.isArray(body) ? known : body);
    }),
    async shows(service) {
      const edda = service.edda;
      const made = await edda.make('Document', { note: 'n' });
      const operations = [
        { op: 'replace', path: '/title', value: 'u' },
        { op: 'increment', path: '/pageCount', value: 1 },
      ];
      return (await edda.operate(made, 1, operations)).status < 400;
    },
  },
  'operations.replace-by-the-same': {
    source: 'core: Patch operation, op',
    breaks: 'A value may be replaced by one that is equal to it.',
    variant: replaces('operations', 'replaceValue', async (right, areas, run, target, value, place) => {
      if (target.kind === 'member' && target.value === value) throw new Refusal(422, 'Nothing would change.');
      return right(areas, run, target, value, place);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      return (await edda.operate(made, 1, [{ op: 'replace', path: '/title', value: 't' }])).status >= 300;
    },
  },
  'operations.add-of-nothing': {
    source: 'core: Patch operation, value',
    breaks: 'An add needs a value, also where an entry without any member would do.',
    variant: replaces('operations', 'operationOf', (right, areas, item, pointer) => {
      const isBare = isContent(item) && item['op'] === 'add' && !('value' in item);
      return right(areas, isBare ? { ...item, value: {} } : item, pointer);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      return (await edda.operate(made, 1, [{ op: 'add', path: '/contacts' }])).status < 400;
    },
  },
  'operations.twice-with-two-roles': {
    source: 'core: Endpoint table, PATCH (operations)',
    breaks: 'A list of operations is applied once, also for a user who holds a role on two participants.',
    variant: replaces('operations', 'appendToPort', async (right, areas, run, target, contents) => {
      for (const _role of areas.auth.rolesOf(run.call.user, run.call.space)) await right(areas, run, target, contents);
    }),
    async shows({ emil }) {
      const made = await emil.make('Document');
      await emil.operate(made, 1, [{ op: 'add', path: '/files/-', value: { name: 'n' } }]);
      return listAt(await emil.read(made), '/data/files').length !== 1;
    },
  },
  'versioning.one-for-each-operation': {
    source: 'core: Endpoint table, PATCH (operations)',
    breaks: 'A list of operations is one edit, and the version one more.',
    variant: replaces(
      'versioning',
      'versionAfterOperations',
      (right, areas, object, operations) => right(areas, object, operations) + Math.max(0, operations.length - 1),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'three' });
      const operations = ['note', 'remark', 'label'].map((name) => ({ op: 'add', path: `/${name}`, value: name }));
      return (await edda.operate(made, 1, operations)).headers.get('svc-uoiversion') !== '2';
    },
  },
  'operations.list-sent-again': {
    source: 'core: Endpoint table, PATCH (operations)',
    breaks: 'Every accepted list of operations is carried out, also one that reads as the one before.',
    variant: breaks('operations', 'applyOperations', (right) => {
      const last = new Map<string, string>();
      return async (areas, run, operations) => {
        const text = JSON.stringify(operations);
        if (last.get(run.object.oid) === text) return;
        await right(areas, run, operations);
        last.set(run.object.oid, text);
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'again' });
      const add = { op: 'add', path: '/contacts', value: { name: 'same' } };
      await edda.operate(made, 1, [add]);
      await edda.operate(made, 2, [add]);
      return listAt(await edda.read(made), '/data/contacts').length !== 2;
    },
  },
  'versioning.operations-in-a-batch': {
    source: 'core: Endpoint table, PATCH (operations)',
    breaks: 'Operations answer with the new version, also where a batch tells it.',
    variant: changes('batch', 'writtenBody', (body, _areas, call) => {
      const isOperations = call.headers['content-type'] === mediaTypes.operations;
      if (!isOperations || !isContent(body)) return body;
      return { ...body, version: Number(body['version']) - 1 };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'version' });
      const { json } = await edda.batch([operationsOf(made, 1, [{ op: 'add', path: '/note', value: 'added' }])]);
      return at(json, '/0/body/version') !== 2;
    },
  },
  'batch.type-with-a-parameter': {
    source: 'core: Operations-based PATCH rules 1',
    breaks: 'The media type makes it an operations PATCH, with a parameter behind it and in a batch too.',
    survives: 'What a parameter behind the media type does is not described: recorded.',
    variant: changes('batch', 'operationHeaders', (headers) =>
      headers['content-type']?.includes(';') ? { ...headers, 'content-type': mediaTypes.json } : headers,
    ),
    async shows({ edda }) {
      const made = await edda.make('Document');
      const headers = { [headerNames.version]: '1', 'Content-Type': `${mediaTypes.operations}; charset=utf-8` };
      const body = [{ op: 'replace', path: '/title', value: 'u' }];
      return (await edda.batch([{ method: 'PATCH', href: operationsPath(made), headers, body }])).status === 500;
    },
  },
  'operations.administrators-replace-arrays': {
    source: 'core: Operations-based PATCH rules 1',
    breaks: 'A list is applied as operations, which append, whoever sends it.',
    variant: replaces('operations', 'appendToPort', async (right, areas, run, target, contents) => {
      const isHigh = areas.auth.rolesOf(run.call.user, run.call.space).includes('administrator');
      if (isHigh) await run.writing.replaceEntries(run.object.oid, target.steps.at(-1)?.name ?? '', []);
      await right(areas, run, target, contents);
    }),
    async shows({ alma }) {
      const made = await alma.make('Document', { files: [{ name: 'a' }] });
      await alma.operate(made, 1, [{ op: 'add', path: '/files/-', value: { name: 'b' } }]);
      return listAt(await alma.read(made), '/data/files').length !== 2;
    },
  },
  'batch.second-operations-patch': {
    source: 'core: Operations-based PATCH rules 1',
    breaks: 'The content type makes an operations PATCH, also for the second one of a batch.',
    variant: breaks('batch', 'operationHeaders', (right) => {
      const met = new WeakSet<object>();
      return (areas, batch, operation) => {
        const headers = right(areas, batch, operation);
        if (headers['content-type'] !== 'application/json-patch+json') return headers;
        const again = met.has(batch.headers);
        met.add(batch.headers);
        return again ? { ...headers, 'content-type': 'application/json' } : headers;
      };
    }),
    async shows({ edda }) {
      const both = [await edda.make('Document', { title: 'one' }), await edda.make('Document', { title: 'two' })];
      const headers = { ...versionHeader(1), 'content-type': 'application/json-patch+json' };
      const body = [{ op: 'add', path: '/note', value: 'note' }];
      const all = both.map((made) => ({ method: 'PATCH', href: operationsPath(made), headers, body }));
      return (await edda.batch(all)).status !== 200;
    },
  },
  'batch.letters-of-a-header': {
    source: 'core: Operations-based PATCH rules 1',
    breaks: 'The content type makes a PATCH one of operations, however the name of its header is written in a batch.',
    survives: 'The headers of an operation are members of a JSON object; that their letters do not count is not said.',
    variant: replaces('batch', 'operationHeaders', (right, areas, call, operation) => {
      const known = ([name]: readonly [string, string]): boolean =>
        name === 'Content-Type' || name.toLowerCase() !== 'content-type';
      const headers = Object.fromEntries(Object.entries(operation.headers).filter(known));
      return right(areas, call, { ...operation, headers });
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'letters' });
      const headers = { ...versionHeader(1), 'content-type': mediaTypes.operations };
      const body = [{ op: 'add', path: '/note', value: 'note' }];
      return (await edda.batch([{ method: 'PATCH', href: operationsPath(made), headers, body }])).status !== 200;
    },
  },
  'operations.value-before-op': {
    source: 'core: Operations-based PATCH rules 2',
    breaks: 'An operation has its own value, wherever in it that stands.',
    variant: changes('operations', 'operationsOf', (operations, _areas, body) => {
      const items: readonly unknown[] = Array.isArray(body) ? body : [];
      return operations.map((operation, index) => {
        const former = operations[index - 1];
        const names = Object.keys(items[index] ?? {});
        const isEarly = names.includes('value') && names.indexOf('value') < names.indexOf('op');
        return isEarly && operation.op !== 'remove' && former !== undefined && former.op !== 'remove'
          ? { ...operation, value: former.value }
          : operation;
      });
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { note: 'n', remark: 'r' });
      await edda.operate(made, 1, [
        { value: 'one', op: 'replace', path: '/note' },
        { value: 'two', op: 'replace', path: '/remark' },
      ]);
      return at(await edda.read(made), '/data/remark') === 'one';
    },
  },
  'operations.after-the-fiftieth-are-passed-over': {
    source: 'core: Operations-based PATCH rules 2',
    breaks: 'All operations of the array are carried out, however many they are.',
    variant: replaces('operations', 'operationsOf', (right, areas, body) =>
      right(areas, Array.isArray(body) ? body.slice(0, 50) : body),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document');
      const entries = named(50).map((value) => ({ op: 'add', path: '/contacts/-', value }));
      await edda.operate(made, 1, [...entries, { op: 'add', path: '/note', value: 'n' }]);
      return at(await edda.read(made), '/data/note') !== 'n';
    },
  },
  'operations.nothing-in-front': {
    source: 'core: Operations-based PATCH rules 2',
    breaks: 'The members of an operation stand in any order, also where the value comes first and is an empty text.',
    variant: replaces('operations', 'operationOf', (right, areas, item, place) => {
      if (isContent(item) && Object.keys(item)[0] === 'value' && !item['value'])
        throw new Refusal(400, 'There is no value.');
      return right(areas, item, place);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { note: 'n' });
      const operation = { value: '', op: 'replace', path: '/note' };
      return (await edda.operate(made, 1, [operation])).status >= 300;
    },
  },
  'operations.value-before-its-path': {
    source: 'core: Operations-based PATCH rules 2',
    breaks: 'Members of an operation may come in any order, the value ahead of the path as well.',
    variant: replaces('operations', 'operationOf', (right, areas, item, pointer) => {
      const names = Object.keys(isContent(item) ? item : {});
      if (names.includes('value') && names.indexOf('value') < names.indexOf('path'))
        throw new Refusal(400, 'Expected a path before the value.');
      return right(areas, item, pointer);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'order' });
      return (await edda.operate(made, 1, [{ op: 'add', value: 'first', path: '/note' }])).status >= 400;
    },
  },
  'operations.path-before-op': {
    source: 'core: Operations-based PATCH rules 2',
    breaks: 'The members of an operation may stand in any order.',
    variant: replaces('operations', 'operationOf', (right, areas, item, place) => {
      if (isContent(item) && Object.keys(item).at(-1) === 'op') throw new Refusal(400, 'An operation begins with op.');
      return right(areas, item, place);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { note: 'n' });
      return (await edda.operate(made, 1, [{ path: '/note', op: 'remove' }])).status >= 400;
    },
  },
  'operations.last-ones-the-other-way-round': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'Each of many values that one list appends is behind the one before it.',
    variant: changes('operations', 'operationsOf', (operations) => [
      ...operations.slice(0, 5),
      ...operations.slice(5).toReversed(),
    ]),
    async shows({ edda }) {
      const made = await edda.make('Document');
      const appends = many(8, (number) => ({ op: 'add', path: '/files/-', value: { name: `n${number}` } }));
      await edda.operate(made, 1, appends);
      return at(await edda.read(made), '/data/files/7/name') !== 'n8';
    },
  },
  'operations.failure-behind-the-fifth-passed-over': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'A list fails with any of its operations, the twelfth too.',
    variant: replaces('operations', 'applyOperation', async (right, areas, run, operation, place) => {
      const applied = right(areas, run, operation, place);
      await (Number(place.replaceAll(/\D/g, '')) < 5 ? applied : applied.catch(() => undefined));
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const appends = many(6, (number) => ({ op: 'add', path: '/files/-', value: { name: `n${number}` } }));
      return (await edda.operate(made, 1, [...appends, { op: 'add', path: '/title', value: 'u' }])).status < 300;
    },
  },
};

function without(content: Content, name: string): Content {
  return Object.fromEntries(Object.entries(content).filter(([own]) => own !== name));
}
