import { hostReview } from '../../judge/host/host-case.ts';
import { ConnectionLost } from '../../judge/client/failure.ts';
import type { HostContext } from '../../judge/host/context.ts';
import type { HostCall } from '../../judge/host/host.ts';
import { rules } from '../../judge/rule.ts';
import { finishedTask } from './task-work.ts';

/** So many calls that had no answer are made again, each until its connection was lost so often. */
const mostMadeAgain = 5;
const enoughLosses = 3;

export const hostEveryRequestRules = rules('tasks', {
  'tasks.host.right-throughout': {
    source: 'extensions: Authentication, rules 1 and 4; External task links; Callbacks from an external task',
    statement:
      'Each request of a run that a host makes on the links of its tasks, whatever becomes of the task and of the request before, carries the token of that call where it belongs, and none goes to the job or the space of another call; a report of progress is a PUT with a message, and the body of a report of the end, where it has one, is an object that names no file of another job. No call is the end of its connection each time that it is made.',
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
      for (const { call, cameFor } of everyRequest.lost.slice(0, mostMadeAgain)) {
        const end = (await isNeverAnswered(context, call)) ? 'the end of its connection' : 'an answer';
        expect(
          end,
          `what a call of record ${JSON.stringify(call.record.id)} comes to each time, as in ${cameFor}`,
        ).toEqual('an answer');
      }
    }),
  },
});

/** Others are answered meanwhile; where an object has gone since, that may be what it needs to end like that. */
async function isNeverAnswered({ host }: HostContext, call: HostCall): Promise<boolean> {
  for (let losses = 0; losses < enoughLosses; losses += 1) {
    try {
      await host.call(call, { fresh: true });
      return false;
    } catch (error) {
      if (!(error instanceof ConnectionLost)) throw error;
    }
    await host.metadata();
  }
  return true;
}
