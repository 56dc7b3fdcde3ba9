import { isSuccess, type Reply } from '../../../judge/exchange.ts';
import { editRequest, readerMayBatch, sendBatch } from '../../../judge/service/batch.ts';
import type { SoftTypeProfile } from '../../../contract/profile.ts';
import type { CaseContext } from '../../../judge/case.ts';
import type { Extension, ScriptedAnswer } from '../../../judge/extension/extension.ts';
import { comparableId } from '../../../judge/service/guid.ts';
import { readStanding } from '../../../judge/service/maturity.ts';
import { partHere } from '../../../judge/case/part.ts';
import { withCorrelationId } from '../../../judge/service/requests.ts';
import { softTypesOf } from '../../../judge/service/soft-types.ts';
import type { Thing } from '../../../judge/things.ts';
import { unlessRefused } from '../../../judge/violation.ts';
import { anyEdit, readVersion } from '../../../judge/service/writes.ts';
import { retire } from './same-records.ts';

/** A script that answers every validation so. */
export function answerValidationsWith(
  answer: Pick<ScriptedAnswer['steps'][number], 'json' | 'text' | 'delayMs'>,
): readonly ScriptedAnswer[] {
  const step: ScriptedAnswer['steps'][number] = {
    status: 200,
    headers: { 'Content-Type': 'application/json' },
    ...answer,
  };
  return [{ when: { kind: 'validation' }, steps: [step], afterwards: 'last' }];
}

/** What was stopped passes by what is answered now. Who keeps a verdict since nothing has changed asks again when something has. Returns whether it was asked for at once. */
export async function expectPassing(
  context: CaseContext,
  extension: Extension,
  thing: Thing,
  operate = async (current: Thing): Promise<Reply> => (await context.triggers.validation(current)).reply,
): Promise<boolean> {
  const { given, service, expect, notes } = context;
  const asked = (): number => extension.calls({ objectId: thing.oid }).length;
  const before = asked();
  const reply = await operate(await given.current(thing));
  const isAsked = asked() > before;
  notes.observe('an object that was stopped is asked about again', isAsked, reply);
  if (isAsked || isSuccess(reply.status)) expect(reply).toSucceed();
  else {
    notes.remark('an object that a validation stopped is not asked about again until it is edited', reply);
    await service.merge(await given.current(thing), anyEdit(context));
    expect(await operate(await given.current(thing))).toSucceed();
  }
  return isAsked;
}

/** A promote that a validation stops by its own route does not pass as one of a batch, which answers as ever. Source: core, Batch rules 2 and 3 */
export async function expectStoppedInBatch(context: CaseContext, extension: Extension): Promise<void> {
  const { given, service, expect, notes, profile } = context;
  if (profile.all.maturity === undefined || !profile.offers('batch')) return;
  const [alone, inBatch, beside, edited] = [
    await given.object(),
    await given.object(),
    await given.object(),
    await given.object(),
  ];
  const promote = service.requests.promote(inBatch);
  for (const thing of [alone, inBatch, beside]) extension.concern(thing);
  extension.setScript(answerValidationsWith({ json: { isValid: false, message: given.unique('reason') } }));
  const single = await service.promote(alone);
  const isStopped = !isSuccess(single.status) && extension.calls({ objectId: alone.oid }).length > 0;
  notes.observe('a promote by its own route is validated', isStopped, single);
  const [before, untouched] = [await service.snapshot(inBatch), await service.snapshot(edited)];
  if (!isStopped) return;
  const stopped = await sendBatch(context, [editRequest(context, edited), promote]);
  expect(stopped.status, 'status of a batch with a promote that a validation stops', stopped).notToEqual(200);
  expect.unchanged(before, await service.snapshot(inBatch));
  expect.unchanged(untouched, await service.snapshot(edited));
  // the verdict on one object is none on another
  extension.setScript([
    { when: { objectId: beside.oid }, steps: [{ json: { isValid: true, message: '' } }], afterwards: 'last' },
    ...answerValidationsWith({ json: { isValid: false, message: given.unique('reason') } }),
  ]);
  const [{ length: known }, id] = [extension.calls(), partHere().id()];
  const mixed = await sendBatch(context, [service.requests.promote(beside), promote], withCorrelationId(id));
  expect(mixed.status, 'status of a batch with two promotes of which a validation stops the second', mixed).notToEqual(
    200,
  );
  expect.unchanged(before, await service.snapshot(inBatch));
  const ids = extension
    .calls()
    .slice(known)
    .map(({ envelope }) => comparableId(envelope.id));
  expect([...new Set(ids)], 'ids of the validations of a batch whose operations have no id of their own').toEqual(
    ids.length === 0 ? [] : [id],
  );
  // what the batch itself has changed was found valid by nobody
  const behindItsEdit = [editRequest(context, inBatch), service.requests.promote(inBatch, inBatch.version + 1)];
  const edits = await sendBatch(context, behindItsEdit);
  expect(
    edits.status,
    'status of a batch that edits an object and promotes it, which a validation stops',
    edits,
  ).notToEqual(200);
  expect.unchanged(before, await service.snapshot(inBatch));
  extension.setScript([]);
  if (!(await expectPassing(context, extension, alone, service.promote))) return;
  const passing = [editRequest(context, edited), promote, service.requests.promote(beside)];
  expect(await sendBatch(context, passing)).toAnswer(200);
  const { reader } = profile.all.identities;
  if (reader !== undefined && (await readerMayBatch(context)))
    expect(await sendBatch(context, [promote], { as: 'reader' })).toAnswer(500);
}

