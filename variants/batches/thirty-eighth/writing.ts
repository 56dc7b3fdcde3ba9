import { headerNames } from '../../../contract/names.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { replaces, together, within } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { editPath, listAt } from '../service.ts';

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
