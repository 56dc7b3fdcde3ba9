import { defaultTaskTimeoutSeconds } from '../../contract/limits.ts';
import { schedule } from '../../judge/case.ts';
import { contentOf, isSuccess } from '../../judge/files/stored-files.ts';
import { rules } from '../../judge/rule.ts';
import { inputFileOf, taskWithInput } from './task-jobs.ts';

/** How long before its timeout a task is looked at, in ms. */
const beforeMs = 5000;

/** Not much longer than the default timeout. */
const tokenLifeTime = defaultTaskTimeoutSeconds / 60 + 1;

export const runningTaskRules = rules('tasks', {
  'tasks.links.input-file-while-running': {
    level: 'should',
    source:
      'extensions: External task links, row inputFile (token in query); Payloads, row ExternalTask (timeout); Limits, token validity',
    statement:
      'As long as a task may run and the token of its envelope is good, inputFile delivers the input file: here shortly before the default timeout.',
    fault: 'The token of the link ends after a minute.',
    needs: ['collection-admin', 'extension-listener', 'trigger-task', 'long-run'],
    after: ['tasks.links.input-file-usable'],
    test: schedule(defaultTaskTimeoutSeconds, async (context) => {
      const { clock, expect, given, tasks } = context;
      // a link may be good for one download
      const { token } = await inputFileOf(context, await taskWithInput(context));
      const extension = await given.extension({ types: ['ExternalTask'], tokenLifeTime });
      const task = await taskWithInput(context, {}, extension);
      const dueMs = defaultTaskTimeoutSeconds * 1000;
      const read = await clock.at(
        task.call.arrivedAt + dueMs - beforeMs,
        () => tasks.follow(task.link('inputFile'), { token }),
        {
          until: task.triggered.sentAt + dueMs,
          what: 'the timeout of the task',
          isRight: ({ status }) => isSuccess(status),
        },
      );
      expect(read).toSucceed();
      const what = `the input file ${(dueMs - beforeMs) / 1000} s after the call`;
      expect(contentOf(read.bytes), what, read).toEqual(contentOf(task.input.bytes));
    }),
  },
});