/** Retries of a validation. Source: extensions, Limits, retries row 2 */
const mostRetries = 3;

/** Answers of one validation each: as many that are transient as are tried again, then a verdict. */
const recovering: readonly ScriptedAnswer[] = [
  {
    when: { kind: 'validation' },
    steps: [
      ...Array.from({ length: mostRetries }, () => ({ status: 503 })),
      { status: 200, json: { isValid: true, message: 'judged' } },
    ],
    per: 'correlation-id',
    afterwards: 'last',
  },
];

/** A validation that recovers for a promote by its own route does so for one of a batch. Whether a batch asks at all is judged elsewhere. */
export async function expectRecoversInBatch(context: CaseContext, withinMs: number): Promise<void> {
  const { clock, given, service, expect, notes, profile } = context;
  if (profile.all.maturity === undefined || !profile.offers('batch')) return;
  const [alone, inBatch] = [await given.object(), await given.object()];
  const extension = await given.extension({
    types: ['ExternalValidation'],
    concerns: [alone, inBatch],
    script: recovering,
  });
  const single = await clock.until(
    clock.through(() => service.promote(alone)),
    withinMs,
  );
  const recovers =
    single !== undefined &&
    isSuccess(single.status) &&
    extension.calls({ objectId: alone.oid }).length === mostRetries + 1;
  notes.observe('a promote by its own route waits for a validation that recovers', recovers, single);
  if (!recovers) return;
  const sent = clock.through(() => sendBatch(context, [service.requests.promote(inBatch)]));
  const reply = given.present(await clock.until(sent, withinMs), 'the answer of a batch with a promote');
  const attempts = extension.calls({ objectId: inBatch.oid });
  notes.observe('attempts of a validation for a promote of a batch', attempts.length, reply);
  if (attempts.length === 0) return;
  expect(reply).toAnswer(200);
  // who checks first and commits later may ask once more
  expect(attempts.length, 'attempts of a validation for a promote of a batch').toSatisfy(
    'four or more',
    (count) => count > mostRetries,
  );
  await expectRetriesEach(context, extension, 2 * withinMs);
}

/** What one validation of a batch has used of its retries the next one has all the same. Source: extensions, Limits, retries row 2 */
async function expectRetriesEach(context: CaseContext, extension: Extension, withinMs: number): Promise<void> {
  const { clock, given, service, expect } = context;
  const things = [await given.object(), await given.object()];
  for (const thing of things) extension.concern(thing);
  const steps = [{ status: 503 }, { status: 503 }, { status: 200, json: { isValid: true, message: 'judged' } }];
  extension.setScript(
    things.map(({ oid }) => ({ when: { kind: 'validation', objectId: oid }, steps, afterwards: 'last' })),
  );
  const sent = clock.through(() =>
    sendBatch(
      context,
      things.map((thing) => service.requests.promote(thing)),
    ),
  );
  const reply = given.present(await clock.until(sent, withinMs), 'the answer of a batch with two promotes');
  if (things.some(({ oid }) => extension.calls({ objectId: oid }).length > 0)) expect(reply).toAnswer(200);
}

