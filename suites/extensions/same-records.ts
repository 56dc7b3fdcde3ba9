import type { CaseContext } from '../../judge/case.ts';
import type { CalledType } from '../../judge/extension/call.ts';
import type { Extension } from '../../judge/extension/extension.ts';
import { namesExtension } from '../../judge/extension/own-call.ts';
import { callsAt, expectCall, triggerCall } from '../../judge/extension/trigger-calls.ts';

const triggerNames = {
  ExternalEvent: 'event',
  ExternalTask: 'task',
  Email: 'email',
  ExternalAction: 'actionRibbon',
} as const;

/**
 * Of two hosts whose records have the same routes, each is called for its own. When one is removed and another shows its very records, that one
 * is called for them, also where the trigger names the record alone.
 */
export async function expectEachAtItsHost(context: CaseContext, types: readonly CalledType[]): Promise<void> {
  const { given, registrations, expect, notes, profile } = context;
  const named = types.filter((type) => {
    const template = type === 'ExternalValidation' ? undefined : profile.all.triggers?.[triggerNames[type]];
    return template !== undefined && namesExtension(template);
  });
  if (named.length === 0) return;
  const former = await given.extension({ types: named });
  const byRecord: CalledType[] = [];
  for (const type of named)
    if ((await triggerCall(context, byRecordAlone(former), type)) !== undefined) byRecord.push(type);
  notes.observe('types whose trigger may name the record alone', byRecord.join(', ') || 'none');
  const records = former.records.map((record) => ({ ...record, id: given.unique('record') }));
  await expectCalls(context, await given.extension({ records }), named, 'that has the routes of another one');
  const { length } = callsAt(former);
  const removal = await registrations.remove(given.present(former.registration, 'a registration'));
  if (removal === undefined || removal.status >= 300) return;
  const next = await given.extension({ records: former.records });
  await expectCalls(context, byRecordAlone(next), byRecord, 'that shows the records of a removed one');
  expect(callsAt(former).length, 'calls of the extension that was removed', removal).toEqual(length);
}

async function expectCalls(
  context: CaseContext,
  host: Extension,
  types: readonly CalledType[],
  which: string,
): Promise<void> {
  for (const type of types)
    expectCall(context, await triggerCall(context, host, type), `calls for ${type} at an extension ${which}`);
}

/** As a trigger names it that tells nothing of its registration. */
function byRecordAlone(extension: Extension): Extension {
  return { ...extension, registration: undefined };
}
