import { jobWith } from '../../../reference-server/areas/jobs.ts';
import { capabilitiesOf } from '../../../reference-server/areas/records.ts';
import type { MetadataRecord } from '../../../simulator/extension/metadata.ts';
import type { Script } from '../../../simulator/extension/script.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { type Service, at } from '../service.ts';

/** Validations, tasks, actions, tokens and keys. */
export const calls: Batch = {
  'validation.third-soft-type': {
    source: 'extensions: Extension metadata record, capability use',
    breaks: 'A validation applies to each SoftType that is listed, the third one included.',
    kind: 'place',
    variant: replaces('registry', 'validatorsOf', async (right, areas, reading, softTypeId) => {
      const addresses = await right(areas, reading, softTypeId);
      const isEarly = await Promise.all(
        addresses.map(async ({ registrationId, recordId }) => {
          const registration = await areas.registry.registrationOf(reading, registrationId);
          if (registration?.kind !== 'svcExtension') return true;
          const record = registration.records.find(({ id }) => id === recordId);
          return record === undefined || capabilitiesOf(record, 'SoftType').indexOf(softTypeId) < 2;
        }),
      );
      return addresses.filter((_, index) => isEarly[index]);
    }),
    async shows({ edda, host }) {
      await host(
        () => [validationOf('Part', 'Requirement', 'ChangeRequest')],
        [{ steps: [{ status: 200, json: { isValid: false, message: 'no' } }], afterwards: 'last' }],
      );
      const made = await edda.make('ChangeRequest', { subject: 'third' });
      return (await edda.move(made, 1)).status === 204;
    },
  },
  'tasks.no-timeout-after-a-restart': {
    source: 'extensions: Limits, task timeout',
    survives: 'What outlives the process is not said (queue-restart), of jobs as little as of events.',
    breaks: 'A task that does not end in time fails, though the service was started again meanwhile.',
    kind: 'moment',
    variant: replaces('jobs', 'startTasks', async () => undefined),
    async shows(service) {
      await service.host(() => [task], acknowledged);
      const job = await schedule(service, 'input.txt', 60);
      await service.pass(1);
      await service.restart();
      await service.pass(120);
      return at((await service.edda.get(job)).json, '/state') === 'Running';
    },
  },
  'tasks.reported-through-another-space': {
    source: 'core: Authentication 6 and 7; extensions: Callbacks from an external task',
    breaks: 'A job belongs to its space: a role in another one lets nobody report on it.',
    kind: 'role',
    variant: replaces(
      'jobs',
      'locateJob',
      async (right, areas, call, reading) =>
        (await jobWith(reading, call.params['jobId'] ?? '')) ?? right(areas, call, reading),
    ),
    async shows(service) {
      await service.host(() => [task], acknowledged);
      const job = await schedule(service, 'input.txt');
      await service.pass(1);
      await service.otto.put(`${job.replace('/main/', '/depot/')}/status/Completed`, undefined);
      return at((await service.edda.get(job)).json, '/state') === 'Completed';
    },
  },
  'tokens.used-once-never-over': {
    source: 'extensions: Limits, token validity',
    breaks: 'A token ends after its life time, also when it was used before.',
    kind: 'copy',
    variant: breaks('tokens', 'verifyToken', (right) => {
      const seen = new Map<string, Awaited<ReturnType<typeof right>>>();
      return async (areas, token) => {
        const claims = seen.get(token) ?? (await right(areas, token));
        seen.set(token, claims);
        return claims;
      };
    }),
    async shows(service) {
      const made = await service.edda.make('Document', { title: 'read by token' });
      const host = await service.host(() => [event]);
      await service.edda.sendEvent(event.id);
      await service.pass(1);
      const [call] = host.entries(({ kind }) => kind === 'event');
      const authorization = `Bearer ${call?.envelope?.accessToken ?? ''}`;
      const first = (await service.nobody.get(made.path, { authorization })).status;
      await service.pass(61 * 60);
      return first === 200 && (await service.nobody.get(made.path, { authorization })).status === 200;
    },
  },
};

const acknowledged: Script = [{ when: { kind: 'task' }, steps: [{ status: 200 }], afterwards: 'last' }];

const event = record('proof-event', 'ExternalEvent');

const task = record('proof-task', 'ExternalTask');

function record(id: string, extensionType: string): MetadataRecord {
  return {
    id,
    version: '1.0.0',
    name: id,
    endpoint: `/${id}`,
    extensionType,
    category: 'proof',
    rateLimitNumberOfExecutions: 1000,
  };
}

function validationOf(...softTypes: readonly string[]): MetadataRecord {
  const capabilities = [{ capabilityType: 'SoftType', capabilities: softTypes }];
  return { ...record('proof-validation', 'ExternalValidation'), capabilities };
}

/** Path of the job. */
async function schedule({ edda }: Service, inputPath: string, timeout = 600): Promise<string> {
  const answer = await edda.post('/api/space/main/dx', { recordId: task.id, inputPath, timeout });
  return answer.headers.get('location') ?? '';
}
