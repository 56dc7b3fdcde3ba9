import type { CaseContext } from '../../../judge/case.ts';
import type { Call } from '../../../judge/extension/call.ts';
import type { Extension } from '../../../judge/extension/extension.ts';
import type { Triggered } from '../../../judge/extension/triggers.ts';
import type { Thing } from '../../../judge/things.ts';
import { callWaitMs, expectCall, stayQuiet } from '../../../judge/extension/trigger-calls.ts';
import { unlessRefused } from '../../../judge/violation.ts';
import { report } from './task-jobs.ts';
import { updateTo } from './updated-records.ts';

/** Types of a task by the ending of their files: those that no table of endings has differently. */
export const managedTypes = {
  csv: 'text/csv',
  html: 'text/html',
  jpg: 'image/jpeg',
  json: 'application/json',
  png: 'image/png',
  txt: 'text/plain',
} as const;

/** The path of a file that shows its type by its name, and where the profile has the area also by what was said of it at its upload. */
export async function inputOfType({ given, files }: CaseContext, ending: string, contentType: string): Promise<string> {
  const path = `${given.unique('input')}.v2.${ending}`;
  const area = files.areas.find(({ name }) => name === 'space');
  if (area !== undefined) await given.file({ area, path, contentType });
  return `/${path}`;
}

/** An extension that lists the one as the documents name it, and the other as a capability of a sort of its own; none where that is refused. */
export async function withOtherSort(
  { given }: CaseContext,
  type: 'ExternalTask' | 'ExternalValidation',
  [own, other]: readonly [own: string, other: string],
  concerns: readonly Thing[] = [],
): Promise<readonly Extension[]> {
  const capabilities = [
    { capabilityType: type === 'ExternalTask' ? 'MimeType' : 'SoftType', capabilities: [own] },
    { capabilityType: given.unique('Sort'), capabilities: [other] },
  ];
  const made = await unlessRefused(() => given.extension({ types: [type], record: { capabilities }, concerns }));
  return made === undefined ? [] : [made];
}

/** The call of the task at whichever of these extensions it comes first; undefined where it comes to none. */
export async function firstCallOf(extensions: readonly Extension[], about: Triggered): Promise<Call | undefined> {
  const arrivals = extensions.map(async (extension) => {
    const call = await extension.arrived({ kind: 'task', about }, { withinMs: callWaitMs });
    if (call === undefined) throw new Error('no call came');
    return call;
  });
  return Promise.any(arrivals).catch(() => undefined);
}

/**
 * A task that manages another type since the last update is called about files of that one, where it is served by then, though the version
 * of its record is what it was. Where types limit a job that names its record, one of a type of before is not given to it.
 */
export async function expectTypesOfUpdate(context: CaseContext, isLimiting: boolean): Promise<void> {
  const { given, triggers, expect, profile } = context;
  if (profile.all.routes?.registrationUpdate === undefined) return;
  const extension = await given.extension({ types: ['ExternalTask'] });
  const record = extension.record('ExternalTask');
  for (const [index, ending] of (['png', 'csv'] as const).entries()) {
    const type = managedTypes[ending];
    const capabilities = [{ capabilityType: 'MimeType', capabilities: [type] }] as const;
    const endpoint = `${record.endpoint}/${ending}`;
    await updateTo(context, extension, [{ ...record, capabilities, endpoint }], 61 + index);
    const inputPath = await inputOfType(context, ending, type);
    const task = await unlessRefused(() => triggers.task(extension, { inputPath }));
    const what = `a task about a file of type ${type}, which its record lists since the last update, at the endpoint that it has by then`;
    expect(task, what).toBePresent();
    const call = task && (await firstCallOf([extension], task));
    expectCall(context, call, `the call of ${what}`);
    if (task === undefined || call === undefined) continue;
    // one extension may be given its tasks one after the other
    const begun = { extension, triggered: task, input: undefined };
    await unlessRefused(() => report(context, given.taskAgain(begun, call), 'Completed'));
  }
  if (!isLimiting) return;
  const inputPath = await inputOfType(context, 'png', managedTypes.png);
  const former = await unlessRefused(() => triggers.task(extension, { inputPath }));
  if (former === undefined) return;
  await stayQuiet(context);
  const what = 'calls about a file of a type that the record of a task lists no more since the last update';
  expect(extension.calls({ kind: 'task', about: former }).length, what).toEqual(0);
}
