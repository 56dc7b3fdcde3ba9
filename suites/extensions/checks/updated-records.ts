import type { CaseContext } from '../../../judge/case.ts';
import type { Call } from '../../../judge/extension/call.ts';
import type { Extension, MetadataRecord, Step } from '../../../judge/extension/extension.ts';
import { callWaitMs } from '../../../judge/extension/trigger-calls.ts';
import { partHere } from '../../../judge/case/part.ts';
import { signatureOver } from '../../../judge/service/signature.ts';
import {
  type Sent,
  acknowledged,
  answerInTurn,
  atOnceMs,
  attemptsOf,
  endedAttempts,
  failingForEver,
  minuteMs,
  sendTo,
  sevenMs,
  timeGivenUp,
} from './delivery-attempts.ts';
import { eventRecord } from './extension-hosts.ts';

/** How long the second of two events is watched for while the limit of one lets only the first out. */
export const watchedMs = 50_000;

/** Longer than the time that the update brought, and shorter than that of before. */
export const givenUpMs = 8000;

/** Executions that no case comes near, also where retries count. */
const plenty = { rateLimitNumberOfExecutions: 100 };

/** The limit of the records that an update brought holds, also where calls were made under another one. Nothing is asserted where nothing updates a registration. */
export async function expectNewLimit(context: CaseContext): Promise<void> {
  const { triggers, clock } = context;
  const extension = await calledThenUpdated(context, plenty, { rateLimitNumberOfExecutions: 1 });
  if (extension === undefined) return;
  // beyond any minute that the first call counts in
  await clock.pass(minuteMs + 1000);
  const since = clock.now();
  const isNew = ({ arrivedAt }: { readonly arrivedAt: number }): boolean => arrivedAt >= since;
  for (const _event of ['first', 'second']) await triggers.event(extension);
  const [first] = await extension.ended(1, { where: isNew }, { withinMs: atOnceMs });
  clock.expectCame('a call after the update of the limit', first?.arrivedAt);
  const calls = await clock.at(since + watchedMs, async () => extension.calls({ where: isNew }), {
    until: since + minuteMs,
    what: 'the pause is over',
    isRight: ({ length }) => length === 1,
  });
  const what = `calls of two events within ${watchedMs / 1000} s, with a limit of 1 since the last update`;
  clock.expectCalls(what, calls, 1, { mayEndMinute: true });
}

/** What an update leaves out has its default again: five events go out at once where one did before. */
export async function expectLimitLeftOut(context: CaseContext): Promise<void> {
  const { triggers, clock } = context;
  const extension = await calledThenUpdated(context, { rateLimitNumberOfExecutions: 1 }, {});
  if (extension === undefined) return;
  // beyond any minute that the first call counts in
  await clock.pass(minuteMs + 1000);
  for (const which of ['first', 'second']) {
    const event = await triggers.event(extension);
    const call = await extension.arrived({ about: event }, { withinMs: atOnceMs });
    clock.expectCame(`the ${which} of two calls, with no limit stated since the last update`, call?.arrivedAt);
  }
}

/** The same of the time after which a call is given up. */
export async function expectNewTimeout(context: CaseContext): Promise<void> {
  const { triggers, clock } = context;
  const extension = await calledThenUpdated(context, { requestTimeout: 60 }, { requestTimeout: 2 }, { never: true });
  if (extension === undefined) return;
  const event = await triggers.event(extension);
  const endedAt = await timeGivenUp(extension, { about: event }, givenUpMs);
  clock.expectCame('end of a call that is not answered, 2 s since the last update', endedAt, { of: 'end' });
}

/** The same of a time that an update leaves out, after which calls have that of the default. */
export async function expectTimeoutLeftOut(context: CaseContext): Promise<void> {
  const { triggers, expect } = context;
  const extension = await calledThenUpdated(context, { requestTimeout: 2 }, {}, { never: true });
  if (extension === undefined) return;
  const event = await triggers.event(extension);
  const endedAt = await timeGivenUp(extension, { about: event }, givenUpMs);
  expect(
    endedAt === undefined ? 'goes on' : 'is given up',
    `a call that is not answered, after ${givenUpMs / 1000} s, with no time stated since the last update`,
  ).toEqual('goes on');
}

