import type { HostContext } from '../../judge/host/context.ts';
import { hostReview } from '../../judge/host/host-case.ts';
import { rules } from '../../judge/rule.ts';
import { finalStatuses, finishedTask } from './task-work.ts';

/** So many tasks of a run are looked for once more. */
const mostLookedFor = 5;

/** What a report may come later than the timeout, in ms. */
const usualLateMs = 2000;

/** A task that was acknowledged is running until its end is told, whatever became of others. Source: extensions, States and transitions */
async function expectNoneLost({ everyRequest, clock, expect, notes }: HostContext): Promise<void> {
  for (const { reply, endsAt, report, cameFor } of everyRequest.unended.slice(0, mostLookedFor)) {
    const leftMs = Math.max(0, endsAt - clock.now()) + usualLateMs;
    const ended = await report(leftMs, (promise, withinMs) => clock.until(promise, withinMs));
    const what = `the end of a task that was acknowledged in ${cameFor}, within the timeout of its payload`;
    if (ended !== undefined) notes.remark(`${what}, was told when the case was over`);
    else expect('none', what, reply).toBeOneOf(finalStatuses);
  }
}

export const hostEveryRequestRules = rules('tasks', {
  'tasks.host.right-throughout': {
    source: 'extensions: Authentication, rules 1 and 4; External task links; Callbacks from an external task',
    statement:
      'Each request of a run that a host makes on the links of its tasks, whatever becomes of the task and of the request before, carries the token of that call where it belongs; a report of progress is a PUT with a message, and the body of a report of the end, where it has one, is an object. No task that was acknowledged and that nothing hindered stays without an end.',
    fault: 'The report of a failure carries no token.',
    needs: ['extension-host', 'extension-task', 'extension-samples'],
    repeats: ['calls', 'signing', 'tasks'],
    test: hostReview(async (context) => {
      const { everyRequest, expect, notes, samples } = context;
      // so that the rule speaks by itself too
      await finishedTask(context, { sample: samples.task('failure') });
      const [first, ...others] = everyRequest.wrong;
      for (const { arrival, what, cameFor } of others)
        notes.remark(`${arrival.method} ${arrival.path} ${what}, as in ${cameFor}`);
      notes.observe('whether requests were looked at', everyRequest.judged > 0);
      expect(
        first ? `${first.arrival.method} ${first.arrival.path} ${first.what}, as in ${first.cameFor}` : 'none',
        'wrong among the requests of the run',
        first?.arrival.seen,
      ).toEqual('none');
      await expectNoneLost(context);
    }),
  },
});
