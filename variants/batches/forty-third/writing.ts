import { setImmediate } from 'node:timers/promises';
import type { Answer } from '../../../reference-server/http/call.ts';
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
