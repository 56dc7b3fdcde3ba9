import { isSuccess } from '../../../judge/exchange.ts';
import type { CaseContext } from '../../../judge/case.ts';
import type { CalledType } from '../../../judge/extension/call.ts';
import type { Extension, MetadataRecord } from '../../../judge/extension/extension.ts';
import { namesExtension } from '../../../judge/extension/own-call.ts';
import type { Registration } from '../../../judge/extension/registrations.ts';
import { callsAt, expectCall, stayQuiet, triggerCall } from '../../../judge/extension/trigger-calls.ts';
import { unlessRefused } from '../../../judge/violation.ts';
import { eventRecord } from './extension-hosts.ts';

const triggerNames = {
  ExternalEvent: 'event',
  ExternalTask: 'task',
  Email: 'email',
  ExternalAction: 'actionRibbon',
} as const;

/**
 * Of two hosts whose records have the same routes, each is called for its own. When one is removed and another shows its very records, that one
 * is called for them, also where the trigger names the record alone, and the removed one no more.
 */
export async function expectEachAtItsHost(context: CaseContext, types: readonly CalledType[]): Promise<void> {
  const { given, expect, notes, profile } = context;
  const named = types.filter((type) => {
    const template = type === 'ExternalValidation' ? undefined : profile.all.triggers?.[triggerNames[type]];
    return template !== undefined && namesExtension(template);
  });
  if (named.length === 0) return;
  const former = await given.extension({ types: named });
  const byRecord: CalledType[] = [];
  for (const type of named) {
    // a trigger may have the registration in its path
    const call = await unlessRefused(() => triggerCall(context, byRecordAlone(former), type));
    if (call !== undefined) byRecord.push(type);
  }
  notes.observe('types whose trigger may name the record alone', byRecord.join(', ') || 'none');
  const records = former.records.map((record) => ({ ...record, id: given.unique('record') }));
  await expectCalls(context, await given.extension({ records }), named, 'that has the routes of another one');
  const { length } = callsAt(former);
  if (!(await isRemoved(context, given.present(former.registration, 'a registration')))) return;
  for (const type of named) await trigger(context, former, type);
  // ids that were given once may be spent
  const next = await unlessRefused(() => given.extension({ records: former.records }));
  if (next !== undefined)
    await expectCalls(context, byRecordAlone(next), byRecord, 'that shows the records of a removed one');
  await stayQuiet(context);
  expect(callsAt(former).length, 'calls of the extension that was removed').toEqual(length);
}

/** Removes a registration; false where nothing removes any, or where no read says that it is gone. */
export async function isRemoved({ registrations, notes }: CaseContext, registration: Registration): Promise<boolean> {
  const removal = await registrations.remove(registration);
  if (removal === undefined) return false;
  // what is accepted only may come later
  const isTaken = isSuccess(removal.status) && removal.status !== 202;
  const read = isTaken ? await registrations.read(registration) : removal;
  const isGone = isTaken && (read?.status === 404 || read?.status === 410);
  notes.observe('a registration is gone once it is removed', isGone, read ?? removal);
  return isGone;
}

/** Takes the registration away again where the profile says how: of several validations a service may ask one, and not the last one. */
export async function retire({ registrations }: CaseContext, { registration }: Extension): Promise<void> {
  if (registration !== undefined) await registrations.remove(registration);
}

/** Sets off what would call the extension if it were there; a trigger may be refused where it is not. */
async function trigger({ triggers }: CaseContext, extension: Extension, type: CalledType): Promise<void> {
  const ways = {
    ExternalEvent: () => triggers.event(extension),
    ExternalTask: () => triggers.task(extension),
    Email: () => triggers.email(extension),
    ExternalAction: () => triggers.actionRibbon(extension),
    ExternalValidation: async () => undefined,
  };
  await unlessRefused<unknown>(ways[type]);
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

/** A record with an id that a language gives to all objects; an earlier run may have left one, which is as good. */
export async function expectAnyIdCalled(context: CaseContext): Promise<void> {
  const { given, triggers, expect, notes } = context;
  const recordId = 'constructor';
  const extension = await unlessRefused(() =>
    given.extension({ records: [{ ...eventRecord(context), id: recordId }] }),
  );
  notes.observe(`a record with the id ${recordId}`, extension === undefined ? 'is refused' : 'is taken');
  if (extension === undefined) return;
  const triggered = await unlessRefused(() => triggers.event(extension, undefined, { recordId }));
  expect(triggered === undefined, `an event for the record ${recordId}, which is taken, is refused`).toEqual(false);
}

/** Whether ids are two that differ in the case of letters alone, and whether two records may have one endpoint, is not said. */
export async function observeNearlySame(context: CaseContext): Promise<void> {
  const { given } = context;
  const id = `record-${given.unique('Case')}`;
  await observeCalled(context, 'whose ids differ in the case of letters alone', [
    { ...eventRecord(context), id },
    { ...eventRecord(context), id: id.toUpperCase() },
  ]);
  const { endpoint } = eventRecord(context);
  await observeCalled(
    context,
    'of one endpoint',
    [eventRecord(context), eventRecord(context)].map((record) => ({ ...record, endpoint })),
  );
}

/** Remarks where of these records one is not called for its own events. */
async function observeCalled(context: CaseContext, which: string, records: readonly MetadataRecord[]): Promise<void> {
  const { given, triggers, notes } = context;
  const extension = await unlessRefused(() => given.extension({ records }));
  const what = `records called ${which}`;
  if (extension === undefined) return notes.observe(what, 'are refused');
  const isShared = new Set(records.map(({ endpoint }) => endpoint)).size < records.length;
  const called: string[] = [];
  for (const { id } of records) {
    const event = await unlessRefused(() => triggers.event(extension, undefined, { recordId: id }));
    const call = event && (await extension.arrived({ about: event }));
    if (call === undefined) called.push('none');
    else called.push(isShared || call.recordId === id ? 'its own' : 'the other');
  }
  notes.observe(what, called.join(', '));
  if (called.some((one) => one !== 'its own')) notes.remark(`of two records ${which} one is not called for its events`);
}
