import { isContent } from '../../../reference-server/areas/content.ts';
import { deadlines, jobWith, keepJob } from '../../../reference-server/areas/jobs.ts';
import { breaks, replaces, type Variant } from '../../breaks.ts';
import { always, awaitCalls, callsOf, task } from '../hosts.ts';
import type { Mistakes } from '../mistake.ts';
import { becomes, runningJob, scheduleTask } from '../proofs.ts';
import { at } from '../service.ts';
import { changes, mapMembers, mapTexts, withoutAlikes, withoutMarks } from '../variant-parts.ts';

export const tasksMistakes: Mistakes = {
  'tasks.no-longer-than-the-default': {
    source: 'extensions: Payloads by extension type',
    breaks: 'The timeout of a task is configurable, also beyond the default.',
    variant: changes('triggers', 'taskPayload', (payload) => ({ ...payload, timeout: Math.min(payload.timeout, 600) })),
    async shows(service) {
      const host = await service.host([task]);
      await scheduleTask(service, { timeout: 900 });
      return at(callsOf(host, 'task')[0]?.json, '/payload/timeout') !== 900;
    },
  },
  'tasks.texts-of-settings-trimmed': {
    source: 'extensions: Payloads by extension type, row ExternalTask',
    breaks: 'The settings of a task are those that were configured, blanks at the ends of a text included.',
    variant: configures((settings) => mapTexts(settings, (text) => text.trim())),
    async shows(service) {
      const host = await service.host([task]);
      await scheduleTask(service, { taskSettings: { separator: '; ' } });
      return at(callsOf(host, 'task')[0]?.json, '/payload/taskSettings/separator') === ';';
    },
  },
  'tasks.settings-of-255-characters': {
    source: 'extensions: Payloads by extension type, row ExternalTask',
    breaks: 'The settings of a task are those that were configured, a long text whole.',
    variant: configures((settings) => mapTexts(settings, (text) => text.slice(0, 255))),
    async shows(service) {
      const host = await service.host([task]);
      await scheduleTask(service, { taskSettings: { query: 'q'.repeat(300) } });
      return String(at(callsOf(host, 'task')[0]?.json, '/payload/taskSettings/query')).length === 255;
    },
  },
  'tasks.single-settings-unwrapped': {
    source: 'extensions: Payloads by extension type, row ExternalTask',
    breaks: 'The settings of a task are those that were configured: a list of one is a list, as XML does not know.',
    variant: configures(withoutLists),
    async shows(service) {
      const host = await service.host([task]);
      await scheduleTask(service, { taskSettings: { recipients: ['edda'] } });
      return at(callsOf(host, 'task')[0]?.json, '/payload/taskSettings/recipients') === 'edda';
    },
  },
  'tasks.timeout-of-the-one-before': {
    source: 'extensions: Payloads by extension type, row ExternalTask',
    breaks: 'A task without a timeout has 600 seconds, also behind one that had another.',
    variant: breaks('triggers', 'taskPayload', (right) => {
      let former: unknown;
      return (areas, body) => {
        former = body['timeout'] ?? former;
        return right(areas, former === undefined ? body : { ...body, timeout: former });
      };
    }),
    async shows(service) {
      const host = await service.host([task]);
      await scheduleTask(service, { timeout: 30 });
      await scheduleTask(service);
      return at(callsOf(host, 'task').at(-1)?.envelope, '/payload/timeout') !== 600;
    },
  },
  'tasks.progress-ends-the-time-limit': {
    source: 'extensions: Payloads by extension type, row ExternalTask, timeout',
    breaks: 'The job fails a task whose time is over, also one that has reported progress.',
    survives: 'What progress does to the time of a task is open (task-timeout-clock): recorded.',
    variant: changes('jobs', 'reportProgress', async (answer, areas, call, writing) => {
      await areas.jobs.dropDeadline(writing, call.place.id);
      return answer;
    }),
    async shows(service) {
      await service.host([task]);
      const job = await scheduleTask(service, { timeout: 10 });
      await service.edda.put(`${job}/progress`, undefined, { message: 'half' });
      await service.pass(5, 4);
      return at((await service.edda.get(job)).json, '/state') === 'Running';
    },
  },
  'tasks.timeout-is-cut-to-whole-seconds': {
    source: 'extensions: Payloads by extension type, row ExternalTask',
    breaks: 'The timeout of a task is a number, with its fraction.',
    survives: 'How a task is configured is not shown (ledger trigger-task-binding): its seconds may be integers there.',
    variant: changes('triggers', 'taskPayload', (payload) => ({
      ...payload,
      timeout: Math.max(1, Math.trunc(payload.timeout)),
    })),
    async shows(service) {
      const host = await service.host([task]);
      await scheduleTask(service, { timeout: 90.5 });
      const [call] = await awaitCalls(host);
      return call !== undefined && at(call.envelope?.payload, '/timeout') !== 90.5;
    },
  },
  'tasks.marks-of-serialisers-are-lost': {
    source: 'extensions: Payloads by extension type, row ExternalTask',
    breaks:
      'taskSettings are those that are configured, with members that the serialiser has a meaning of its own for.',
    variant: configures(withoutMarks),
    async shows(service) {
      const host = await service.host([task]);
      await scheduleTask(service, { taskSettings: { of: { $type: 'a' } } });
      const [call] = await awaitCalls(host);
      return at(call?.json, '/payload/taskSettings/of/$type') !== 'a';
    },
  },
  'tasks.null-in-lists-is-lost': {
    source: 'extensions: Payloads by extension type, row ExternalTask',
    breaks: 'taskSettings are those that are configured, with what is null in objects of lists.',
    variant: changes('triggers', 'taskPayload', (payload) => ({
      ...payload,
      taskSettings: Object.fromEntries(
        Object.entries(payload.taskSettings).map(([name, value]) => [
          name,
          Array.isArray(value) ? mapMembers(value, (members) => members.filter(([, one]) => one !== null)) : value,
        ]),
      ),
    })),
    async shows(service) {
      const host = await service.host([task]);
      await scheduleTask(service, { taskSettings: { list: [{ one: null }] } });
      const [call] = await awaitCalls(host);
      return at(call?.json, '/payload/taskSettings/list/0/one') !== null;
    },
  },
  'tasks.names-in-any-case': {
    source: 'extensions: Payloads by extension type, row ExternalTask',
    breaks: 'taskSettings are those that are configured, with names that differ in the case of letters alone.',
    variant: configures(withoutAlikes),
    async shows(service) {
      const host = await service.host([task]);
      await scheduleTask(service, { taskSettings: { one: 1, One: 2 } });
      const [call] = await awaitCalls(host);
      return at(call?.json, '/payload/taskSettings/one') !== 1;
    },
  },
  'task.settings-of-the-task-before': {
    source: 'extensions: Payloads by extension type, row ExternalTask',
    breaks: 'taskSettings are those configured for this task, without any of an earlier one.',
    variant: breaks('triggers', 'taskPayload', (right) => {
      let before = {};
      return (areas, body) => {
        const payload = right(areas, body);
        before = { ...before, ...payload.taskSettings };
        return { ...payload, taskSettings: before };
      };
    }),
    async shows(service) {
      const host = await service.host([task]);
      await scheduleTask(service, { taskSettings: { first: true } });
      await scheduleTask(service, { taskSettings: { second: true } });
      const calls = await awaitCalls(host, 2);
      return calls.some(({ envelope }) => {
        const settings = at(envelope, '/payload/taskSettings');
        return at(settings, '/first') === true && at(settings, '/second') === true;
      });
    },
  },
  'tasks.acknowledgement-without-a-body': {
    source: 'extensions: Calls to extensions, row ExternalTask',
    breaks: 'A task that is acknowledged works on, whether or not the acknowledgement says anything.',
    variant: replaces('policies', 'isDelivered', (right, areas, kind, outcome) => {
      const isSilent = kind === 'task' && outcome.kind === 'answered' && outcome.body === '';
      return !isSilent && right(areas, kind, outcome);
    }),
    async shows(service) {
      await service.host([task]);
      const job = await scheduleTask(service);
      return at((await service.edda.get(job)).json, '/state') === 'Failed';
    },
  },
  'tasks.completed-by-the-acknowledgement': {
    source: 'extensions: Calls to extensions',
    breaks: 'The answer to a task acknowledges it and no more: it runs until its status is reported.',
    variant: replaces('deliveryEnds', 'deliveryEnded', async (right, areas, writing, delivery, end, outcome) => {
      await right(areas, writing, delivery, end, outcome);
      if (delivery.kind !== 'task' || outcome?.kind !== 'answered' || !outcome.body.includes('"Completed"')) return;
      const job = await jobWith(writing, delivery.envelopeId);
      if (job !== undefined) await keepJob(writing, areas.jobs.jobAfterReport(job, 'Completed', {}));
    }),
    async shows(service) {
      await service.host([task], always({ status: 200, json: { status: 'Completed' } }));
      const job = await runningJob(service);
      return at((await service.edda.get(job)).json, '/state') === 'Completed';
    },
  },
  'tasks.longer-than-by-default': {
    source: 'extensions: Limits, task timeout',
    breaks: 'A task has the time that its configuration gives it, also where that is more than by default.',
    variant: replaces('jobs', 'taskDeadline', (right, areas, job) =>
      right(areas, { ...job, timeout: Math.min(job.timeout, 600) }),
    ),
    async shows(service) {
      await service.host([task]);
      const job = await scheduleTask(service, { timeout: 1200 });
      await service.pass(700);
      return at((await service.edda.get(job)).json, '/state') === 'Failed';
    },
  },
  'tasks.one-timer-for-all': {
    source: 'extensions: Limits, task timeout',
    breaks: 'A task that runs out of time fails, also where another one began after it.',
    variant: replaces('jobs', 'noteTaskStart', async (right, areas, writing, id) => {
      await right(areas, writing, id);
      for (const deadline of await writing.documents('taskDeadline'))
        if (deadline.id !== id) await writing.deleteDocument('taskDeadline', deadline.id);
    }),
    async shows(service) {
      await service.host([task]);
      const first = await scheduleTask(service);
      await scheduleTask(service);
      await service.pass(700, 2);
      return at((await service.edda.get(first)).json, '/state') === 'Running';
    },
  },
  'tasks.time-of-the-request': {
    source: 'extensions: Limits, task timeout',
    breaks: 'A task has 600 seconds where nothing else is configured for it, whatever time its record gives a request.',
    variant: replaces('requests', 'extensionRequest', (right, areas, delivery, callee) => {
      const { kind, payload } = delivery;
      const timeout = callee.record.requestTimeout;
      if (kind !== 'task' || timeout === undefined || !isContent(payload) || payload['timeout'] !== 600)
        return right(areas, delivery, callee);
      return right(areas, { ...delivery, payload: { ...payload, timeout } }, callee);
    }),
    async shows(service) {
      const host = await service.host([{ ...task, requestTimeout: 30 }]);
      await scheduleTask(service);
      return at(callsOf(host, 'task')[0]?.envelope?.payload, '/timeout') !== 600;
    },
  },
  'timeout.tasks-of-a-month': {
    source: 'extensions: Limits, task timeout',
    breaks: 'A task has the time that is configured, be it a month.',
    variant: replaces('jobs', 'taskDeadline', (right, areas, job) =>
      job.timeout * 1000 > 0x7f_ff_ff_ff ? areas.clock.now() + 1 : right(areas, job),
    ),
    async shows(service) {
      await service.host([task]);
      const job = await scheduleTask(service, { timeout: 2_592_000 });
      await service.pass(1, 3);
      return at((await service.edda.get(job)).json, '/state') === 'Failed';
    },
  },
  'tasks.no-timeout-after-a-restart': {
    source: 'extensions: Limits, task timeout',
    survives: 'What outlives the process is not said (queue-restart), of jobs as little as of events.',
    breaks: 'A task that does not end in time fails, though the service was started again meanwhile.',
    variant: replaces('jobs', 'startTasks', async () => undefined),
    async shows(service) {
      await service.host([task]);
      const job = await scheduleTask(service, { timeout: 60 });
      await service.restart();
      await service.pass(120);
      return at((await service.edda.get(job)).json, '/state') === 'Running';
    },
  },
  'tasks.nothing-in-lists-of-settings': {
    source: 'extensions: Payloads by extension type, row ExternalTask',
    breaks: 'The settings of a task arrive as configured, also null in a list of them.',
    variant: changes('triggers', 'taskPayload', (payload) => ({
      ...payload,
      taskSettings: withoutNothing(payload.taskSettings) as object,
    })),
    async shows(service) {
      const host = await service.host([task]);
      await scheduleTask(service, { taskSettings: { list: [null, 1] } });
      return JSON.stringify(at(callsOf(host, 'task')[0]?.envelope?.payload, '/taskSettings/list')) === '[1]';
    },
  },
  'tasks.one-timer-a-record': {
    source: 'extensions: Limits, task timeout',
    breaks: 'Each job fails its task after its own time, also where another one of the extension began later.',
    variant: replaces('jobs', 'noteTaskStart', async (right, areas, writing, id) => {
      const started = await jobWith(writing, id);
      for (const other of await deadlines(writing))
        if ((await jobWith(writing, other.id))?.recordId === started?.recordId)
          await writing.deleteDocument('taskDeadline', other.id);
      await right(areas, writing, id);
    }),
    async shows(service) {
      await service.host([task]);
      const jobs = [await scheduleTask(service, { timeout: 20 }), await scheduleTask(service, { timeout: 20 })];
      const stateOf = async (job = '') => at((await service.edda.get(job)).json, '/state');
      await becomes(async () => (await stateOf(jobs[0])) === 'Running' && (await stateOf(jobs[1])) === 'Running');
      await service.pass(30);
      await becomes(async () => (await stateOf(jobs[1])) === 'Failed');
      return !(await becomes(async () => (await stateOf(jobs[0])) === 'Failed', 500));
    },
  },
  'tasks.equal-ones-queued-once': {
    source: 'extensions: Calls to extensions, row ExternalTask',
    breaks: 'Each of two jobs that are equal and were scheduled at once has its task.',
    variant: breaks('queue', 'enqueue', (right) => {
      const latest = new Map<string, number>();
      return async (areas, writing, delivery) => {
        if (delivery.kind !== 'task') return right(areas, writing, delivery);
        const key = JSON.stringify([delivery.registrationId, delivery.recordId, delivery.userName, delivery.payload]);
        const now = areas.clock.now();
        const isRepeated = now - (latest.get(key) ?? -Infinity) < 1000;
        latest.set(key, now);
        return isRepeated || right(areas, writing, delivery);
      };
    }),
    async shows(service) {
      const host = await service.host([task]);
      const body = { recordId: 'task', inputPath: 'folder/input.csv' };
      await Promise.all([1, 2, 3].map(() => service.edda.post('/api/space/main/dx', body)));
      await service.pass(1);
      return (await awaitCalls(host, 3, 1000)).length < 3;
    },
  },
};

/** The value, and in the place of every list of one its item. */
function withoutLists(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 1 ? withoutLists(value[0]) : value.map(withoutLists);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withoutLists(one)]));
}

/** Tasks are configured with something else made of their settings. */
function configures(otherwise: (settings: unknown) => unknown): Variant {
  return changes('triggers', 'taskPayload', (payload) => ({
    ...payload,
    taskSettings: Object(otherwise(payload.taskSettings)),
  }));
}

/** Lists without what is null in them, however deep. */
function withoutNothing(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((item) => item !== null).map(withoutNothing);
  if (!isContent(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withoutNothing(member)]));
}
