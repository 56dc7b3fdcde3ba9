import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, callsOf, scheduleTask } from '../proofs.ts';
import { at } from '../service.ts';
import { becomes } from './calls.ts';

/** A task for which anybody may have a file. */
const task = { id: 'task', extensionType: 'ExternalTask' } as const;

const action = { id: 'act', extensionType: 'ExternalAction' } as const;

const actionPath = '/api/space/main/externalAction/act';

const acquirePath = '/api/collection/externalExtension/acquireAccessToken/keys';

/** Tasks and their jobs, actions, and the keys of extensions. */
export const tasksMistakes: Batch = {
  'tasks.no-log-of-a-cancellation': {
    source: 'extensions: States and transitions, row Canceled',
    breaks: 'A log path may be given with each final status, also with that of a cancellation.',
    kind: 'place',
    variant: replaces('jobs', 'jobAfterReport', (right, areas, job, status, files) =>
      right(areas, job, status, status === 'Canceled' ? {} : files),
    ),
    async shows(service) {
      await service.host(() => [task]);
      const job = await scheduleTask(service);
      await service.edda.put(`${job}/status/Canceled`, undefined, { logFilePath: 'folder/task.log' });
      const read = (await service.edda.get(job)).json;
      return at(read, '/taskStatus') === 'Canceled' && at(read, '/logFilePath') === undefined;
    },
  },

  'actions.batch-of-a-form-as-an-object': {
    source: 'extensions: Payloads by extension type, text on the action content payload',
    breaks: 'The content of a form is what the route would have been sent, also where that is a batch.',
    kind: 'combination',
    variant: replaces('triggers', 'formPayload', (right, areas, body) => {
      const form = right(areas, body);
      const content = at(form, '/contentPayload');
      return { ...form, contentPayload: { ...(content as object) } };
    }),
    async shows(service) {
      const host = await service.host(() => [action], always({ status: 200, json: { statusCode: 200 } }));
      const contentPayload = [{ method: 'GET', href: '/api/space/main/softtype/none' }];
      const requestedRoute = '/api/space/main/batch';
      await service.edda.post(actionPath, { kind: 'form', requestedRoute, httpVerb: 'POST', contentPayload });
      const [call] = callsOf(host, 'action');
      return call !== undefined && !Array.isArray(at(call.envelope?.payload, '/contentPayload'));
    },
  },

  'actions.address-of-the-first-with-the-role': {
    source: 'extensions: Payloads by extension type, row ExternalAction',
    breaks: 'The address is that of the user who runs the action, and not of another with the same role.',
    kind: 'role',
    variant: replaces('triggeredCalls', 'deliveryOf', (right, areas, call, triggered) => {
      const delivery = right(areas, call, triggered);
      if (triggered.kind !== 'action') return delivery;
      const [role] = areas.auth.rolesOf(call.user, call.space);
      const users = [...areas.configuration.users.values()];
      const user = users.find((each) => areas.auth.rolesOf(each, call.space)[0] === role);
      return { ...delivery, payload: { ...(delivery.payload as object), email: user?.email } };
    }),
    async shows(service) {
      const host = await service.host(() => [action], always({ status: 200, json: { statusCode: 200 } }));
      await service.emil.post(actionPath, { kind: 'ribbon' });
      const [call] = callsOf(host, 'action');
      return at(call?.envelope?.payload, '/email') === 'edda@demonstration.example';
    },
  },

  'tasks.one-timer-for-all': {
    source: 'extensions: Payloads by extension type, row ExternalTask, timeout',
    breaks: 'A task that runs out of time fails its job, also where another task has begun meanwhile.',
    kind: 'moment',
    variant: replaces('jobs', 'noteTaskStart', async (right, areas, writing, id) => {
      for (const other of await writing.documents('taskDeadline'))
        await writing.deleteDocument('taskDeadline', other.id);
      await right(areas, writing, id);
    }),
    async shows(service) {
      const stateOf = async (job: string) => at((await service.edda.get(job)).json, '/state');
      const runs = (job: string) => becomes(async () => (await stateOf(job)) === 'Running');
      await service.host(() => [task]);
      const first = await scheduleTask(service, { timeout: 20 });
      if (!(await runs(first))) return false;
      const second = await scheduleTask(service, { timeout: 900 });
      if (!(await runs(second))) return false;
      await service.pass(30);
      return !(await becomes(async () => (await stateOf(first)) === 'Failed'));
    },
  },

  'api-keys.young-as-long-as-they-are-asked-for': {
    source: 'extensions: Limits, row permission key rotation',
    breaks: 'A key is changed every day, also one that is asked for more often than that.',
    kind: 'moment',
    variant: replaces('apiKeys', 'issueKeys', async (right, areas, writing, holder, permissions) => {
      const keys = await right(areas, writing, holder, permissions);
      return keys.map((key) => ({ ...key, issuedAt: areas.clock.now() }));
    }),
    async shows(service) {
      const host = await service.host(
        (url) => [{ id: 'keys', permissions: { tokenCallback: `${url}/keys`, permissions: ['SnapshotAPI'] } }],
        always({ status: 200 }),
      );
      const request = { tokenCallback: `${host.url}/keys`, permissions: ['SnapshotAPI'] };
      for (let count = 0; count < 5; count += 1) {
        await service.cora.post(acquirePath, request);
        await service.pass(13 * 3600);
      }
      const keys = callsOf(host, 'other').map(({ json }) => at(json, '/SnapshotAPI/apiKey'));
      return keys.length === 5 && keys[0] !== undefined && new Set(keys).size === 1;
    },
  },
};
