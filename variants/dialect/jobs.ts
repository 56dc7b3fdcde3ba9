import { randomUUID } from 'node:crypto';
import { type Job, keepJob, taskStatuses } from '../../reference-server/areas/jobs.ts';
import { combinedVerdict } from '../../reference-server/areas/validation.ts';
import type { Answer, Verdict } from '../../reference-server/http/call.ts';
import { Outdated, Refusal } from '../../reference-server/http/refusal.ts';
import type { RateWindow } from '../../reference-server/ports/deliveries.ts';
import { type Variant, together, within, replaces } from '../breaks.ts';
import { isObject, jsonIn, restateRefusal, withJson, withoutHeaders, type Choice } from './choice.ts';

const late: Answer = { status: 200, body: { accepted: false } };

export const jobChoices: readonly Choice[] = [
  /** Triggers are accepted rather than created, and say no more than an id; mail says nothing. */
  {
    meets: 'triggers that say no more than an id',
    silences: ['trigger-event-binding', 'trigger-endpoint-binding', 'trigger-task-binding', 'trigger-email-binding'],
    by: answering('POST', /\/(?:externalEvent|dx|externalEmail)$/, (answer) => {
      const body = jsonIn(answer);
      if (answer.status === 202) return { status: 204, headers: withoutHeaders(answer, 'content-type').headers ?? {} };
      return {
        ...withJson(withoutHeaders(answer, 'location'), { id: isObject(body) ? body['id'] : null }),
        status: 202,
      };
    }),
  },
  {
    meets: 'an answer to deleted events',
    silences: ['event-delete-route'],
    by: answering('DELETE', /\/externalEvent\/[^/]+$/, (answer) => ({
      ...withJson(answer, { cancelled: true, left: [] }),
      status: 200,
    })),
  },
  /** A job shows what was reported as a list, its files in a member of their own, and null for what it lacks. */
  {
    meets: 'jobs with other members',
    silences: ['job-route'],
    by: answering('GET', /\/dx\/[^/]+$/, (answer) => {
      const job = jsonIn(answer);
      if (!isObject(job)) return answer;
      const { progress, outputFilePath = null, logFilePath = null, message = null, ...others } = job;
      const reports = progress === undefined ? [] : [{ text: progress }];
      return withJson(answer, { ...others, reports, message, files: { outputFilePath, logFilePath }, owner: null });
    }),
  },
  /** Reports are taken in any spelling and answered with the job; those that come too late change nothing. */
  {
    meets: 'reports in any spelling, and late ones without effect',
    silences: ['task-status-letter-case', 'task-final-state-changes'],
    by: together(
      replaces('jobs', 'reportStatus', async (right, areas, call, writing) => {
        const given = call.params['status']?.toLowerCase();
        const status = taskStatuses.find((known) => known.toLowerCase() === given);
        if (status !== undefined && isOver(call.place)) return late;
        const params = { ...call.params, ...(status !== undefined && { status }) };
        await right(areas, { ...call, params }, writing);
        return { status: 200, body: { status, accepted: true } };
      }),
      replaces('jobs', 'reportProgress', async (right, areas, call, writing) => {
        if (isOver(call.place)) return late;
        await right(areas, call, writing);
        return { status: 202 };
      }),
    ),
  },
  /** Who did not schedule a job has no say in it. */
  {
    meets: 'no reports of others',
    silences: ['task-callback-identity'],
    by: replaces('jobs', 'locateJob', async (right, areas, call, reading) => {
      const job = await right(areas, call, reading);
      if (call.method !== 'PUT' || call.user.name === job.scheduledBy) return job;
      throw new Refusal(403, 'The job was scheduled by somebody else.');
    }),
  },
  /** The time of a task runs from its call, and anew from every report of progress. */
  {
    meets: 'timeouts from the call on, and from progress',
    silences: ['task-timeout-clock'],
    by: (classes) => {
      const called = new Map<string, number>();
      return together(
        replaces('requests', 'requestFor', (right, areas, delivery, callee, attempt) => {
          if (delivery.kind === 'task') called.set(delivery.envelopeId, areas.clock.now());
          return right(areas, delivery, callee, attempt);
        }),
        replaces(
          'jobs',
          'taskDeadline',
          (_right, areas, { id, timeout }) => (called.get(id) ?? areas.clock.now()) + timeout * 1000,
        ),
        replaces('jobs', 'reportProgress', async (right, areas, call, writing) => {
          const answer = await right(areas, call, writing);
          if (isOver(call.place)) return answer;
          called.set(call.place.id, areas.clock.now());
          await keepJob(writing, { ...call.place, progress: call.json, state: 'Scheduled' });
          await areas.jobs.noteTaskStart(writing, call.place.id);
          return answer;
        }),
      )(classes);
    },
  },
  /** Validators are asked one after another, the one that was registered last first, until one says no. */
  {
    meets: 'validators asked in turn',
    silences: ['validation-several-extensions'],
    by: replaces('validation', 'verdictOn', async (_right, areas, call, object, validators) => {
      const verdicts: Verdict[] = [];
      for (const validator of validators.toReversed()) {
        const verdict = await areas.validation.askValidator(call, object, validator);
        verdicts.push(verdict);
        if (verdict.kind !== 'valid') break;
      }
      return combinedVerdict(verdicts);
    }),
  },
  /** A verdict that stops something, and one that there is not, have other statuses. */
  {
    meets: '422 and 424 for what is not valid',
    silences: ['trigger-validation-binding'],
    by: replaces('validation', 'assertValidated', (right, ...args) =>
      right(...args).catch((error: unknown) => {
        if (error instanceof Outdated) throw error;
        return restateRefusal({ 409: 422, 502: 424 })(error);
      }),
    ),
  },
  /** Any 2xx brings a verdict; one that cannot be read is asked for again. */
  {
    meets: 'validations asked again for what cannot be read',
    silences: ['validation-status-code', 'task-and-validation-success'],
    by: together(
      replaces('validation', 'verdictOf', (right, areas, outcome) =>
        right(areas, outcome.kind === 'answered' && isSuccess(outcome.status) ? { ...outcome, status: 200 } : outcome),
      ),
      replaces('outgoingCalls', 'callWithRetries', (right, areas, delivery, retries) => {
        if (delivery.kind !== 'validation') return right(areas, delivery, retries);
        const isTransient: typeof areas.policies.isTransient = (outcome) =>
          areas.policies.isTransient(outcome) ||
          (outcome.kind === 'answered' &&
            isSuccess(outcome.status) &&
            areas.validation.verdictOf(outcome).kind === 'error');
        return right(within(areas, { policies: { isTransient } }), delivery, retries);
      }),
    ),
  },
  /** An action that meets a transient error is tried again, but for the 500 that is its regular answer. */
  {
    meets: 'actions tried again',
    silences: ['action-retries'],
    by: replaces('outgoingCalls', 'callWithRetries', (right, areas, delivery, retries) => {
      if (delivery.kind !== 'action') return right(areas, delivery, retries);
      const isTransient: typeof areas.policies.isTransient = (outcome) =>
        !(outcome.kind === 'answered' && outcome.status === 500) && areas.policies.isTransient(outcome);
      return right(within(areas, { policies: { isTransient } }), delivery, 3);
    }),
  },
  {
    meets: 'a limit of direct calls',
    silences: ['rate-scope'],
    by: (classes) => {
      const windows = new Map<string, RateWindow>();
      return replaces('outgoingCalls', 'attempt', async (right, areas, delivery, callee, count) => {
        if (callee === undefined) return right(areas, delivery, callee, count);
        const { rateKey, rateLimit } = areas.policies.policyOf(callee, delivery);
        for (;;) {
          const now = areas.clock.now();
          const decision = areas.policies.rateDecision(windows.get(rateKey), now, rateLimit);
          windows.set(rateKey, decision.window);
          if (decision.kind === 'run') return right(areas, delivery, callee, count);
          await areas.clock.sleep(decision.until - now, { tag: 'rate', signal: areas.outgoing.closing });
        }
      })(classes);
    },
  },
  /** What an action brings back stands in an answer of the service's own. */
  {
    meets: 'actions with an answer around them',
    silences: ['trigger-action-binding'],
    by: replaces('triggers', 'runAction', async (right, areas, call) => {
      const answer = await right(areas, call);
      return { status: 200, body: { statusOfExtension: answer.status, answer: jsonIn(answer) ?? null } };
    }),
  },
  {
    meets: 'events told to the log of a host',
    silences: ['other-extension-payloads'],
    by: replaces('queue', 'enqueue', async (right, areas, writing, delivery) => {
      const isQueued = await right(areas, writing, delivery);
      if (delivery.kind !== 'event') return isQueued;
      for (const address of await areas.registry.recordsOfType(writing, 'EventLogging'))
        await right(areas, writing, { ...delivery, ...address, id: randomUUID(), payload: { logged: delivery.id } });
      return isQueued;
    }),
  },
  {
    meets: 'the first mailer',
    silences: ['email-replacement'],
    by: replaces('registry', 'recordsOfType', async (right, areas, reading, type) => {
      const addresses = await right(areas, reading, type);
      return type === 'Email' ? addresses.toReversed() : addresses;
    }),
  },
];

function isOver({ state }: Job): boolean {
  return state === 'Completed' || state === 'Failed';
}

function isSuccess(status: number): boolean {
  return status >= 200 && status <= 299;
}

/** Successful answers to requests of the method whose path ends so. */
export function answering(method: string, path: RegExp, change: (answer: Answer) => Answer): Variant {
  return replaces('messages', 'finish', async (right, areas, call, answer) => {
    const finished = await right(areas, call, answer);
    const isMeant = call.method === method && path.test(call.url.split('?', 1)[0] ?? '') && isSuccess(finished.status);
    return isMeant ? change(finished) : finished;
  });
}
