import { isContent } from '../../../reference-server/areas/content.ts';
import { nameOf } from '../../../reference-server/areas/operations.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { together, type Variant, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { named } from '../proofs.ts';
import { at, editPath, listAt } from '../service.ts';

export const writingMistakes: Batch = {
  'operations.entries-from-a-hundred-on': {
    source: 'core: Operations-based PATCH rules 3',
    breaks: 'A member of an entry is addressed by the id of the entry, however many digits that has.',
    kind: 'value',
    variant: replaces('operations', 'entryAt', async (right, areas, run, port, token) =>
      token.length > 2 ? undefined : right(areas, run, port, token),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: named(100) });
      const last = listAt((await edda.page(made, 'files', 9)).json, '/data').at(-1);
      const path = `/files/${String(at(last, '/$entryId'))}/name`;
      return (await edda.operate(made, 1, [{ op: 'replace', path, value: 'other' }])).status >= 300;
    },
  },

  'operations.nothing-in-front': {
    source: 'core: Operations-based PATCH rules 2',
    breaks: 'The members of an operation stand in any order, also where the value comes first and is an empty text.',
    kind: 'combination',
    variant: replaces('operations', 'operationOf', (right, areas, item, place) => {
      if (isContent(item) && Object.keys(item)[0] === 'value' && !item['value'])
        throw new Refusal(400, 'There is no value.');
      return right(areas, item, place);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', note: 'n' });
      const operation = { value: '', op: 'replace', path: '/note' };
      return (await edda.operate(made, 1, [operation])).status >= 300;
    },
  },

  'operations.empty-path-behind-another': {
    source: 'core: Operations-based PATCH rules 3',
    breaks: 'An empty path is unsupported wherever in the list it stands.',
    kind: 'place',
    variant: replaces('operations', 'applyOperations', (right, areas, run, operations) =>
      right(
        areas,
        run,
        operations.filter(({ path }, index) => index === 0 || path !== ''),
      ),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', note: 'n' });
      const operations = [
        { op: 'replace', path: '/note', value: 'm' },
        { op: 'remove', path: '' },
      ];
      return (await edda.operate(made, 1, operations)).status < 300;
    },
  },

  'operations.add-what-a-put-removed': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'A member that a PUT took away does not exist any more, so that it can be added.',
    kind: 'moment',
    variant: remembersRemoved(),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', note: 'n' });
      await edda.replace(made, 1, { title: 't' });
      return (await edda.operate(made, 2, [{ op: 'add', path: '/note', value: 'again' }])).status >= 300;
    },
  },

  'editing.merge-of-nothing': {
    source: 'core: Common request headers, response headers',
    breaks: 'Every PATCH answers with the version, also one whose body names no member.',
    kind: 'value',
    variant: replaces('editing', 'mergeObject', async (right, areas, call, writing) => {
      const answer = await right(areas, call, writing);
      return isContent(call.json) && Object.keys(call.json).length === 0 ? { status: 204 } : answer;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const { status, headers } = await edda.merge(made, 1, {});
      return status < 300 && !headers.has('svc-uoiversion');
    },
  },

  'versioning.of-thirty-two-bits': {
    source: 'core: Errors 1',
    breaks: 'A version that is not that of the object is refused, however far away it is.',
    kind: 'value',
    variant: replaces('versioning', 'sameVersion', (_right, _areas, sent, current) => (sent | 0) === (current | 0)),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      return (await edda.put(editPath(made), 2 ** 32 + 1, { title: 'u' })).status < 300;
    },
  },
};

function remembersRemoved(): Variant {
  return (classes) => {
    const gone = new Map<string, ReadonlySet<string>>();
    return together(
      replaces('editing', 'putObject', async (right, areas, call, writing) => {
        const answer = await right(areas, call, writing);
        const { oid, content } = call.object;
        const next = await writing.object(call.space.id, oid);
        gone.set(oid, new Set(Object.keys(content).filter((name) => next?.content[name] === undefined)));
        return answer;
      }),
      replaces('operations', 'addValue', async (right, areas, run, target, value, place) => {
        const isGone = target.row.entry === undefined && gone.get(run.object.oid)?.has(nameOf(target)) === true;
        if (target.kind === 'member' && isGone) throw new Refusal(422, 'The member is there, without a value.');
        return right(areas, run, target, value, place);
      }),
    )(classes);
  };
}
