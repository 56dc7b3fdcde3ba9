import { hostReview } from '../../judge/host/host-case.ts';
import { rules } from '../../judge/rule.ts';
import { finishedTask } from './task-work.ts';

export const hostEveryRequestRules = rules('tasks', {
  'tasks.host.right-throughout': {
    source: 'extensions: Authentication, rules 1 and 4; External task links; Callbacks from an external task',
    statement:
      'Each request of a run that a host makes on the links of its tasks, whatever becomes of the task and of the request before, carries the token of that call where it belongs, and none goes to the job or the space of another call; a report of progress is a PUT with a message, and the body of a report of the end, where it has one, is an object that names no file of another job.',
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
    }),
  },
});
