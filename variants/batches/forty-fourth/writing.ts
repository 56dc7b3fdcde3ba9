import { randomUUID } from 'node:crypto';
import { mediaTypes } from '../../../contract/names.ts';
import { isPort, nameOf } from '../../../reference-server/areas/operations.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { callsOf, named } from '../proofs.ts';
import { at, encoded, listAt, operationsPath } from '../service.ts';

const filterHeader = 'svc-informationfilter';

/** Objects whose last write was a list of operations; no two servers share an id. */
const operatedOn = new Set<string>();

export const operationsMistakes: Batch = {
  'operations.three-digit-entries': {
    source: 'core: Patch operation (array item of an operations-based PATCH)',
    breaks: 'A path addresses an entry by its id, however many digits that has.',
    kind: 'value',
    variant: replaces('operations', 'entryAt', async (right, areas, run, port, token) =>
      token.length > 2 ? undefined : right(areas, run, port, token),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', contacts: named(101) });
      const id = String(at((await edda.page(made, 'contacts', 10)).json, '/data/0/$entryId'));
      const answer = await edda.operate(made, 1, [{ op: 'replace', path: `/contacts/${id}/name`, value: 'n' }]);
      return answer.status >= 400;
    },
  },

  'operations.empty-text-beside-remove': {
    source: 'core: Patch operation (array item of an operations-based PATCH)',
    breaks: 'A remove has no value, not even an empty text.',
    kind: 'value',
    variant: replaces('operations', 'operationOf', (right, areas, item, place) => {
      if (at(item, '/op') !== 'remove' || at(item, '/value') !== '') return right(areas, item, place);
      const { value: _value, ...rest } = item as Record<string, unknown>;
      return right(areas, rest, place);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', note: 'n' });
      return (await edda.operate(made, 1, [{ op: 'remove', path: '/note', value: '' }])).status < 300;
    },
  },

  'operations.prefix-of-an-entry-id': {
    source: 'core: Operations-based PATCH rules 9',
    breaks: 'A path with an entry id removes that entry, and none whose id only begins so.',
    kind: 'value',
    variant: replaces('operations', 'removeTarget', async (right, areas, run, target) => {
      await right(areas, run, target);
      const { entry } = target.row;
      if (target.kind !== 'entry' || entry === undefined) return;
      const rest = await run.writing.entries(run.object.oid, entry.port, { from: 0, to: 1000 });
      for (const { entryId } of rest)
        if (String(entryId).startsWith(String(entry.entryId)))
          await run.writing.removeEntry(run.object.oid, entry.port, entryId);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: named(11) });
      const id = String(at(await edda.read(made), '/data/files/0/$entryId'));
      await edda.operate(made, 1, [{ op: 'remove', path: `/files/${id}/` }]);
      return listAt(await edda.read(made), '/data/files').length < 10;
    },
  },

  'operations.reference-without-value': {
    source: 'core: Operations-based PATCH rules 8',
    breaks: 'A reference whose value is removed goes with it.',
    kind: 'place',
    variant: replaces('operations', 'removeTarget', async (right, areas, run, target) => {
      const { entry, content } = target.row;
      if (entry?.array.kind !== 'references' || nameOf(target) !== 'value' || target.steps.length !== 1)
        return right(areas, run, target);
      const { value: _value, ...rest } = content;
      return run.writing.updateEntry(run.object.oid, entry.port, entry.entryId, rest);
    }),
    async shows({ edda }) {
      const part = await edda.make('Part', { name: 'p' });
      const describes = [{ id: 'first', value: { $oid: part.oid } }];
      const made = await edda.make('Document', { title: 't', describes });
      const id = String(at(await edda.read(made), '/data/describes/0/$entryId'));
      await edda.operate(made, 1, [{ op: 'remove', path: `/describes/${id}/value` }]);
      return listAt(await edda.read(made), '/data/describes').length === 1;
    },
  },

  'operations.once-a-role': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'An add appends its value once, for somebody who has roles on two participants as well.',
    kind: 'role',
    variant: replaces('operations', 'appendToPort', (right, areas, run, target, contents) => {
      const roles = areas.auth.rolesOf(run.call.user, run.call.space);
      return right(areas, run, target, isPort(target) ? roles.flatMap(() => contents) : contents);
    }),
    async shows({ emil }) {
      const made = await emil.make('Document', { title: 't' });
      await emil.operate(made, 1, [{ op: 'add', path: '/files', value: { name: 'n' } }]);
      return listAt(await emil.read(made), '/data/files').length !== 1;
    },
  },

  'batch.small-letters-of-content-type': {
    source: 'core: Operations-based PATCH rules 1',
    breaks:
      'The content type selects the operations, in an operation of a batch with its name in small letters as well.',
    kind: 'place',
    variant: replaces('batch', 'operationHeaders', (right, areas, batch, operation) => {
      const { 'content-type': _ignored, ...headers } = operation.headers;
      return right(areas, batch, { ...operation, headers });
    }),
    survives:
      'The headers of an operation are members of JSON, of which it is not said that their letter case does not matter: recorded.',
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const answer = await edda.batch([
        {
          method: 'PATCH',
          href: operationsPath(made),
          headers: { 'content-type': mediaTypes.operations, 'Svc-UOIVersion': '1' },
          body: [{ op: 'replace', path: '/title', value: 'u' }],
        },
      ]);
      return answer.status !== 200;
    },
  },

  'batch.filter-of-the-first-alone': {
    source: 'core: Common request headers',
    breaks: 'Every operation of a batch has the information filter of the batch, the second one too.',
    kind: 'place',
    variant: replaces('batch', 'prepareOperation', (right, areas, batch, table, value, index) => {
      const prepared = right(areas, batch, table, value, index);
      if (index === 0) return prepared;
      const headers = { ...prepared.call.headers, [filterHeader]: encoded({}) };
      return { ...prepared, call: { ...prepared.call, headers } };
    }),
    async shows({ edda }) {
      const made = [
        await edda.make('Document', { title: 'a', price: '1' }),
        await edda.make('Document', { title: 'b', price: '1' }),
      ];
      const operations = made.map((one) => ({
        method: 'PATCH',
        href: operationsPath(one),
        headers: { 'Content-Type': mediaTypes.operations, 'Svc-UOIVersion': '1' },
        body: [{ op: 'replace', path: '/price', value: '2' }],
      }));
      const headers = { 'Svc-InformationFilter': encoded({ time: '2019-03-04T00:00:00Z' }) };
      await edda.post('/api/space/main/batch', operations, headers);
      const reads = await Promise.all(made.map((one) => edda.read(one)));
      return reads.some((read) => !String(at(read, '/data/price/effectivity')).startsWith('2019-03-04'));
    },
  },
};

