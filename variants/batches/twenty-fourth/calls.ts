import { breaks } from '../../breaks.ts';
import type { Addressee } from '../../../reference-server/areas/triggered-calls.ts';
import type { Batch } from '../mistake.ts';
import { callsOf, callsTo, changeExtension, registerEndpoint, scheduleTask } from '../proofs.ts';
import { at, listAt } from '../service.ts';
import { keeps } from './kept.ts';

export const registeredMistakes: Batch = {
  'endpoints.deleted-and-registered-again': {
    source: 'extensions: Registered external endpoint, active',
    breaks: 'An endpoint is active unless its registration says otherwise, whatever a deleted one of its name said.',
    kind: 'copy',
    variant: breaks('registrations', 'endpointFrom', (right) => {
      const said = new Map<unknown, unknown>();
      return (areas, body) => {
        const id = at(body, '/id');
        const active = at(body, '/active') ?? said.get(id);
        said.set(id, active);
        return right(areas, active === undefined ? body : { ...(body as object), active });
      };
    }),
    async shows(service) {
      const host = await service.host(() => []);
      const fields = { url: `${host.url}/hook` };
      await registerEndpoint(service, 'externalEndpoint', { ...fields, active: false });
      await service.cora.delete('/api/admin/externalEndpoint/hook');
      await registerEndpoint(service, 'externalEndpoint', fields);
      await service.edda.sendToEndpoint();
      await service.pass(1);
      return callsTo(host).length === 0;
    },
  },

  'validation.soft-type-before-an-update': {
    source: 'extensions: Extension metadata record, capability use',
    breaks: 'A validation applies to the SoftTypes that its capabilities list by now.',
    kind: 'copy',
    variant: breaks('validation', 'validatorsFor', (right) => {
      const known = new Map<string, readonly Addressee[]>();
      return async (areas, reading, softTypeId) => {
        const now = await right(areas, reading, softTypeId);
        const gone = (known.get(softTypeId) ?? []).filter(
          ({ recordId }) => !now.some((addressee) => addressee.recordId === recordId),
        );
        const kept = await Promise.all(gone.map((address) => areas.triggeredCalls.addresseeAt(reading, address)));
        const all = [
          ...now,
          ...kept.filter((addressee) => addressee?.callee.active).filter((each) => each !== undefined),
        ];
        known.set(softTypeId, all);
        return all;
      };
    }),
    async shows(service) {
      const host = await service.host(() => [validator('Document')]);
      const promote = async () => service.edda.move(await service.edda.make('Document', { title: 't' }), 1);
      await promote();
      host.setRecords([validator('Part')]);
      await changeExtension(service, { hostUri: host.url });
      await promote();
      return callsOf(host, 'validation').length === 2;
    },
  },
};

export const callsMistakes: Batch = {
  'tasks.links-of-the-same-input': {
    source: 'extensions: External task links',
    breaks: 'The links of a task report on its own job, also when another job had the same input.',
    kind: 'copy',
    variant: keeps('requests', 'taskLinks', (spaceId, _jobId, inputPath) => `${spaceId} ${inputPath}`),
    async shows(service) {
      const host = await service.host(() => [{ id: 'task', extensionType: 'ExternalTask' }]);
      for (let left = 2; left > 0; left -= 1) await scheduleTask(service);
      const statuses = callsOf(host, 'task').map(({ json }) =>
        listAt(json, '/payload/links').find((link) => at(link, '/id') === 'taskStatus'),
      );
      return statuses.length === 2 && at(statuses[0], '/url') === at(statuses[1], '/url');
    },
  },
};

function validator(softTypeId: string) {
  return {
    id: 'validation',
    version: '1.0.0',
    name: 'validation',
    endpoint: '/validation',
    extensionType: 'ExternalValidation',
    category: 'proof',
    capabilities: [{ capabilityType: 'SoftType', capabilities: [softTypeId] }],
  };
}
