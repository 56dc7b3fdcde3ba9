import { randomUUID } from 'node:crypto';
import { headerNames } from '../../../contract/names.ts';
import { Refusal, Undone } from '../../../reference-server/http/refusal.ts';
import { breaks, Step, together, type Variant, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, editPath, listAt, many, type Made, movePath } from '../service.ts';
import { refersTo, validator } from './proofs.ts';
import { callsTo, named } from '../proofs.ts';

/** A merge of a note, as an operation of a batch. */
function noteOf(made: Made, version: number | undefined, note: string): object {
  const headers = version === undefined ? {} : { [headerNames.version]: version };
  return { method: 'PATCH', href: editPath(made), headers, body: { note } };
}

function promoteOf(made: Made, version: number): object {
  return { method: 'PUT', href: movePath(made), headers: { [headerNames.version]: version } };
}

function createOf(title: string): object {
  return { method: 'POST', href: '/api/space/main/softtype/Document/documentInput', body: { title } };
}

function documents(count: number): readonly object[] {
  return many(count, (number) => ({ $id: `d${number}`, $softType: 'Document', data: { title: `t${number}` } }));
}

/** What is done ahead of the change set of a batch has a correlation id of its own. */
function ownIdAhead(): Variant {
  const ahead = new Step();
  return together(
    replaces('validatedWrites', 'validatedBatch', (right, ...args) => ahead.run(() => right(...args))),
    replaces('triggeredCalls', 'envelopeIdOf', (right, areas, call) =>
      ahead.isOn() ? randomUUID() : right(areas, call),
    ),
  );
}

