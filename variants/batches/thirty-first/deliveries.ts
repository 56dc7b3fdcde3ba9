import type { Answer } from '../../../reference-server/http/call.ts';
import { startExtensionHost } from '../../../simulator/extension/host.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, callsOf, logged, registerEndpoint } from '../proofs.ts';
import { at, hostKey, listAt } from '../service.ts';

const failing = always({ status: 503 });

export const callMistakes: Batch = {
  'calls.upper-case-identifiers': {
    source: 'core: Events',
    breaks: 'The correlation id of the request is passed on as it is, a GUID in upper case too.',
    kind: 'value',
    survives: 'Letter case is a matter of the spelling of a GUID (ledger envelope-id-guid-form); it is remarked on.',
    variant: replaces('triggeredCalls', 'envelopeIdOf', (right, areas, call) => {
      const id = right(areas, call);
      return /^[\dA-F]{8}(?:-[\dA-F]{4}){3}-[\dA-F]{12}$/i.test(id) ? id.toLowerCase() : id;
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      const id = '6F9619FF-8B86-4D01-B42D-00CF4FC964FF';
      await service.edda.sendEvent('event', {}, { 'X-Correlation-Id': id });
      await service.pass(1, 2);
      return callsOf(host, 'event')[0]?.envelope?.id !== id;
    },
  },

  'metadata.below-the-origin': {
    source: 'extensions: Metadata exchange',
    breaks: 'The route of the metadata is below the base URL of the host, also where that has a path.',
    kind: 'place',
    variant: replaces('metadata', 'metadataRequest', (right, areas, extension, correlationId) =>
      right(areas, { ...extension, hostUri: new URL(extension.hostUri).origin }, correlationId),
    ),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      host.clearJournal();
      const body = { hostUri: `${host.url}/deep`, apiKey: hostKey, tokenLifeTime: 60 };
      await service.cora.post('/api/admin/svcExtension', body);
      return !host.entries().some(({ target }) => target.startsWith('/deep/'));
    },
  },

  'actions.errors-for-others-are-general': {
    source: 'extensions: Errors 4',
    breaks: 'The messages of an action that failed reach its user, whatever role that has.',
    kind: 'role',
    survives: 'What the service itself answers to whoever runs an action is not shown (ledger trigger-action-binding).',
    variant: replaces('triggers', 'runAction', async (right, areas, call): Promise<Answer> => {
      const answer = await right(areas, call);
      if (answer.status !== 500 || areas.auth.rolesOf(call.user, call.space).includes('administrator')) return answer;
      return { ...answer, raw: JSON.stringify({ errors: [{ message: 'The action failed.' }] }) };
    }),
    async shows(service) {
      await service.host(
        () => [{ id: 'act', extensionType: 'ExternalAction' }],
        always({ status: 500, json: { errors: [{ message: 'no paper' }] } }),
      );
      const answer = await service.edda.post('/api/space/main/externalAction/act', { kind: 'ribbon' });
      return at(answer.json, '/errors/0/message') !== 'no paper';
    },
  },
};

export const retryMistakes: Batch = {
  'retries.not-of-unimplemented-methods': {
    source: 'extensions: Errors 1',
    breaks: 'Any 5xx of an endpoint is transient, 501 as well.',
    kind: 'combination',
    variant: replaces('policies', 'nextStepOf', (right, areas, delivery, policy, outcome) =>
      delivery.kind === 'endpoint' && outcome.kind === 'answered' && outcome.status === 501
        ? { kind: 'failed' }
        : right(areas, delivery, policy, outcome),
    ),
    async shows(service) {
      await using host = await startExtensionHost({ script: always({ status: 501 }) });
      await registerEndpoint(service, 'externalEndpoint', { url: `${host.url}/hook` });
      await service.edda.sendToEndpoint();
      await service.pass(1, 4);
      return host.entries(({ target }) => target.startsWith('/hook')).length < 2;
    },
  },

  'log.no-entry-twice-in-a-row': {
    source: 'extensions: Events 3',
    breaks: 'Each event that is cancelled leaves an entry in the log, also when the one before it was cancelled too.',
    kind: 'copy',
    survives: 'How the log is read is not shown (ledger log-access), so that its entries are observed only.',
    variant: breaks('deliveryLog', 'logEntry', (right) => {
      let last = '';
      return async (areas, writing, entry) => {
        const text = `${entry.kind} ${entry.endpoint} ${entry.message}`;
        const isRepeated = entry.kind === 'cancelled' && text === last;
        last = text;
        if (!isRepeated) await right(areas, writing, entry);
      };
    }),
    async shows(service) {
      await service.host(() => [{ id: 'event' }], failing);
      const events = [await service.edda.sendEvent(), await service.edda.sendEvent()];
      for (const event of events) await service.edda.delete(event.headers.get('location') ?? '');
      return (await logged(service, 'cancelled')).length < 2;
    },
  },
};

export const taskMistakes: Batch = {
  'tasks.directory-cut-to-its-first-name': {
    source: 'extensions: External task links, inputDir',
    breaks: 'The link to the directory leads to the one that holds the input, also two directories down.',
    kind: 'place',
    variant: replaces('requests', 'taskLinks', (right, areas, spaceId, jobId, inputPath, token) =>
      right(areas, spaceId, jobId, inputPath, token).map((link) => {
        const [area = '', rest = ''] = link.url.split('/fs/dir/');
        return link.id === 'inputDir' && rest !== '' ? { ...link, url: `${area}/fs/dir/${rest.split('/')[0]}` } : link;
      }),
    ),
    async shows(service) {
      const host = await service.host(() => [{ id: 'task', extensionType: 'ExternalTask' }]);
      await service.edda.post('/api/space/main/dx', { recordId: 'task', inputPath: 'a/b/c.csv' });
      await service.pass(1, 2);
      const links = listAt(callsOf(host, 'task')[0]?.json, '/payload/links');
      return !links.some((link) => String(at(link, '/url')).endsWith('/fs/dir/a/b'));
    },
  },

  'tasks.progress-hidden-from-readers': {
    source: 'extensions: Callbacks from an external task, progress',
    breaks: 'The message of a task is shown on its job, whoever reads that.',
    kind: 'role',
    survives: 'How a job is read, and by whom, is not shown (ledger job-route).',
    variant: replaces('jobs', 'locateJob', async (right, areas, call, reading) => {
      const job = await right(areas, call, reading);
      if (call.method !== 'GET' || areas.auth.mayUse(call.user, call.space, 'PUT')) return job;
      const { progress: _hidden, ...shown } = job;
      return shown;
    }),
    async shows(service) {
      await service.host(() => [{ id: 'task', extensionType: 'ExternalTask' }]);
      const job = await service.edda.post('/api/space/main/dx', { recordId: 'task', inputPath: 'a/c.csv' });
      await service.pass(1, 2);
      const path = job.headers.get('location') ?? '';
      await service.edda.put(`${path}/progress`, undefined, { message: 'half of it' });
      return !(await service.rita.get(path)).text.includes('half of it');
    },
  },
};
