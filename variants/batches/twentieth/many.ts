import { isContent } from '../../../reference-server/areas/content.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { callsTo, claimsIn } from '../proofs.ts';
import { at, editPath, versionHeader } from '../service.ts';

export const manyMistakes: Batch = {
  'batch.version-as-a-text': {
    source: 'core: Batch result',
    breaks: 'The version in the result of an edit is an integer.',
    kind: 'value',
    variant: replaces('batch', 'writtenBody', (right, areas, call, answer) => {
      const body = right(areas, call, answer);
      const isEdit = call.method !== 'POST' && isContent(body) && body['version'] !== undefined;
      return isEdit ? { ...body, version: String(body['version']) } : body;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'batch' });
      const edit = { method: 'PATCH', href: editPath(made), headers: versionHeader(1), body: { note: 'edited' } };
      return at((await edda.batch([edit])).json, '/0/body/version') !== 2;
    },
  },

  'batch.letters-of-one-byte': {
    source: 'core: Batch operation',
    breaks: 'The body of an operation is the payload of the request, in whatever script it is written.',
    kind: 'value',
    variant: replaces('batch', 'prepareOperation', (right, areas, ...args) => {
      const { call, route } = right(areas, ...args);
      const body = call.body && Buffer.from(call.body.toString('utf8'), 'latin1');
      return { route, call: { ...call, body } };
    }),
    async shows({ edda }) {
      const create = { method: 'POST', href: '/api/space/main/softtype/Document/documentInput' };
      return (await edda.batch([{ ...create, body: { title: 'Prüfung' } }])).status !== 200;
    },
  },

  'multi-create.without-its-last-item': {
    source: 'core: Multi-create rules 1',
    breaks: 'All instances are created in one change set: none when the last is wrong.',
    kind: 'place',
    variant: replaces('multiCreate', 'multiCreate', async (right, areas, call, writing) => {
      try {
        return await right(areas, call, writing);
      } catch (error) {
        if (!Array.isArray(call.json) || call.json.length < 3) throw error;
        return right(areas, { ...call, json: call.json.slice(0, -1) }, writing);
      }
    }),
    async shows({ edda }) {
      return (await edda.multiCreate([part('a'), part('b'), { ...part('c'), data: {} }])).status < 400;
    },
  },
};

export const accessMistakes: Batch = {
  'calls.mail-of-the-first-caller': {
    source: 'extensions: Payloads by extension type',
    breaks: 'An action is told the address of whoever triggers it, whoever did so before.',
    kind: 'copy',
    variant: breaks('triggeredCalls', 'deliveryOf', (right) => {
      const addresses = new Map<string | undefined, unknown>();
      return (areas, call, triggered) => {
        const { kind, payload, recordId } = triggered;
        if (kind !== 'action' || !isContent(payload)) return right(areas, call, triggered);
        const email = addresses.get(recordId) ?? payload['email'];
        addresses.set(recordId, email);
        return right(areas, call, { ...triggered, payload: { ...payload, email } });
      };
    }),
    async shows({ host, edda, emil }) {
      const called = await host(() => [{ id: 'action', extensionType: 'ExternalAction' }]);
      for (const user of [edda, emil]) await user.post('/api/space/main/externalAction/action', { kind: 'ribbon' });
      const [first, second] = callsTo(called).map(({ json }) => at(json, '/payload/email'));
      return first === second && claimsIn(callsTo(called)[1]) !== null;
    },
  },
};

function part($id: string) {
  return { $id, $softType: 'Part', data: { name: `part ${$id}` } };
}
