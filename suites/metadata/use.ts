import { scenario, type CaseContext, type SomeCasesOf } from '../../judge/case.ts';
import type { Extension } from '../../judge/extension/extension.ts';
import { admitted, callWaitMs, callsOf, eventAt, expectCall, expectNoCall, stayQuiet } from '../../judge/extension/trigger-calls.ts';
import { eventRecord } from './words.ts';

export const useCases = {
  'metadata.update.replaces-records': scenario(async (context) => {
    const { given, registrations, expect } = context;
    const record = eventRecord(context);
    const extension = await given.extension({ records: [record] });
    const moved = { ...record, endpoint: `${record.endpoint}/moved` };
    extension.setRecords([moved]);
    given.present(
      await eventAt(context, extension, { call: { kind: 'other', path: record.endpoint } }),
      'a call at the endpoint of before',
      ['metadata.fetch.at-no-other-time'],
    );
    const before = extension.metadata().length;
    given.succeeded(
      await registrations.update(given.present(extension.registration, 'a registration'), { tokenLifeTime: 61 }),
      'the registration is updated',
    );
    await extension.ended(before + 1, { kind: 'metadata' }, { withinMs: callWaitMs });
    expectCall(
      context,
      await eventAt(context, extension),
      'calls at the endpoint that the metadata shows after the update',
    );
    const former = callsOf(extension).filter(({ path }) => path === record.endpoint).length;
    expectCall(context, await eventAt(context, extension), 'further calls at that endpoint');
    await stayQuiet(context);
    expect(
      callsOf(extension).filter(({ path }) => path === record.endpoint).length,
      'calls at the endpoint of before',
    ).toEqual(former);
  }),

  'metadata.capability.soft-type-limits-validation': scenario(async (context) => {
    const { given, triggers, profile } = context;
    const thing = await given.object();
    const [{ definitionId }, second] = [profile.primary, profile.all.softTypes?.second];
    const validating = (softType: string) =>
      given.extension({
        types: ['ExternalValidation'],
        record: { capabilities: [{ capabilityType: 'SoftType', capabilities: [softType] }] },
        concerns: [thing],
      });
    const concerned = await validating(definitionId);
    const others = await Promise.all(
      [given.unique('NoSuchType'), ...(second === undefined ? [] : [second.definitionId])].map(validating),
    );
    await triggers.validation(thing);
    expectCall(
      context,
      await concerned.arrived({ kind: 'validation', objectId: thing.oid }, { withinMs: callWaitMs }),
      'calls of a validation extension for the SoftType of the object',
    );
    await stayQuiet(context);
    for (const other of others) expectNoCall(context, other, 'calls of a validation extension for another SoftType');
    if (profile.all.routes?.registrationUpdate !== undefined) await expectTakenAway(context, concerned);
  }),

  'metadata.capability.mime-type-limits-task': scenario(async (context) => {
    const { given, triggers } = context;
    const managing = {
      types: ['ExternalTask'],
      record: { capabilities: [{ capabilityType: 'MimeType', capabilities: ['text/csv'] }] },
    } as const;
    const [taken, spared] = [await given.extension(managing), await given.extension(managing)];
    const task = await triggers.task(taken, { inputPath: `/${given.unique('input')}.csv` });
    await taken.call({ kind: 'task', about: task }, { withinMs: callWaitMs });
    await admitted(triggers.task(spared, { inputPath: `/${given.unique('input')}.pdf` }));
    await stayQuiet(context);
    expectNoCall(context, spared, 'calls of a task for text/csv about a job with a PDF file');
  }),
} satisfies SomeCasesOf<'metadata'>;

/** Once an update has shown that a validation extension is for another SoftType now, it is not called any more. */
async function expectTakenAway(context: CaseContext, extension: Extension): Promise<void> {
  const { given, registrations, triggers, expect } = context;
  const record = extension.record('ExternalValidation');
  const elsewhere = [{ capabilityType: 'SoftType', capabilities: [given.unique('NoSuchType')] }];
  extension.setRecords([{ ...record, capabilities: elsewhere }]);
  const { length } = extension.metadata();
  given.succeeded(
    await registrations.update(given.present(extension.registration, 'a registration'), { tokenLifeTime: 61 }),
    'the registration is updated',
  );
  given.present(
    (await extension.ended(length + 1, { kind: 'metadata' }, { withinMs: callWaitMs }))[length],
    'the metadata request of the update',
    ['metadata.fetch.on-update'],
  );
  await stayQuiet(context);
  const thing = await given.object();
  extension.concern(thing);
  await triggers.validation(thing);
  await stayQuiet(context);
  expect(
    extension.calls({ kind: 'validation', objectId: thing.oid }).length,
    'calls for the SoftType of before the update',
  ).toEqual(0);
}
