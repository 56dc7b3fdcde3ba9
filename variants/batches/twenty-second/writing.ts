import { headerNames, mediaTypes } from '../../../contract/names.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { type Variant, breaks, replaces, together, within } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { named } from '../proofs.ts';
import { at, listAt, operationsPath } from '../service.ts';

export const editingMistakes: Batch = {
  'editing.address-under-the-second-schema': {
    source: 'core: Endpoint table, POST softtype',
    breaks: 'The address of what was created can be read, whichever input schema it was created by.',
    kind: 'place',
    variant: replaces('editing', 'createObject', async (right, areas, call, writing) => {
      const answer = await right(areas, call, writing);
      const [first] = call.place.softType.inputs.values();
      if (call.place.view === first) return answer;
      const oid = answer.headers?.Location?.split('/').at(-1);
      return { ...answer, headers: { ...answer.headers, Location: `${call.url}/${oid}` } };
    }),
    async shows({ edda }) {
      const made = await edda.post('/api/space/main/softtype/Document/documentBrief', { title: 'brief' });
      return (await edda.get(made.headers.get('location') ?? '')).status !== 200;
    },
  },

  'versioning.ahead-of-the-server': {
    source: 'core: Versioning 3',
    breaks: 'An edit for a version that the object has not reached is refused as one for an older one is.',
    kind: 'value',
    variant: replaces('versioning', 'sameVersion', (_right, _areas, sent, current) => sent >= current),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'ahead' });
      return (await edda.merge(made, 2, { note: 'ahead' })).status !== 409;
    },
  },

  'versioning.operations-in-a-batch': {
    source: 'core: Endpoint table, PATCH (operations)',
    breaks: 'Operations answer with the new version, also where a batch tells it.',
    kind: 'combination',
    variant: replaces('batch', 'writtenBody', (right, areas, call, answer) => {
      const body = right(areas, call, answer);
      const isOperations = call.headers['content-type'] === mediaTypes.operations;
      if (!isOperations || !isContent(body)) return body;
      return { ...body, version: Number(body['version']) - 1 };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'version' });
      const { json } = await edda.batch([
        {
          method: 'PATCH',
          href: operationsPath(made),
          headers: { [headerNames.version]: '1', 'Content-Type': mediaTypes.operations },
          body: [{ op: 'add', path: '/note', value: 'added' }],
        },
      ]);
      return at(json, '/0/body/version') !== 2;
    },
  },
};