/** The same of whether events are retried for ever. */
export async function expectNewRetries(context: CaseContext): Promise<void> {
  const { triggers, clock } = context;
  const updated = await Promise.all(
    [{ retryForever: true }, { retryForever: false }, {}].map(async (stated: { readonly retryForever?: boolean }) => {
      const { retryForever = false } = stated;
      const former = { ...plenty, retryForever: !retryForever };
      const extension = await calledThenUpdated(context, former, { ...plenty, ...stated }, { status: 503 });
      return { retryForever, extension };
    }),
  );
  const sent = await Promise.all(
    updated.map(async ({ extension, retryForever }) => ({
      extension,
      retryForever,
      about: extension && (await triggers.event(extension)),
    })),
  );
  if (sent.every(({ about }) => about === undefined)) return;
  await clock.pass(sevenMs + 7 * clock.granularityMs);
  for (const { extension, retryForever, about } of sent)
    if (extension !== undefined && about !== undefined)
      clock.expectCalls(
        `attempts of an event, with retryForever ${retryForever} since the last update`,
        extension.calls({ about }),
        retryForever ? { least: 7 } : { most: 6 },
      );
}

/** An event that keeps failing, and the key that its extension was registered with anew behind the third attempt. */
interface FailedThenUpdated extends Sent {
  readonly apiKey: string;
}

/** Undefined where registrations cannot be updated. */
export async function failThenUpdate(context: CaseContext): Promise<FailedThenUpdated | undefined> {
  const { given, profile, registrations } = context;
  if (profile.all.routes?.registrationUpdate === undefined) return undefined;
  const sent = await sendTo(context, failingForEver);
  const { length } = await endedAttempts(sent, 3, 8000);
  given.assume(length === 3, `three attempts, of which ${length} came`);
  const apiKey = partHere().key(64).toString('base64');
  const registration = given.present(sent.extension.registration, 'a registration');
  const reply = await registrations.update(registration, { tokenLifeTime: 61, apiKey });
  given.succeeded(reply, 'the registration is updated');
  return { ...sent, apiKey };
}

/** Records the key of the attempts that followed: whether that of the trigger or that of the moment signs what waits is not said. */
export function noteKeySince({ notes }: CaseContext, updated: FailedThenUpdated): void {
  const later = attemptsOf(updated).slice(3);
  const isNew = later.map(({ bearer, target, path }) =>
    [target.split('?')[0] ?? '', path].some((text) => bearer === signatureOver(updated.apiKey, text)),
  );
  if (later.length > 0)
    notes.observe('what waited while apiKey was updated is signed with the new key', !isNew.includes(false));
}

/** An extension that acknowledged one event and answers further ones as is said, and whose record has other settings since then. */
async function calledThenUpdated(
  context: CaseContext,
  before: Partial<MetadataRecord>,
  after: Partial<MetadataRecord>,
  later: Step = acknowledged,
): Promise<Extension | undefined> {
  const { given, triggers, profile } = context;
  if (profile.all.routes?.registrationUpdate === undefined) return undefined;
  const record = eventRecord(context);
  const extension = await given.extension({
    records: [{ ...record, ...before }],
    script: answerInTurn(acknowledged, later),
  });
  await extension.call({ about: await triggers.event(extension) }, { withinMs: callWaitMs });
  await updateTo(context, extension, [{ ...record, ...after }], 61);
  return extension;
}

/** Shows these records from now on, and updates the registration; resolves with the request for them, once it has ended. */
export async function updateTo(
  { given, registrations }: CaseContext,
  extension: Extension,
  records: readonly MetadataRecord[],
  tokenLifeTime: number,
): Promise<Call | undefined> {
  extension.setRecords(records);
  const asked = extension.metadata().length;
  given.succeeded(
    await registrations.update(given.present(extension.registration, 'a registration'), { tokenLifeTime }),
    'the registration is updated',
  );
  return (await extension.ended(asked + 1, { kind: 'metadata' }, { withinMs: callWaitMs }))[asked];
}
