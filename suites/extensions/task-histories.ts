import { secondSpaceOfEditor } from '../../judge/service/soft-types.ts';
import { type CaseContext, history } from '../../judge/case.ts';
import { namesExtension } from '../../judge/extension/own-call.ts';
import { assertHistory } from '../../judge/model/failing-history.ts';
import { rules } from '../../judge/rule.ts';
import {
  drawTasks,
  ofJobs,
  takenAtOnce,
  type TaskHistory,
  type TaskScope,
  tellTasks,
} from '../../judge/model/task-history.ts';
import { isOpenToSecond } from './histories/play.ts';
import { TaskPlay } from './histories/tasks.ts';
import { hasPlaceFor, takesTimeout } from './checks/triggered-calls.ts';

/** Each is of few jobs: what the one has no two of the other may have. */
const histories = 2;

export const taskHistoryRules = rules('tasks', {
  'tasks.history.matches-model': {
    source:
      'extensions: Call envelope; Payloads, row ExternalTask; External task links; States and transitions; Callbacks from an external task; Calls to extensions, row ExternalTask; Authentication, rules 1, 3 and 4',
    statement:
      'Over any run of jobs that are scheduled by several users with inputs of several places, some of them with the same, and of reports, refused reports, uploads and downloads by their links, each job stands as its own task reported, shows what that one said last, and is given links, settings and files of its own, and nothing of one shows in another.',
    fault: 'Progress is kept by the input: of several jobs with one, each shows what any of them said last.',
    needs: ['collection-admin', 'extension-listener', 'trigger-task'],
    after: ['files.stream.name-percent-literal', 'files.stream.name-unicode', 'tasks.status.file-paths-used'],
    repeats: ['tasks', 'calls', 'signing', 'registration', 'metadata', 'files'],
    test: history(async (context, generation) => {
      const scope = scopeOf(context);
      for (let count = 0; count < histories; count += 1) {
        const seed = generation.seed + count;
        await assertHistory(
          drawTasks(seed, scope),
          {
            play: (drawn, reached, isAgain) => new TaskPlay(context, drawn, isAgain).run(reached),
            fewer,
            tell: tellTasks,
          },
          { ...generation, seed },
        );
      }
    }),
  },
});

function scopeOf(context: CaseContext): TaskScope {
  const { files, identities, routes = {}, tasks, triggers } = context.profile.all;
  const isPlaced = hasPlaceFor(context, 'task', 'inputPath');
  const mayHave = files?.areas.space !== undefined && (isPlaced || tasks?.inputPath !== undefined);
  const isFixed = tasks?.inputPath !== undefined;
  const kind = isFixed ? 'fixed' : 'own';
  return {
    several: triggers?.task !== undefined && namesExtension(triggers.task),
    answers: hasPlaceFor(context, 'task', 'taskSettings'),
    timeouts: takesTimeout(context),
    files: mayHave ? kind : 'none',
    secondEditor: identities.secondEditor !== undefined && isOpenToSecond(context, 'task'),
    elsewhere: secondSpaceOfEditor(context.profile.all) !== undefined && mayHave && !isFixed,
    updates: routes.registrationUpdate !== undefined,
  };
}

/** Two jobs, those of the one where it failed first, or all of them, where nobody waits for a retry; then as they were. */
function fewer(drawn: TaskHistory, job: number): readonly TaskHistory[] {
  const order = [job, ...[...drawn.jobs.keys()].filter((other) => other !== job)];
  const pairs = order.flatMap((one, index) => order.slice(index + 1).map((other) => ofJobs(drawn, [one, other])));
  return [ofJobs(drawn, [job]), ...pairs, drawn].map(takenAtOnce).concat(pairs);
}