export const operationsMistakes: Batch = {
  'operations.removed-by-the-output-name': {
    source: 'core: Patch operation, row path',
    breaks: 'A path uses the names of the input schema, also to remove a member that the output calls otherwise.',
    kind: 'value',
    variant: replaces('operations', 'targetOf', (right, areas, run, operation) => {
      const [view = run.view] = run.softType.outputs.values();
      return right(areas, operation.op === 'remove' ? { ...run, view } : run, operation);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'label', label: 'renamed' });
      return (await edda.operate(made, 1, [{ op: 'remove', path: '/label' }])).status >= 400;
    },
  },

  'operations.entry-whose-id-begins-so': {
    source: 'core: Operations-based PATCH rules 3',
    breaks: 'A path leads into the entry with that very id, and not into another one once that entry is gone.',
    kind: 'moment',
    variant: replaces('operations', 'entryAt', async (right, areas, run, port, token) => {
      const found = await right(areas, run, port, token);
      if (found !== undefined || token === '') return found;
      const all = await run.writing.entries(run.object.oid, port, { from: 0, to: 1000 });
      return all.find(({ entryId }) => String(entryId).startsWith(token));
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'ids', files: named(12) });
      await edda.operate(made, 1, [{ op: 'remove', path: '/files/1/' }]);
      return (await edda.operate(made, 2, [{ op: 'replace', path: '/files/1/name', value: 'gone' }])).status < 400;
    },
  },

  'operations.rest-of-a-dated-element': {
    source: 'core: Operations-based PATCH rules 8',
    breaks: 'To remove the value of a dated element removes the element, its date included.',
    kind: 'place',
    variant: valueAloneRemoved(),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'dated', price: '10' });
      await edda.operate(made, 1, [{ op: 'remove', path: '/price/value' }]);
      return at(await edda.read(made), '/data/price') !== undefined;
    },
  },

  'operations.position-zero': {
    source: 'core: Operations-based PATCH rules 4',
    breaks: 'A position names no entry, the very first one neither.',
    kind: 'value',
    variant: replaces('operations', 'entryAt', async (right, areas, run, port, token) => {
      if (token !== '0') return right(areas, run, port, token);
      return (await run.writing.entries(run.object.oid, port, { from: 0, to: 1 }))[0];
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'zero', files: named(1) });
      return (await edda.operate(made, 1, [{ op: 'replace', path: '/files/0/name', value: 'first' }])).status < 400;
    },
  },

  'operations.added-a-second-time': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'A member that does not exist can be added, also one that was added and removed before.',
    kind: 'moment',
    variant: breaks('operations', 'addValue', (right) => {
      const added = new Set<string>();
      return async (areas, run, target, value, pointer) => {
        const key = [run.object.oid, target.row.entry?.entryId, ...target.steps.map(({ name }) => name)].join(' ');
        if (target.kind === 'member' && added.has(key)) throw new Refusal(422, 'The member was added before.');
        await right(areas, run, target, value, pointer);
        added.add(key);
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'again' });
      const add = { op: 'add', path: '/note', value: 'added' };
      await edda.operate(made, 1, [add]);
      await edda.operate(made, 2, [{ op: 'remove', path: '/note' }]);
      return (await edda.operate(made, 3, [add])).status >= 400;
    },
  },

  'operations.entry-of-a-later-page-stays': {
    source: 'core: Operations-based PATCH rules 8',
    breaks: 'An entry that lost a mandatory member goes, also one that only a later page shows.',
    kind: 'place',
    variant: replaces('operations', 'removeTarget', (right, areas, run, target) => {
      const isLate = (target.row.entry?.entryId ?? 0) > 10;
      return right(isLate ? within(areas, { operations: { complies: () => true } }) : areas, run, target);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'late', files: named(12) });
      await edda.operate(made, 1, [{ op: 'remove', path: '/files/11/name' }]);
      return listAt((await edda.page(made, 'files', 1)).json, '/data').length === 2;
    },
  },

  'operations.tilde-decoded-twice': {
    source: 'core: Operations-based PATCH rules 3',
    breaks:
      'A path leads to the member that its JSON Pointer names, also where a tilde stands before a digit in the name.',
    kind: 'value',
    variant: replaces('operations', 'pointerTokens', (right, areas, path) => {
      if (path === '' || right(areas, path) === undefined) return right(areas, path);
      const tokens = path.slice(1).split('/');
      return tokens.map((token) => token.replaceAll('~0', '~').replaceAll('~1', '/'));
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'tilde', 'scale/~1': 'a' });
      return (await edda.operate(made, 1, [{ op: 'replace', path: '/scale~1~01', value: 'b' }])).status >= 400;
    },
  },

  'operations.added-to-the-whole': {
    source: 'core: Operations-based PATCH rules 3',
    breaks: 'The empty path is unsupported, also where the value is an object whose members could be added.',
    kind: 'value',
    variant: replaces('operations', 'applyOperation', async (right, areas, run, operation, place) => {
      const isWhole = operation.op === 'add' && operation.tokens.length === 0 && isContent(operation.value);
      if (!isWhole) return right(areas, run, operation, place);
      run.root = { ...run.root, ...(operation.value as object) };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'whole' });
      return (await edda.operate(made, 1, [{ op: 'add', path: '', value: { note: 'added' } }])).status < 400;
    },
  },
};

/** The date of a dated element stays where its value was. */
function valueAloneRemoved(): Variant {
  return (classes) => {
    const values = new WeakSet<object>();
    return together(
      replaces('operations', 'targetOf', async (right, areas, run, operation) => {
        const target = await right(areas, run, operation);
        if (operation.tokens.at(-1) === 'value') values.add(target);
        return target;
      }),
      replaces('operations', 'removeTarget', async (right, areas, run, target) => {
        if (!values.has(target) || !isContent(target.value)) return right(areas, run, target);
        const { value: _gone, ...rest } = target.value;
        return areas.operations.setMember(run, target, rest);
      }),
    )(classes);
  };
}
