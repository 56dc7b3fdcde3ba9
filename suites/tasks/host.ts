import type { SomeCasesOf } from '../../judge/case.ts';
import { hostScenario, hostSchedule } from '../../judge/host/host-case.ts';
import type { HostContext } from '../../judge/host/host.ts';
import { within } from '../../judge/run/within.ts';
import { hostLinkCases } from './host-links.ts';
import { begun, finalStatuses, requestsOf, statusOf, working, type Begun } from './host-words.ts';
import { hostReportCases } from './host-reports.ts';

const acknowledgedMs = 5000;
const finalMs = 60_000;
const furtherMs = 10_000;
/** In real time nobody waits that long for what would only be remarked. */
const furtherRealMs = 2000;
const shortTimeoutSeconds = 20;
const failureTimeoutSeconds = 30;
/** What a report may come later than the timeout, in ms. */
const lateMs = 250;

export const hostCases = {
  ...hostLinkCases,
  ...hostReportCases,

  'tasks.host.acknowledged-first': hostScenario(async ({ host, records, stage, samples, expect, notes }) => {
    const installation = await stage.installation();
    const held = installation.hold('download');
    const task = installation.task();
    const answer = host.call(task.call(records.named(samples.all.task?.success?.record, 'ExternalTask')));
    answer.catch(() => undefined);
    const reply = await within(acknowledgedMs, answer);
    const early = installation.arrivals({ kind: 'status' });
    expect(
      reply === undefined ? 'none' : 'one',
      `an answer to the task call within ${acknowledgedMs / 1000} s, while the input is withheld`,
    ).toEqual('one');
    if (reply === undefined) return;
    expect(reply).toSucceed();
    if (reply.status !== 200 && reply.status !== 201)
      notes.remark(`the task was acknowledged with ${reply.status}; 200 and 201 are usual`);
    expect(early.length, 'status reports before the answer', early[0]?.seen).toEqual(0);
    held.release();
  }),

  'tasks.host.final-status': hostSchedule((finalMs + furtherMs) / 1000, async (context) => {
    const { samples, clock, expect, notes } = context;
    const { installation } = await begun(context, { sample: samples.task('success') });
    const final = await installation.arrived({ kind: 'status' }, finalMs);
    expect(
      final === undefined ? 'none' : statusOf(final),
      `the status that the host reports within ${finalMs / 1000} s by PUT`,
      final?.seen,
    ).toBeOneOf(finalStatuses);
    await clock.pass(clock.controlled ? furtherMs : furtherRealMs);
    const further = installation.arrivals({ kind: 'status', where: (arrival) => arrival !== final });
    if (further.length > 0)
      notes.remark(
        `the host reported a final status ${further.length + 1} times: ${further.map(statusOf).join(', ')} came afterwards`,
      );
  }),

  'tasks.host.failure-reported': hostSchedule(2 * failureTimeoutSeconds, async (context) => {
    const { samples } = context;
    await expectFailure(
      context,
      await begun(context, { sample: samples.task('failure'), timeout: failureTimeoutSeconds }),
      'a task that cannot be done',
    );
    const without = await begun(
      context,
      { sample: samples.task('success'), timeout: failureTimeoutSeconds },
      (installation) => installation.refuse('download', 404),
    );
    await expectFailure(context, without, 'a task whose input is missing');
  }),

  'tasks.host.within-timeout': hostSchedule(shortTimeoutSeconds + 5, async (context) => {
    const { samples, expect } = context;
    const { installation } = await begun(
      context,
      { sample: samples.task('success'), timeout: shortTimeoutSeconds },
      (place) => place.hold('download'),
    );
    const final = await installation.arrived({ kind: 'status' }, shortTimeoutSeconds * 1000 + lateMs);
    expect(
      final === undefined ? 'none' : statusOf(final),
      `the status reported within the timeout of ${shortTimeoutSeconds} s, while the download does not end`,
      final?.seen,
    ).toBeOneOf(finalStatuses);
  }),

  'tasks.host.callback-token': hostScenario(async (context) => {
    const { expect } = context;
    const task = await working(context);
    for (const { kind, method, path, token, callId, seen } of requestsOf(task)) {
      const what = `${kind} (${method} ${path})`;
      expect(callId ?? 'none', `the call whose token ${what} carries`, seen).toEqual(task.call.envelope.id);
      const admitted = kind === 'download' || kind === 'directory' ? ['header', 'query'] : ['header'];
      expect(token?.in, `where ${what} carries the token`, seen).toBeOneOf(admitted);
    }
  }),
} satisfies SomeCasesOf<'tasks'>;

async function expectFailure({ expect, notes }: HostContext, { installation }: Begun, what: string): Promise<void> {
  const final = await installation.arrived({ kind: 'status' }, failureTimeoutSeconds * 1000);
  const status = final === undefined ? 'none' : statusOf(final);
  if (status === 'Completed' && what.includes('input') && installation.arrivals({ kind: 'download' }).length === 0) {
    notes.observe(`the end of ${what}`, 'Completed, without asking for it');
    return;
  }
  expect(status, `the status reported for ${what}, within the timeout of its payload`, final?.seen).toBeOneOf([
    'Failed',
    'Canceled',
  ]);
  notes.observe(`the end of ${what}`, status);
}
