import { scenario, type SomeCasesOf } from '../../judge/case.ts';
import { reported, taskOf } from './words.ts';

const shownMs = 5000;

export const progressCases = {
  'tasks.progress.message-shown': scenario(async (context) => {
    const { given, expect, notes, tasks } = context;
    const task = await taskOf(context);
    for (const message of [given.unique('first step'), `${given.unique('half way')}: über 50 %, 高さ 🙂`]) {
      expect(await tasks.progress(task, { message })).toSucceed();
      const job = await tasks.jobUntil(task, (read) => tasks.shows(read, message), { withinMs: shownMs });
      given.succeeded(job, 'the job to be read');
      expect(tasks.shows(job, message), `the job shows "${message}"`, job).toEqual(true);
    }
    const without = await tasks.progress(task, {});
    notes.observe('answer to progress without a message', without.status, without);
    expect(await reported(context, task, 'Completed')).toSucceed();
  }),
} satisfies SomeCasesOf<'tasks'>;