export const inBatch: Batch = {
  'batch.read-has-no-page-links': {
    source: 'core: Batch rules 6',
    breaks: 'A GET in a batch returns the full read response, with the links to the pages of its arrays.',
    kind: 'combination',
    variant: replaces('hypermedia', 'linksOf', (right, areas, call, ...args) => {
      const links = right(areas, call, ...args);
      return call.isSibling === undefined ? links : links.filter(({ rel }) => rel !== 'page');
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: named(12) });
      const answer = await edda.batch([{ method: 'GET', href: made.path }]);
      return !listAt(answer.json, '/0/body/links').some((link) => at(link, '/rel') === 'page');
    },
  },
  'batch.promote-tells-the-version-before': {
    source: 'core: Batch result',
    breaks: 'The version in the result of a promote is the one that it led to.',
    kind: 'combination',
    variant: replaces('batch', 'writtenBody', (right, areas, call, answer) => {
      const body = right(areas, call, answer);
      const version = at(body, '/version');
      if (call.params['levelId'] === undefined || typeof version !== 'number') return body;
      return { ...(body as object), version: version - 1 };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      return at((await edda.batch([promoteOf(made, 1)])).json, '/0/body/version') !== 2;
    },
  },
  'batch.read-of-what-was-undone-is-kept': {
    source: 'core: Batch rules 1',
    breaks: 'Of a batch that was rolled back no read is left over for later ones.',
    kind: 'copy',
    variant: together(
      replaces('memory', 'rememberedRead', (right, areas, call, reading, object, view, assemble) => {
        const { insertObject: _in, ...outside } = reading as typeof reading & { readonly insertObject?: unknown };
        return right(areas, call, outside, object, view, assemble);
      }),
      replaces('memory', 'forgetReads', () => undefined),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const read = { method: 'GET', href: made.path };
      await edda.batch([noteOf(made, 1, 'undone'), read, noteOf(made, 7, 'never')]);
      await edda.merge(made, 1, { note: 'kept' });
      return at(await edda.read(made), '/data/note') !== 'kept';
    },
  },
  'batch.long-one-keeps-what-came-before-its-failure': {
    source: 'core: Batch rules 1',
    breaks: 'A batch of many operations is one change set as well.',
    kind: 'value',
    variant: replaces('batch', 'runBatch', async (right, areas, call, ...args) => {
      try {
        return await right(areas, call, ...args);
      } catch (error) {
        if (error instanceof Undone && call.json.length > 50) return error.answer;
        throw error;
      }
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const creates = many(59, (number) => createOf(`t${number}`));
      await edda.batch([noteOf(made, 1, 'undone'), ...creates, noteOf(made, 9, 'never')]);
      return at(await edda.read(made), '/version') !== 1;
    },
  },
  'batch.equal-creates-are-one': {
    source: 'core: Batch rules 1',
    breaks: 'Every operation of a batch is carried out, also one that says the same as one before it.',
    kind: 'value',
    variant: breaks('batch', 'runOperation', (right) => {
      const known = new WeakMap<object, Map<string, ReturnType<typeof right>>>();
      return (areas, batch, writing, table, operation, index) => {
        const { json } = batch as typeof batch & { readonly json?: readonly unknown[] };
        const done = known.get(json ?? batch) ?? new Map<string, ReturnType<typeof right>>();
        known.set(json ?? batch, done);
        const key = JSON.stringify(operation);
        const outcome = done.get(key) ?? right(areas, batch, writing, table, operation, index);
        if (at(operation, '/method') === 'POST') done.set(key, outcome);
        return outcome;
      };
    }),
    async shows({ edda }) {
      const answer = await edda.batch([createOf('twin'), createOf('twin')]);
      return at(answer.json, '/0/body/href') === at(answer.json, '/1/body/href');
    },
  },
  'batch.version-header-in-lower-case-is-not-seen': {
    source: 'core: Batch operation',
    breaks: 'The headers of an operation are headers, whose names have no letter case.',
    kind: 'value',
    variant: replaces('batch', 'operationHeaders', (right, areas, batch, operation) => {
      const headers = Object.entries(operation.headers).filter(([name]) => name !== headerNames.version.toLowerCase());
      return right(areas, batch, { ...operation, headers: Object.fromEntries(headers) });
    }),
    survives: 'That names in the JSON of an operation are read without letter case is not said.',
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const headers = { [headerNames.version.toLowerCase()]: '1' };
      const operation = { method: 'PATCH', href: editPath(made), headers, body: { note: 'n' } };
      return (await edda.batch([operation])).status !== 200;
    },
  },
  'batch.version-header-of-the-batch-stands-in': {
    source: 'core: Errors 2',
    breaks: 'An operation needs a version header of its own; what the batch request carries is no substitute.',
    kind: 'combination',
    variant: replaces('batch', 'operationHeaders', (right, areas, batch, operation) => {
      const name = headerNames.version.toLowerCase();
      const given = batch.headers[name];
      const headers = right(areas, batch, operation);
      return given === undefined || headers[name] !== undefined ? headers : { ...headers, [name]: given };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const headers = { [headerNames.version]: '1' };
      return (await edda.post('/api/space/main/batch', [noteOf(made, undefined, 'n')], headers)).status === 200;
    },
  },
  'batch.reader-may-promote': {
    source: 'core: What the service does',
    breaks: 'What a role does not allow it does not allow in a batch either, maturity actions included.',
    kind: 'role',
    variant: replaces('batch', 'carryOutOperation', (right, areas, prepared, writing) => {
      const { route, call } = prepared;
      const isMove = call.params['levelId'] !== undefined;
      return isMove ? areas.dispatcher.carryOutWrite(route, call, writing) : right(areas, prepared, writing);
    }),
    async shows({ edda, rita }) {
      const made = await edda.make('Document', { title: 't' });
      return (await rita.batch([promoteOf(made, 1)])).status === 200;
    },
  },
  'batch.second-verdict-is-not-looked-at': {
    source: 'extensions: Extension metadata record',
    breaks: 'Each object that a batch promotes is promoted only where it was found valid itself.',
    kind: 'combination',
    variant: replaces('validation', 'assertValidated', async (right, areas, call, reading, object) => {
      const [first] = call.verdicts?.values() ?? [];
      const isWhole = call.isSibling === undefined || first === undefined;
      if (isWhole || first.kind !== 'valid') return right(areas, call, reading, object);
    }),
    async shows({ edda, host }) {
      const good = await edda.make('Document', { title: 'good' });
      const bad = await edda.make('Document', { title: 'bad' });
      const steps = [{ json: { isValid: false, message: 'no' } }];
      await host(() => [validator('v')], [{ when: { objectId: bad.oid }, steps, afterwards: 'last' }]);
      return (await edda.batch([promoteOf(good, 1), promoteOf(bad, 1)])).status === 200;
    },
  },
  'batch.validation-has-another-correlation-id': {
    source: 'core: Common request headers',
    breaks:
      'The correlation id of a batch is passed on to an extension that one of its operations makes the service call.',
    kind: 'combination',
    variant: ownIdAhead(),
    async shows(service) {
      const { edda } = service;
      const made = await edda.make('Document', { title: 't' });
      const host = await service.host(() => [validator('v')]);
      const id = '5f5cf0e4-5a44-4d0d-8ad8-4c6f0f8d6b11';
      await edda.post('/api/space/main/batch', [promoteOf(made, 1)], { [headerNames.correlationId]: id });
      return callsTo(host)[0]?.envelope?.id !== id;
    },
  },
  'multi-create.temporary-id-is-remembered': {
    source: 'core: Multi-create item',
    breaks: 'A temporary id means something inside its request only.',
    kind: 'copy',
    variant: breaks('multiCreate', 'storedTarget', (right) => {
      const known = new Map<string, string>();
      return (areas, item) => {
        const oid = right(areas, item);
        const key = `${item.softType.id} ${item.$id}`;
        if (!known.has(key)) known.set(key, oid);
        return known.get(key) ?? oid;
      };
    }),
    async shows({ edda }) {
      const items = [
        { $id: 'p', $softType: 'Part', data: { name: 'p' } },
        { $id: 'd', $softType: 'Document', data: { title: 't', describes: [refersTo('p', 'Part')] } },
      ];
      await edda.multiCreate(items);
      const answer = await edda.multiCreate(items);
      const [part, document] = [0, 1].map((index) => String(at(answer.json, `/${index}/href`)));
      const target = at((await edda.get(document ?? '')).json, '/data/describes/0/value/$oid');
      return target !== part?.split('/').at(-1);
    },
  },
  'multi-create.one-target-is-referred-to-once': {
    source: 'core: Multi-create rules 2',
    breaks: 'Any number of items may refer to one and the same item.',
    kind: 'value',
    variant: replaces('multiCreate', 'createItems', (right, areas, call, writing, items, inputs) => {
      const taken = new Set<unknown>();
      const isFirst = (oid: unknown): boolean => oid === undefined || (!taken.has(oid) && taken.add(oid).size > 0);
      const thinned = inputs.map((input) => ({
        ...input,
        arrays: new Map(
          [...input.arrays].map(([port, entries]) => [
            port,
            entries.filter(({ content }) => isFirst(at(content, '/value/$oid'))),
          ]),
        ),
      }));
      return right(areas, call, writing, items, thinned);
    }),
    async shows({ edda }) {
      const data = { title: 't', describes: [refersTo('p', 'Part')] };
      const answer = await edda.multiCreate([
        { $id: 'p', $softType: 'Part', data: { name: 'p' } },
        { $id: 'd', $softType: 'Document', data },
        { $id: 'e', $softType: 'Document', data },
      ]);
      const second = await edda.get(String(at(answer.json, '/2/href')));
      return listAt(second.json, '/data/describes').length !== 1;
    },
  },
  'multi-create.limit-counts-all-of-a-batch': {
    source: 'core: Multi-create rules 3',
    breaks: 'The limit of instances is one of a multi-create, of which a batch may hold several.',
    kind: 'combination',
    variant: breaks('multiCreate', 'multiCreate', (right) => {
      const counts = new Map<string, number>();
      return (areas, call, writing) => {
        const count = (counts.get(call.correlationId) ?? 0) + listAt(call.json, '').length;
        if (call.isSibling !== undefined) counts.set(call.correlationId, count);
        if (call.isSibling !== undefined && count > 50) throw new Refusal(422, 'At most 50 items.');
        return right(areas, call, writing);
      };
    }),
    async shows({ edda }) {
      const operation = { method: 'POST', href: '/space/main/softtype', body: documents(30) };
      return (await edda.batch([operation, operation])).status !== 200;
    },
  },
};