export const editingMistakes: Batch = {
  'maturity.first-state-again': {
    source: 'core: States and transitions',
    breaks: 'A current state has its object id, also one that an object was taken back to.',
    kind: 'value',
    variant: replaces('maturity', 'contentInState', (right, areas, content, level, state) => {
      const next = right(areas, content, level, state);
      if (state !== 'draft' && state !== 'open') return next;
      const states = next['$states'] as Readonly<Record<string, object>>;
      const { $oid: _gone, ...rest } = (states[level] ?? {}) as { readonly $oid?: string };
      return { ...next, $states: { ...states, [level]: rest } };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      await edda.move(made, 1);
      await edda.move(made, 2, 'demote');
      return at(await edda.read(made), '/data/engineering/$oid') === undefined;
    },
  },

  'merge.behind-operations-is-complete': {
    source: 'core: Common request headers',
    breaks: 'A body of plain JSON edits what it names and nothing else, right behind a list of operations as well.',
    kind: 'moment',
    variant: together(
      replaces('operations', 'operateObject', async (right, areas, call, writing) => {
        const answer = await right(areas, call, writing);
        operatedOn.add(call.object.oid);
        return answer;
      }),
      replaces('editing', 'mergeObject', (right, areas, call, writing) => {
        if (!operatedOn.delete(call.object.oid)) return right(areas, call, writing);
        const { softType, view } = call.place;
        const optional = [...view.names].filter(([, name]) => {
          const member = softType.members.get(name);
          return member?.kind === 'string' && !member.mandatory;
        });
        const nulls = Object.fromEntries(optional.map(([name]) => [name, null]));
        return right(areas, { ...call, json: { ...nulls, ...(call.json as object) } }, writing);
      }),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', note: 'n' });
      await edda.operate(made, 1, [{ op: 'replace', path: '/title', value: 'u' }]);
      await edda.merge(made, 2, { remark: 'r' });
      return at(await edda.read(made), '/data/note') !== 'n';
    },
  },

  'put.every-tenth-version': {
    source: 'core: Endpoint table',
    breaks: 'A PUT removes what its body leaves out, the one that makes the tenth version as well.',
    kind: 'moment',
    variant: replaces('editing', 'putObject', async (right, areas, call, writing) => {
      const answer = await right(areas, call, writing);
      const object = await writing.object(call.space.id, call.object.oid);
      if (object === undefined || object.version % 10 !== 0) return answer;
      await areas.versioning.storeEdit(writing, object, object.version, { ...call.object.content, ...object.content });
      return answer;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      for (let version = 1; version < 9; version += 1) await edda.merge(made, version, { note: `n${version}` });
      await edda.replace(made, 9, { title: 't' });
      return at(await edda.read(made), '/data/note') !== undefined;
    },
  },

  'versioning.nothing-to-merge': {
    source: 'core: Errors',
    breaks: 'A PATCH without the version header gets 412, one with an empty object as well.',
    kind: 'value',
    variant: replaces('versioning', 'assertVersion', (right, areas, call, object) => {
      const isEmpty = call.method === 'PATCH' && call.body?.toString().trim() === '{}';
      return isEmpty && call.headers['svc-uoiversion'] === undefined ? object.version : right(areas, call, object);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      return (await edda.merge(made, undefined, {})).status !== 412;
    },
  },

  'versioning.administrators-overrule': {
    source: 'core: Errors',
    breaks: 'A PUT for another version gets 409, that of an administrator as well.',
    kind: 'role',
    variant: replaces('versioning', 'assertVersion', (right, areas, call, object) => {
      const space = areas.configuration.spaces.get(object.spaceId);
      const user = 'user' in call ? (call.user as { readonly name: string }) : undefined;
      const roles = [...(space?.participants.values() ?? [])].map((holders) => holders.get(user?.name ?? ''));
      if (call.method !== 'PUT' || !roles.includes('administrator')) return right(areas, call, object);
      areas.versioning.versionHeaderOf(call);
      return object.version;
    }),
    async shows({ edda, alma }) {
      const made = await edda.make('Document', { title: 't' });
      await edda.merge(made, 1, { note: 'n' });
      return (await alma.replace(made, 1, { title: 'u' })).status < 300;
    },
  },

  'batch.forbidden-promotes': {
    source: 'core: Errors',
    breaks: 'A promote that a role does not allow is forbidden in a batch as well.',
    kind: 'combination',
    variant: replaces('batch', 'carryOutOperation', (right, areas, prepared, writing) =>
      prepared.call.url.includes('/maturityAction/')
        ? areas.dispatcher.carryOutWrite(prepared.route, prepared.call, writing)
        : right(areas, prepared, writing),
    ),
    async shows({ edda, rita }) {
      const made = await edda.make('Document', { title: 't' });
      const href = `/api/space/main/maturityAction/promote/${made.oid}/release/engineering`;
      return (await rita.batch([{ method: 'PUT', href, headers: { 'Svc-UOIVersion': '1' } }])).status === 200;
    },
  },

  'batch.readers-have-a-limit': {
    source: 'core: Limits',
    breaks: 'A batch has no hard limit, for readers neither.',
    kind: 'role',
    variant: replaces('batch', 'runBatch', (right, areas, call, writing, table) => {
      if (call.json.length > 100 && !areas.auth.mayUse(call.user, call.space, 'PUT'))
        throw new Refusal(413, 'Too many operations.');
      return right(areas, call, writing, table);
    }),
    async shows({ edda, rita }) {
      const { path } = await edda.make('Document', { title: 't' });
      return (await rita.batch(Array.from({ length: 101 }, () => ({ method: 'GET', href: path })))).status !== 200;
    },
  },

  'correlation.validation-of-a-batch': {
    source: 'core: Common request headers',
    breaks: 'The correlation id of a batch goes on to the extension that validates what it promotes.',
    kind: 'place',
    variant: replaces('validatedWrites', 'validatedBatch', async (right, areas, batch, table) => {
      const validated = await right(areas, { ...batch, correlationId: randomUUID() }, table);
      return { ...validated, correlationId: batch.correlationId };
    }),
    async shows(service) {
      const capabilities = [{ capabilityType: 'SoftType', capabilities: ['Document'] }];
      const host = await service.host(() => [{ id: 'check', extensionType: 'ExternalValidation', capabilities }]);
      const { oid } = await service.edda.make('Document', { title: 't' });
      const href = `/api/space/main/maturityAction/promote/${oid}/release/engineering`;
      const correlationId = randomUUID();
      const operation = { method: 'PUT', href, headers: { 'Svc-UOIVersion': '1' } };
      await service.edda.post('/api/space/main/batch', [operation], { 'X-Correlation-Id': correlationId });
      const [entry] = callsOf(host, 'validation');
      return entry !== undefined && entry.envelope?.id !== correlationId;
    },
  },
};
