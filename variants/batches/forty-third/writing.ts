import { setImmediate } from 'node:timers/promises';
import type { Answer } from '../../../reference-server/http/call.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, listAt, many } from '../service.ts';

export const writingMistakes: Batch = {
  'versioning.begins-with-the-same-digits': {
    source: 'core: Common request headers, row Svc-UOIVersion',
    breaks: 'A version is compared as a number: 1 is not the beginning of 10.',
    kind: 'value',
    variant: replaces('versioning', 'sameVersion', (_right, _areas, sent, current) =>
      String(current).startsWith(String(sent)),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      for (let version = 1; version < 10; version += 1) await edda.merge(made, version, { note: `n${version}` });
      return (await edda.merge(made, 1, { note: 'again' })).status < 300;
    },
  },

  'editing.location-of-the-latest': {
    source: 'core: Common request headers, Location',
    breaks: 'The Location of a create leads to what it created, also when two come at once.',
    kind: 'moment',
    variant: breaks('messages', 'finish', (right) => {
      let latest: Answer['headers'];
      return async (areas, call, answer) => {
        const finished = await right(areas, call, answer);
        const isCreate = finished.status === 201 && call.params['inputSchemaId'] !== undefined;
        if (!isCreate || 'isSibling' in call) return finished;
        latest = finished.headers;
        await setImmediate();
        await setImmediate();
        return { ...finished, ...(latest && { headers: latest }) };
      };
    }),
    async shows({ edda }) {
      const creates = many(6, (number) =>
        edda.post('/api/space/main/softtype/Document/documentInput', { title: `t${number}` }),
      );
      const places = (await Promise.all(creates)).map(({ headers }) => headers.get('location'));
      return new Set(places).size < places.length;
    },
  },

  'maturity.one-click-for-two-objects': {
    source: 'core: States and transitions',
    breaks: 'A promote that is accepted moves its object, also right behind that of another one.',
    kind: 'moment',
    variant: breaks('maturity', 'promoteObject', (right) => {
      let former: { readonly key: string; readonly at: number; readonly answer: Answer } | undefined;
      return async (areas, call, writing) => {
        const key = `${call.user.name} ${call.place.id} ${call.object.version}`;
        const now = areas.clock.now();
        if (former?.key === key && now - former.at < 300 && call.isSibling === undefined) return former.answer;
        const answer = await right(areas, call, writing);
        former = { key, at: now, answer };
        return answer;
      };
    }),
    async shows({ edda }) {
      const [one, other] = [await edda.make('Document', { title: 'a' }), await edda.make('Document', { title: 'b' })];
      await edda.move(one, 1);
      const moved = await edda.move(other, 1);
      return moved.status === 204 && at(await edda.read(other), '/version') !== 2;
    },
  },

  'operations.replace-adds-in-an-entry-of-an-entry': {
    source: 'core: Operations-based PATCH rules 7',
    breaks: 'The target of a replace must exist, also in an entry of an array that is inside an entry.',
    kind: 'place',
    variant: replaces('operations', 'replaceValue', (right, areas, run, target, value, place) => {
      const isDeep = target.steps.some(({ entryId }) => entryId !== undefined);
      return isDeep && target.kind === 'member' && target.value === undefined
        ? areas.operations.setMember(run, target, value)
        : right(areas, run, target, value, place);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: [{ name: 'n', revisions: [{ text: 'r' }] }] });
      const read = await edda.read(made);
      const [file, revision] = [at(read, '/data/files/0/$entryId'), at(read, '/data/files/0/revisions/0/$entryId')];
      const path = `/files/${String(file)}/revisions/${String(revision)}/author`;
      return (await edda.operate(made, 1, [{ op: 'replace', path, value: 'a' }])).status < 300;
    },
  },

  'operations.value-before-op': {
    source: 'core: Operations-based PATCH rules 2',
    breaks: 'An operation has its own value, wherever in it that stands.',
    kind: 'copy',
    variant: replaces('operations', 'operationsOf', (right, areas, body) => {
      const operations = right(areas, body);
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
      const made = await edda.make('Document', { title: 't', note: 'n', remark: 'r' });
      await edda.operate(made, 1, [
        { value: 'one', op: 'replace', path: '/note' },
        { value: 'two', op: 'replace', path: '/remark' },
      ]);
      return at(await edda.read(made), '/data/remark') === 'one';
    },
  },

  'operations.remove-by-output-name': {
    source: 'core: Operations-based PATCH rules 3',
    breaks: 'A path is one of the input schema, for a remove as well.',
    kind: 'place',
    variant: replaces('operations', 'targetOf', (right, areas, run, operation) => {
      const [first = '', ...rest] = operation.tokens;
      const outputs = [...run.softType.outputs.values()];
      const name = run.view.names.has(first)
        ? undefined
        : outputs.map(({ names }) => names.get(first)).find((found) => found !== undefined);
      return operation.op === 'remove' && name !== undefined
        ? right(areas, run, { ...operation, tokens: [name, ...rest] })
        : right(areas, run, operation);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', label: 'l' });
      await edda.operate(made, 1, [{ op: 'remove', path: '/displayLabel' }]);
      return at(await edda.read(made), '/data/displayLabel') === undefined;
    },
  },

  'operations.position-of-the-first-of-none': {
    source: 'core: Operations-based PATCH rules 4',
    breaks: 'A position adds nothing, not even 0 in an array inside an entry that is empty.',
    kind: 'place',
    variant: replaces('operations', 'targetOf', async (right, areas, run, operation) => {
      const { op, tokens } = operation;
      if (op !== 'add' || tokens.length !== 4 || tokens[3] !== '0') return right(areas, run, operation);
      const target = await right(areas, run, { ...operation, tokens: tokens.slice(0, 3) });
      const isEmpty = target.kind === 'array' && Array.isArray(target.value) && target.value.length === 0;
      return isEmpty ? target : right(areas, run, operation);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: [{ name: 'n' }] });
      const id = String(at(await edda.read(made), '/data/files/0/$entryId'));
      const answer = await edda.operate(made, 1, [
        { op: 'add', path: `/files/${id}/revisions/0`, value: { text: 'r' } },
      ]);
      return answer.status < 300;
    },
  },

  'operations.administrators-replace-lists': {
    source: 'core: Operations-based PATCH rules 6',
    breaks: 'An array is no value for replace, whoever sends it.',
    kind: 'role',
    variant: replaces('operations', 'replaceValue', (right, areas, run, target, value, place) => {
      const isPrivileged = areas.auth.rolesOf(run.call.user, run.call.space).includes('administrator');
      return isPrivileged && target.kind === 'list' && Array.isArray(value)
        ? areas.operations.setMember(run, target, value)
        : right(areas, run, target, value, place);
    }),
    async shows({ alma }) {
      const made = await alma.make('Document', { title: 't', keywords: ['a'] });
      const answer = await alma.operate(made, 1, [{ op: 'replace', path: '/keywords', value: ['b'] }]);
      return answer.status < 300;
    },
  },

  'operations.same-value-keeps-its-date': {
    source: 'core: Operations-based PATCH rules 7',
    breaks: 'A dated element gets the date of the filter, also where the value is the one that it had.',
    kind: 'value',
    variant: replaces('operations', 'replaceValue', async (right, areas, run, target, value, place) => {
      const isSame = isContent(target.value) && target.value['value'] === value;
      if (target.kind === 'member' && target.member.kind === 'dated' && isSame) return;
      await right(areas, run, target, value, place);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', price: '12' });
      const operations = [{ op: 'replace', path: '/price', value: '12' }];
      await edda.operate(made, 1, operations, { time: '2019-03-04T00:00:00Z' });
      return !String(at(await edda.read(made), '/data/price/effectivity')).startsWith('2019-03-04');
    },
  },

  'multi-create.references-once-for-each-role': {
    source: 'core: Multi-create item',
    breaks: 'A reference is stored once, however many roles its sender has.',
    kind: 'role',
    variant: replaces('multiCreate', 'createItems', (right, areas, call, writing, items, inputs) => {
      const roles = areas.auth.rolesOf(call.user, call.space);
      const isReferring = (index: number, port: string) =>
        items[index]?.softType.members.get(port)?.kind === 'references';
      const joined = inputs.map((input, index) => ({
        ...input,
        arrays: new Map(
          [...input.arrays].map(([port, entries]) => [
            port,
            isReferring(index, port) ? entries.flatMap((entry) => roles.map(() => entry)) : entries,
          ]),
        ),
      }));
      return right(areas, call, writing, items, joined);
    }),
    async shows({ emil }) {
      const made = await emil.multiCreate([
        { $id: 'p', $softType: 'Part', data: { name: 'n' } },
        {
          $id: 'd',
          $softType: 'Document',
          data: { title: 't', describes: [{ id: 'x', value: { instanceRef: 'p', softTypeId: 'Part' } }] },
        },
      ]);
      const read = await emil.get(String(at(made.json, '/1/href')));
      return listAt(read.json, '/data/describes').length !== 1;
    },
  },
};
