import { randomUUID } from 'node:crypto';
import { defaultTaskTimeoutSeconds } from '../../contract/limits.ts';
import { correlated } from '../../judge/correlated.ts';
import { scenario, type SomeCasesOf } from '../../judge/case.ts';
import { isObject } from '../../judge/answer.ts';
import { takes, taskOf } from './words.ts';

const jobSettings = ['timeZone', 'language', 'culture', 'effectivityMode'];
const taskSettings = { depth: 2, names: ['a', 'b'], nested: { isDeep: true } };

export const payloadCases = {
  'tasks.payload.fields': scenario(async (context) => {
    const { expect, notes } = context;
    const { payload } = await taskOf(context, { taskSettings });
    const { jobSettings: settings, links } = payload;
    expect(payload['timeout'], 'timeout of the payload').toSatisfy(
      'a number',
      (timeout) => typeof timeout === 'number',
    );
    expect(settings, 'jobSettings of the payload').toBeAnObject();
    const names = Object.keys(Object(settings));
    for (const name of jobSettings)
      expect(names, 'members of jobSettings').toSatisfy(`${name} among them`, () => names.includes(name));
    notes.observe(
      'further members of jobSettings',
      names.filter((name) => !jobSettings.includes(name)).join(', ') || 'none',
    );
    expect(payload['taskSettings'], 'taskSettings of the payload').toBeAnObject();
    if (takes(context, 'taskSettings'))
      expect(payload['taskSettings'], 'taskSettings of the payload').toEqual(taskSettings);
    expect(links, 'links of the payload').toBeAnArray();
    expect(links, 'links of the payload').toSatisfy('objects with a text each for id, method and url', isLinks);
  }),

  'tasks.payload.envelope-id-is-job': scenario(async (context) => {
    const { given, expect, tasks } = context;
    for (const id of [null, randomUUID()]) {
      const task = await taskOf(context, { changes: correlated(id) });
      const job = given.present(
        task.triggered.id ?? tasks.jobIdIn(task),
        'the id of the job, in the answer to the trigger or in a link',
      );
      const how = id === null ? 'no X-Correlation-Id' : `the X-Correlation-Id ${id}`;
      expect(task.call.envelope.id, `id of the envelope of a task scheduled with ${how}`).toEqual(job);
    }
  }),

  'tasks.payload.timeout-default': scenario(async (context) => {
    const { payload } = await taskOf(context);
    context.expect(payload['timeout'], 'timeout of a task without a configured one').toEqual(defaultTaskTimeoutSeconds);
  }),

  'tasks.payload.timeout-configured': scenario(async (context) => {
    const { given, expect } = context;
    if (!takes(context, 'timeout'))
      given.inconclusive('The trigger has no place for {{timeout}}: add it to triggers.task of the profile.');
    for (const timeout of [5, 1200]) {
      const { payload } = await taskOf(context, { timeout });
      expect(payload['timeout'], `timeout of a task configured with ${timeout}`).toEqual(timeout);
    }
  }),
} satisfies SomeCasesOf<'tasks'>;

function isLinks(links: unknown): boolean {
  return (
    Array.isArray(links) &&
    links.every((link) => isObject(link) && ['id', 'method', 'url'].every((name) => typeof link[name] === 'string'))
  );
}
