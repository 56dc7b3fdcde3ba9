import { randomUUID } from 'node:crypto';
import { headerNames } from '../../../contract/names.ts';
import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { callsOf } from '../proofs.ts';
import { at, hostKey, type Received, type Service } from '../service.ts';

const extensionPath = '/api/admin/svcExtension';

export const metadataMistakes: Batch = {
  'metadata.fetched-before-actions': {
    source: 'extensions: Metadata exchange',
    breaks: 'Metadata is asked for when an extension is added or updated, and not when it is called.',
    kind: 'moment',
    variant: replaces('outgoingCalls', 'attempt', async (right, areas, delivery, callee, count) => {
      if (callee !== undefined && 'extension' in callee)
        await areas.metadata.fetchMetadata(callee.extension, delivery.envelopeId);
      return right(areas, delivery, callee, count);
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'action', extensionType: 'ExternalAction' }]);
      await runAction(service, {});
      return callsOf(host, 'metadata').length > 1;
    },
  },

  'metadata.former-records-stay': {
    source: 'extensions: Versioning',
    breaks: 'An update brings the metadata that the host tells now; a record that it tells no more is gone.',
    kind: 'copy',
    variant: replaces('metadata', 'recordsInForce', (right, areas, former, fetched) => {
      const ids = new Set(fetched.map(({ id }) => id));
      return right(areas, former, [...fetched, ...former.filter(({ id }) => !ids.has(id))]);
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      host.setRecords([]);
      const { cora } = service;
      const id = String(at((await cora.get(extensionPath)).json, '/data/0/id'));
      await cora.put(`${extensionPath}/${id}`, undefined, { hostUri: host.url, apiKey: hostKey, tokenLifeTime: 60 });
      await service.edda.sendEvent();
      await service.pass(1);
      return host.entries((entry) => entry.kind !== 'metadata').length > 0;
    },
  },
};

export const callsMistakes: Batch = {
  'calls.another-id-for-validations': {
    source: 'extensions: Call envelope',
    breaks: 'The id of the envelope is the correlation id of the promote that asks for a validation.',
    kind: 'place',
    variant: replaces('triggeredCalls', 'envelopeIdOf', (right, areas, call) => {
      return call.params['levelId'] === undefined ? right(areas, call) : randomUUID();
    }),
    async shows(service) {
      const host = await service.host(() => [validator(['Document'])]);
      const id = randomUUID();
      await promoteFresh(service, { [headerNames.correlationId]: id });
      const [call] = callsOf(host, 'validation');
      return call !== undefined && call.envelope?.id !== id;
    },
  },
};

function runAction({ edda }: Service, selection: object): Promise<Received> {
  return edda.post('/api/space/main/externalAction/action', { kind: 'ribbon', ...selection });
}

async function promoteFresh({ edda }: Service, headers: Readonly<Record<string, string>> = {}): Promise<void> {
  const made = await edda.make('Document', { title: 'title' });
  const path = `/api/space/main/maturityAction/promote/${made.oid}/release/engineering`;
  await edda.send('PUT', path, { headers: { [headerNames.version]: '1', ...headers } });
}

function validator(softTypes: string[]) {
  const capabilities = [{ capabilityType: 'SoftType', capabilities: softTypes }];
  return { id: 'validator', extensionType: 'ExternalValidation', capabilities };
}