/**
 * What was found valid once is no longer so after an edit: the same promote from the same state asks again. Where an object does not get back
 * there by a demote, or the promote is not validated by its own route, nothing is asserted.
 */
export async function expectValidatedAgain(context: CaseContext, extension: Extension): Promise<void> {
  const { given, service, expect, notes, profile } = context;
  if (profile.all.maturity === undefined || profile.all.routes?.demote === undefined) return;
  const thing = await given.object();
  extension.concern(thing);
  const start = await readStanding(context, thing);
  extension.setScript(answerValidationsWith({ json: { isValid: true, message: '' } }));
  const first = await service.promote(thing);
  if (!isSuccess(first.status) || extension.calls({ objectId: thing.oid }).length === 0) return;
  // an opinion is no edit
  expect(await readVersion(context, thing), 'version after a promote that was validated', first).toEqual(
    thing.version + 1,
  );
  const demoted = await service.demote(await given.current(thing));
  const edited = await service.merge(await given.current(thing), anyEdit(context));
  const again = await readStanding(context, thing);
  const isBack = isSuccess(demoted.status) && isSuccess(edited.status) && again.state !== undefined;
  notes.observe('an object that was validated gets back to its first state', isBack && again.state === start.state);
  if (!isBack || again.state !== start.state) return;
  extension.setScript(answerValidationsWith({ json: { isValid: false, message: given.unique('reason') } }));
  expect(await service.promote(await given.current(thing))).notToSucceed();
  expect.unchanged(again.snapshot, await service.snapshot(thing));
}

/** The verdict of before is none on what comes now, nothing or a refusal; whoever does not ask again, since nothing has changed, may keep it. */
export async function expectStoppedAnew(
  context: CaseContext,
  extension: Extension,
  things: readonly Thing[],
): Promise<void> {
  const { given, expect, notes, triggers } = context;
  const [refused = ''] = things.map(({ oid }) => oid);
  extension.setScript([
    { when: { objectId: refused }, steps: [{ status: 404 }], afterwards: 'last' },
    ...answerValidationsWith({ text: '' }),
  ]);
  await Promise.all(
    things.map(async (thing) => {
      const asked = (): number => extension.calls({ objectId: thing.oid }).length;
      const before = asked();
      const { reply } = await triggers.validation(await given.current(thing));
      notes.observe('an object that was found valid is asked about again', asked() > before, reply);
      if (asked() > before) expect(reply).notToSucceed();
    }),
  );
}

/**
 * Each object of a batch is validated as one of its own SoftType, whichever is promoted before it. Nothing is asserted unless objects of two
 * SoftTypes can be promoted, and a promote of the one is validated by its own route.
 */
export async function expectValidatedByTypeInBatch(context: CaseContext): Promise<void> {
  const { given, service, expect, notes, profile } = context;
  const foreignType = profile.offers('batch') ? await promotedTypeBeside(context) : undefined;
  notes.observe('promotes of objects of two SoftTypes are exercised', foreignType !== undefined);
  if (foreignType === undefined) return;
  const make = async () => [await given.object(), await given.object({}, { type: foreignType })] as const;
  const [[own, foreign], [passing, spared]] = [await make(), await make()];
  const concerns = [own, foreign, passing, spared];
  const { definitionId } = profile.primary;
  const capabilities = [{ capabilityType: 'SoftType', capabilities: [definitionId] }];
  const script = answerValidationsWith({ json: { isValid: false, message: given.unique('reason') } });
  const extension = await given.extension({
    types: ['ExternalValidation'],
    record: { capabilities },
    concerns,
    script,
  });
  const callsFor = ({ oid }: Thing): number => extension.calls({ kind: 'validation', objectId: oid }).length;
  const single = await service.promote(own);
  if (!isSuccess(single.status) && callsFor(own) > 0) {
    const before = await service.snapshot(own);
    const stopped = await sendBatch(
      context,
      [foreign, own].map((thing) => service.requests.promote(thing)),
    );
    const what = `status of a batch that promotes a ${foreignType.definitionId}, then a ${definitionId}, which a validation stops`;
    expect(stopped.status, what, stopped).notToEqual(200);
    expect.unchanged(before, await service.snapshot(own));
    extension.setScript([]);
    const reply = await sendBatch(
      context,
      [passing, spared].map((thing) => service.requests.promote(thing)),
    );
    notes.observe('status of a batch that promotes objects of two SoftTypes', reply.status, reply);
    for (const thing of [foreign, spared])
      expect(
        callsFor(thing),
        `validations of a ${foreignType.definitionId} by an extension for ${definitionId}`,
      ).toEqual(0);
  }
  await retire(context, extension);
}

