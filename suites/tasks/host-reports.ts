import type { SomeCasesOf } from '../../judge/case.ts';
import { hostScenario } from '../../judge/host/host-case.ts';
import { filePathOf } from '../../judge/host/stage/answers.ts';
import { chunkOf } from '../../judge/host/stage/chunk.ts';
import type { Arrival } from '../../judge/host/stage/arrival.ts';
import { isObject } from '../../judge/answer.ts';
import { ended, requestsOf } from './host-words.ts';

/** A task that runs longer is expected to tell how far it is, in ms. */
const longRunMs = 10_000;

/** Cases about what a host reports of a task. */
export const hostReportCases = {
  'tasks.host.status-body': hostScenario(async (context) => {
    const { samples, expect, notes } = context;
    const task = await ended(context, { sample: samples.task('success') });
    const { final } = task;
    expect(
      final.text === '' || isObject(final.json),
      'a status report without a body or with a JSON object',
      final.seen,
    ).toEqual(true);
    const body = isObject(final.json) ? final.json : {};
    const uploaded = requestsOf(task)
      .filter(({ kind }) => kind === 'upload' || kind === 'chunk')
      .map(pathOf);
    for (const name of ['outputFilePath', 'logFilePath'] as const) {
      if (body[name] === undefined) continue;
      expect(body[name], name, final.seen).toBeAString();
      const path = String(body[name]).replace(/^\/+/, '');
      if (!uploaded.includes(path)) notes.remark(`${name} (${path}) was not uploaded before it was reported`);
    }
    const further = Object.keys(body).filter((name) => name !== 'outputFilePath' && name !== 'logFilePath');
    if (further.length > 0) notes.observe('further members of the status report', further.join(', '));
  }),

  'tasks.host.progress': hostScenario(async (context) => {
    const { samples, given, expect } = context;
    const task = await ended(context, { sample: samples.task('success') });
    const reports = task.installation.arrivals({ kind: 'progress' });
    const [first] = requestsOf(task);
    const lasted = task.final.arrivedAt - (first?.arrivedAt ?? task.final.arrivedAt);
    if (reports.length === 0 && lasted <= longRunMs)
      given.notExercised('the host reported no progress of a short task');
    expect(
      reports.length,
      `progress reports of a task that took ${Math.round(lasted / 1000)} s`,
      task.final.seen,
    ).toSatisfy('at least one', (count) => count > 0);
    for (const { json, seen } of reports)
      expect(isObject(json) ? json['message'] : json, 'message of a progress report', seen).toBeAString();
    const late = reports.filter(({ arrivedAt }) => arrivedAt > task.final.arrivedAt);
    expect(late.length, 'progress reports after the final status', late[0]?.seen).toEqual(0);
  }),
} satisfies SomeCasesOf<'tasks'>;

/** Path of an upload below the file area. */
function pathOf(arrival: Arrival): string {
  return arrival.kind === 'chunk' ? (chunkOf(arrival)?.path ?? '') : filePathOf(arrival);
}
