import { headerNames, mediaTypes } from '../../../contract/names.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import { storedStates } from '../../../reference-server/areas/soft-type.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { breaks, replaces, together, within } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, editPath, listAt, many, operationsPath } from '../service.ts';

export const writingMistakes: Batch = {
  'multi-create.id-like-a-definition': {
    source: 'core: Multi-create item, $softType',
    breaks: 'The definition that is instantiated is the one in $softType, whatever the item is called.',
    kind: 'value',
    survives:
      'What text a $id may have is not said: an item that is refused for it is recorded, and one that is created is looked at.',
    variant: replaces('multiCreate', 'identifyItems', (right, areas, items) => {
      const templates = [...areas.configuration.templates.values()];
      const named = (id = '') =>
        templates.map(({ softTypes }) => softTypes.get(id)).find((found) => found !== undefined);
      return right(
        areas,
        items.map((item) => ({ ...item, softType: named(item.$id) ?? item.softType })),
      );
    }),
    async shows({ edda }) {
      const made = await edda.multiCreate([{ $id: 'Part', $softType: 'Requirement', data: { text: 't' } }]);
      return made.status >= 300;
    },
  },
  'multi-create.second-referrer': {
    source: 'core: Multi-create rules 2',
    breaks: 'Any number of items may refer to one item of the request.',
    kind: 'role',
    variant: breaks('multiCreate', 'findItem', (right) => {
      const referrers = new WeakMap<object, object>();
      return (areas, items, id, referrer) => {
        const found = right(areas, items, id, referrer);
        if (found === undefined) return undefined;
        const first = referrers.get(found) ?? referrer;
        referrers.set(found, first);
        return first === referrer ? found : undefined;
      };
    }),
    async shows({ edda }) {
      const describes = [{ id: 'r', value: { instanceRef: 'p', softTypeId: 'Part' } }];
      const documents = ['a', 'b'].map(($id) => ({ $id, $softType: 'Document', data: { title: $id, describes } }));
      const made = await edda.multiCreate([{ $id: 'p', $softType: 'Part', data: { name: 'n' } }, ...documents]);
      return made.status >= 300;
    },
  },
  'operations.whole-document-in-a-batch': {
    source: 'core: Operations-based PATCH rules 3',
    breaks: 'The path of the whole document is not supported, in a batch no more than elsewhere.',
    kind: 'combination',
    variant: replaces('operations', 'applyOperation', async (right, areas, run, operation, place) => {
      const isWhole = operation.tokens.length === 0 && operation.op === 'add' && isContent(operation.value);
      if (!isWhole || run.call.isSibling === undefined) return right(areas, run, operation, place);
      for (const [name, value] of Object.entries(operation.value))
        await right(areas, run, { op: 'add', path: `/${name}`, tokens: [name], value }, place);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const headers = { 'Content-Type': mediaTypes.operations, [headerNames.version]: '1' };
      const body = [{ op: 'add', path: '', value: { note: 'n' } }];
      const batch = await edda.batch([{ method: 'PATCH', href: operationsPath(made), headers, body }]);
      return batch.status === 200;
    },
  },
  'versioning.a-promote-outdates-nothing': {
    source: 'core: Errors, rule 1',
    breaks: 'A write for the version before a promote is refused, although the promote changed no content.',
    kind: 'moment',
    variant: replaces('versioning', 'assertVersion', (right, areas, call, object) => {
      const isPromoted = object.version === 2 && storedStates(object)['engineering']?.state === 'reviewed';
      return isPromoted && areas.versioning.versionHeaderOf(call) === 1 ? object.version : right(areas, call, object);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      await edda.move(made, 1);
      return (await edda.merge(made, 1, { note: 'n' })).status < 300;
    },
  },
  'operations.replace-by-an-empty-array': {
    source: 'core: Operations-based PATCH rules 6',
    breaks: 'No array replaces anything, an empty one neither.',
    kind: 'value',
    variant: replaces('operations', 'replaceValue', (right, areas, run, target, value, place) => {
      const empties = Array.isArray(value) && value.length === 0 && target.kind === 'list';
      return empties ? areas.operations.removeTarget(run, target) : right(areas, run, target, value, place);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', keywords: ['k'] });
      return (await edda.operate(made, 1, [{ op: 'replace', path: '/keywords', value: [] }])).status < 300;
    },
  },
  'operations.replace-by-the-same': {
    source: 'core: Patch operation, op',
    breaks: 'A value may be replaced by one that is equal to it.',
    kind: 'value',
    variant: replaces('operations', 'replaceValue', async (right, areas, run, target, value, place) => {
      if (target.kind === 'member' && target.value === value) throw new Refusal(422, 'Nothing would change.');
      return right(areas, run, target, value, place);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      return (await edda.operate(made, 1, [{ op: 'replace', path: '/title', value: 't' }])).status >= 300;
    },
  },
  'operations.remove-with-null': {
    source: 'core: Patch operation, value',
    breaks: 'A remove has no value, null neither.',
    kind: 'value',
    variant: replaces('operations', 'operationOf', (right, areas, item, place) => {
      if (!isContent(item) || item['op'] !== 'remove' || item['value'] !== null) return right(areas, item, place);
      const { value: _null, ...rest } = item;
      return right(areas, rest, place);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', note: 'n' });
      return (await edda.operate(made, 1, [{ op: 'remove', path: '/note', value: null }])).status < 300;
    },
  },
  'maturity.no-version-for-administrators': {
    source: 'core: Common request headers, text below',
    breaks: 'The answer to a promote tells the new version to whoever promotes.',
    kind: 'role',
    variant: replaces('maturity', 'promoteObject', async (right, areas, call, writing) => {
      const answer = await right(areas, call, writing);
      if (!areas.auth.rolesOf(call.user, call.space).includes('administrator')) return answer;
      const { [headerNames.version]: _version, ...headers } = answer.headers ?? {};
      return { ...answer, headers };
    }),
    async shows({ edda, alma }) {
      const made = await edda.make('Document', { title: 't' });
      return (await alma.move(made, 1)).headers.get(headerNames.version) === null;
    },
  },
  'maturity.validated-promotes-count-twice': {
    source: 'core: States and transitions',
    breaks: 'A promote raises the version by one, also where an extension was asked about it.',
    kind: 'combination',
    variant: replaces('maturity', 'promoteObject', (right, areas, call, writing) => {
      const twice = within(areas, { maturity: { versionAfterPromote: (object) => object.version + 2 } });
      return right((call.verdicts?.size ?? 0) > 0 ? twice : areas, call, writing);
    }),
    async shows(service) {
      const capabilities = [{ capabilityType: 'SoftType', capabilities: ['Document'] }];
      await service.host(() => [{ id: 'check', extensionType: 'ExternalValidation', capabilities }]);
      const made = await service.edda.make('Document', { title: 't' });
      return (await service.edda.move(made, 1)).headers.get(headerNames.version) !== '2';
    },
  },
  'versioning.ends-at-ten': {
    source: 'core: Versioning 2',
    breaks: 'Every edit raises the version, beyond one digit too.',
    kind: 'value',
    variant: replaces('versioning', 'nextVersion', (right, areas, version) =>
      version === 10 ? version : right(areas, version),
    ),
    async shows({ edda }) {
      const made = await edda.make('Part', { name: 'n' });
      for (let version = 1; version <= 10; version += 1) await edda.merge(made, version, { note: `n${version}` });
      return at(await edda.read(made), '/version') !== 11;
    },
  },
  'batch.one-byte-of-operations': {
    source: 'core: Limits, text below',
    breaks: 'A batch has no hard limit of operations.',
    kind: 'value',
    variant: replaces('batch', 'batchOperationsOf', (right, areas, body) => {
      const operations = right(areas, body);
      if (operations.length > 255) throw new Refusal(413, 'Expected at most 255 operations.');
      return operations;
    }),
    async shows({ edda }) {
      const { path } = await edda.make('Part', { name: 'n' });
      return (await edda.batch(many(256, () => ({ method: 'GET', href: path })))).status !== 200;
    },
  },
  'batch.one-conflict-alone': {
    source: 'core: Errors, 500',
    breaks:
      'A batch with a failed operation is answered 500, also where that is its only one and has a status of its own.',
    kind: 'combination',
    variant: replaces('batch', 'batchStatus', (right, areas, results) => {
      const [only, ...others] = results;
      return only?.statusCode === 409 && others.length === 0 ? 409 : right(areas, results);
    }),
    async shows({ edda }) {
      const made = await edda.make('Part', { name: 'n' });
      const headers = { [headerNames.version]: '7' };
      const batch = await edda.batch([{ method: 'PATCH', href: editPath(made), headers, body: { note: 'n' } }]);
      return batch.status !== 500;
    },
  },
  'batch.what-is-forbidden-is-skipped': {
    source: 'core: Batch rules 3',
    breaks: 'An operation that the role of the user does not allow fails the batch.',
    kind: 'role',
    variant: together(
      replaces(
        'batch',
        'failsBatch',
        (right, areas, outcome) => outcome.answer.status !== 403 && right(areas, outcome),
      ),
      replaces('batch', 'batchStatus', (right, areas, results) =>
        right(
          areas,
          results.filter(({ statusCode }) => statusCode !== 403),
        ),
      ),
    ),
    async shows({ edda, rita }) {
      const made = await edda.make('Part', { name: 'n' });
      const headers = { [headerNames.version]: '1' };
      const edit = { method: 'PATCH', href: editPath(made), headers, body: { note: 'n' } };
      return (await rita.batch([{ method: 'GET', href: made.path }, edit])).status === 200;
    },
  },
  'batch.a-result-for-each-instance': {
    source: 'core: Batch rules 3',
    breaks: 'The answer has one result for each operation, also for one that creates several instances.',
    kind: 'combination',
    variant: replaces('batch', 'batchAnswer', (right, areas, results) =>
      right(
        areas,
        results.flatMap((result) => {
          const { statusCode, body } = result;
          if (statusCode !== 201 || !Array.isArray(body)) return [result];
          return body.map((one: unknown) => ({ statusCode, body: one }));
        }),
      ),
    ),
    async shows({ edda }) {
      const body = ['a', 'b'].map(($id) => ({ $id, $softType: 'Part', data: { name: $id } }));
      const batch = await edda.batch([{ method: 'POST', href: '/space/main/softtype', body }]);
      return listAt(batch.json, '').length !== 1;
    },
  },
};