/** A list of SoftTypes without any may stand for no restriction, as it does elsewhere; who stands for all may keep others from being asked. */
export async function observeEmptyList(context: CaseContext): Promise<void> {
  const { given, triggers, notes } = context;
  const thing = await given.object();
  const record = { capabilities: [{ capabilityType: 'SoftType', capabilities: [] }] };
  const open = await unlessRefused(() => given.extension({ types: ['ExternalValidation'], record, concerns: [thing] }));
  if (open === undefined) return;
  await triggers.validation(thing);
  notes.observe('calls of a validation extension for an empty list of SoftTypes', open.calls().length);
  await retire(context, open);
}

/** Of two that are asked about a SoftType the one is asked without the other as well. Source: extensions, Extension metadata record, use of capabilities */
export async function expectAskedWithoutOther(context: CaseContext): Promise<void> {
  const { given, triggers, expect, notes, profile } = context;
  // elsewhere that of another case may be asked in its place
  if (profile.all.expect?.severalValidations === 'one') return;
  const concerns = [await given.object(), await given.object()] as const;
  const [beside, alone] = concerns;
  const about = { types: ['ExternalValidation'], concerns } as const;
  const [gone, left] = [await given.extension(about), await given.extension(about)];
  const asked = ({ oid }: Thing): number => left.calls({ objectId: oid }).length;
  await triggers.validation(beside);
  notes.observe('the later one of two validation extensions is asked', asked(beside) > 0);
  if (asked(beside) === 0) return;
  await retire(context, gone);
  await triggers.validation(alone);
  expect(asked(alone), 'validations by one beside which another extension was removed').toSatisfy(
    'at least one',
    (count) => count > 0,
  );
}

/** Another SoftType of the profile whose objects can be promoted: which can is configuration. */
async function promotedTypeBeside({ given, service, profile }: CaseContext): Promise<SoftTypeProfile | undefined> {
  if (profile.all.maturity === undefined) return undefined;
  for (const type of softTypesOf(profile.all)) {
    if (type.definitionId === profile.primary.definitionId) continue;
    const reply = await unlessRefused(async () => service.promote(await given.object({}, { type })));
    if (reply !== undefined && isSuccess(reply.status)) return type;
  }
  return undefined;
}

/** Long enough for two validations that begin at the same moment to be awaited together. */
const besideMs = 200;

/** The verdict on one object is none on another that is validated at the same moment, whichever of them was asked about first. */
export async function expectJudgedApart(context: CaseContext, extension: Extension): Promise<void> {
  const { given, expect, triggers } = context;
  for (const isFirstValid of [true, false]) {
    const [first, second] = [await given.object(), await given.object()];
    for (const thing of [first, second]) extension.concern(thing);
    const verdictOn = ({ oid }: Thing, isValid: boolean): ScriptedAnswer => ({
      when: { kind: 'validation', objectId: oid },
      steps: [{ status: 200, json: { isValid, message: '' }, delayMs: besideMs }],
      afterwards: 'last',
    });
    extension.setScript([verdictOn(first, isFirstValid), verdictOn(second, !isFirstValid)]);
    const [one, other] = await Promise.all([triggers.validation(first), triggers.validation(second)]);
    const [passing, stopped] = isFirstValid ? [one, other] : [other, one];
    expect(passing.reply).toSucceed();
    expect(stopped.reply).notToSucceed();
  }
}
