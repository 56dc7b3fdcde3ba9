import type { TriggerName } from '../../../contract/profile.ts';
import type { CallHistory, CallPlan, Deed, Stated } from '../../../judge/model/call-history/history.ts';
import type { CaseContext } from '../../../judge/case.ts';
import { isSuccess, type Changes, type Reply } from '../../../judge/exchange.ts';
import { callWaitMs } from '../../../judge/extension/trigger-calls.ts';
import { requestsIn, senderOf } from '../../../judge/extension/triggers.ts';
import { partHere } from '../../../judge/case/part.ts';
import { withCorrelationId } from '../../../judge/service/requests.ts';
import { unlessRefused } from '../../../judge/violation.ts';
import type { Thing } from '../../../judge/things.ts';
import { anyEdit } from '../../../judge/service/writes.ts';
import { type Callee, openCallee, type Sent } from './callees.ts';
import { filterAt } from '../../../judge/service/queries.ts';
import { hasPlaceFor, urlInSecondSpace } from '../checks/triggered-calls.ts';

/** Longer than all attempts of a validation and their gaps with the tolerance, in ms. */
export const outcomeMs = 60_000;

/** Lets a history happen; what there is to judge of it stands in its callees. */
export class Play {
  readonly callees: Callee[] = [];
  readonly #context: CaseContext;
  #step = 0;
  #validatesInModule = false;

  constructor(context: CaseContext) {
    this.#context = context;
  }

  /** The number of the deed that begins. */
  begin(): number {
    this.#step += 1;
    return this.#step;
  }

  /** @param useTokens uses tokens of the calls so far of these callees */
  async run(
    { callees, happenings, watchedMs }: CallHistory,
    useTokens: (callees: readonly Callee[]) => Promise<void>,
  ): Promise<void> {
    const { clock } = this.#context;
    if (callees.some(({ kind }) => kind === 'validation'))
      this.#validatesInModule = await isTakenInModule(this.#context);
    for (const [index, plan] of callees.entries())
      this.callees.push(await openCallee(this.#context, plan, index, this.callees.at(-1)));
    const begunAt = clock.now();
    for (const happening of happenings) {
      const waitMs = begunAt + happening.at - clock.now();
      if (waitMs > 0) await clock.pass(waitMs);
      const callee = this.callees[happening.callee];
      if (callee === undefined) continue;
      if (happening.kind === 'use tokens') await useTokens(happening.ofAll === true ? this.callees : [callee]);
      else await this.happen(callee, happening);
    }
    await clock.pass(watchedMs);
  }

  async happen(callee: Callee, happening: Deed): Promise<void> {
    this.begin();
    if (happening.kind === 'trigger') await this.#trigger(callee, happening.call, happening.again === true);
    else if (happening.kind === 'burst') await this.#burst(callee, happening.call, happening.count);
    else if (happening.kind === 'update') await this.#update(callee, happening.change);
    else if (happening.kind === 'delete') await this.#delete(callee, happening.back);
    else await this.#edit(callee);
  }

  async #trigger(callee: Callee, plan: CallPlan, isAgain: boolean): Promise<void> {
    const { kind } = callee.plan;
    if (kind === 'validation' || kind === 'action') {
      if (!(await this.#ended(callee))) return;
      await this.#select(callee, isAgain);
    }
    const sent = this.#made(callee, plan);
    callee.sent.push(sent);
    if (kind === 'validation') sent.outcome = this.#outcomeOf(callee, sent);
    else await this.#send(callee, sent);
  }

  #hasModule(kind: Callee['plan']['kind']): boolean {
    return kind === 'validation' ? this.#validatesInModule : hasModule(this.#context, kind);
  }

  /** What the next trigger is about, as it is now. */
  async #select(callee: Callee, isAgain: boolean): Promise<void> {
    const { given } = this.#context;
    callee.thing = (isAgain ? await this.#thingAgain(callee) : undefined) ?? (await given.object());
    callee.concern?.(callee.thing);
    callee.owner ??= await given.object();
  }

  /** The object of the trigger before. What was stopped is asked about anew where it was edited since; undefined where it cannot be. */
  async #thingAgain({ plan: { kind }, thing, sent }: Callee): Promise<Thing | undefined> {
    const { given, service } = this.#context;
    if (thing === undefined) return undefined;
    const before = kind === 'validation' ? await sent.at(-1)?.outcome : undefined;
    const current = await given.current(thing);
    if (before === undefined || isSuccess(before.status)) return current;
    const edited = await service.merge(current, anyEdit(this.#context));
    return isSuccess(edited.status) ? await given.current(thing) : undefined;
  }

  /** The operation before on the same object has to have ended. */
  async #ended({ sent }: Callee): Promise<boolean> {
    const { outcome } = sent.at(-1) ?? {};
    return (
      outcome === undefined ||
      (await this.#context.clock.until(
        outcome.then(() => true),
        outcomeMs,
      )) === true
    );
  }

  async #burst(callee: Callee, plan: CallPlan, count: number): Promise<void> {
    const { clock } = this.#context;
    const since = clock.now();
    // one limit for all, whoever sets them off and wherever
    const sent = Array.from({ length: count }, (_sent, index) =>
      this.#made(callee, { ...plan, isOfSecondUser: index % 3 === 1, isElsewhere: index % 3 === 2 }),
    );
    callee.sent.push(...sent);
    await Promise.all(sent.map((one) => this.#send(callee, one)));
    callee.bursts.push({ step: this.#step, since, until: clock.now(), sent });
  }

  #outcomeOf(callee: Callee, sent: Sent): Promise<Reply | undefined> {
    const outcome = this.#context.clock.beside(async () => {
      await this.#send(callee, sent);
      return sent.triggered?.reply;
    });
    outcome.catch(() => undefined);
    return outcome;
  }

  /** A trigger that is about to be sent. */
  #made({ plan: { kind }, thing, owner }: Callee, plan: CallPlan): Sent {
    const { given, clock, profile } = this.#context;
    const marker = given.unique('history');
    const ids = { id: partHere().id(), text: `Conf/${marker}.b`, none: undefined };
    return {
      plan,
      step: this.#step,
      marker,
      as:
        plan.isOfSecondUser && isOpenToSecond(this.#context, kind)
          ? 'secondEditor'
          : senderOf(profile.all, triggerOf(kind)),
      correlationId: ids[plan.correlation],
      filter: filterAt(this.#context, `2026-03-${String(plan.day).padStart(2, '0')}T00:00:00Z`),
      thing,
      owner: this.#hasModule(kind) && plan.module !== 'none' ? owner : undefined,
      space: profile.all.space,
      sentAt: clock.now(),
      answeredAt: Infinity,
      triggered: undefined,
    };
  }

  async #send(callee: Callee, sent: Sent): Promise<void> {
    const { clock, notes } = this.#context;
    const { as, filter, correlationId = null } = sent;
    const changes = { ...withCorrelationId(correlationId), filter, ...(as === 'secondEditor' && { as }) };
    sent.triggered = await unlessRefused(() =>
      callee.trigger(sent, { ...changes, ...this.#elsewhere(callee, sent) }, callee.registration),
    );
    sent.answeredAt = clock.now();
    if (sent.triggered === undefined) notes.observe(`a trigger for a callee of kind ${callee.plan.kind}`, 'is refused');
  }

  /** An event of the second space, once one of the first showed where events are triggered. */
  #elsewhere({ plan, sent }: Callee, one: Sent): Changes {
    const { secondSpace } = this.#context.profile.all;
    const { triggered } = sent.find((before) => before.triggered !== undefined) ?? {};
    if (plan.kind !== 'event' || !one.plan.isElsewhere || one.as === 'secondEditor' || triggered === undefined)
      return {};
    const url = urlInSecondSpace(this.#context, triggered);
    if (url === undefined || secondSpace === undefined) return {};
    one.space = secondSpace.space;
    return { url };
  }

  async #update(callee: Callee, change: Partial<Stated>): Promise<void> {
    const { clock, notes, registrations, given } = this.#context;
    const { reached, versions, plan } = callee;
    const former = given.present(versions.at(-1), 'a registration');
    const stated = { ...former.stated, ...change };
    const isExtension = former.apiKey !== '';
    const apiKey = isExtension && change.key !== undefined ? partHere().key(64).toString('base64') : former.apiKey;
    const asked = reached.calls({ kind: 'metadata' }).length;
    const from = clock.now();
    const members = { ...callee.restate(stated), ...(isExtension && { apiKey }) };
    const reply = await registrations.update(given.present(callee.registration, 'a registration'), members);
    if (!isSuccess(reply.status)) {
      callee.restate(former.stated);
      return notes.observe(`an update of a callee of kind ${plan.kind}`, 'is not taken', reply);
    }
    versions.push({ step: this.#step, from, stated, apiKey });
    if (isExtension && stated.active) await reached.ended(asked + 1, { kind: 'metadata' }, { withinMs: callWaitMs });
  }

  async #delete({ sent, plan }: Callee, back: number): Promise<void> {
    const { given, triggers, clock } = this.#context;
    const one = sent.at(-1 - back);
    if (one?.triggered === undefined) return;
    const from = clock.now();
    const { status } = await triggers.deleteEvent(one.triggered);
    const since = clock.now();
    // whoever deletes what there never was tells nothing of an event
    const tells =
      plan.kind === 'event' ||
      !isSuccess((await triggers.deleteEvent({ ...one.triggered, id: given.unique('none') })).status);
    one.deletion = { from, since, isTaken: isSuccess(status) && tells };
  }

  async #edit(callee: Callee): Promise<void> {
    const { given } = this.#context;
    if (callee.thing === undefined || !(await this.#ended(callee))) return;
    callee.thing = await given.edited(await given.current(callee.thing));
  }
}

/** Whether the second editor can be the one who sets off such calls. */
export function isOpenToSecond({ profile }: CaseContext, kind: Callee['plan']['kind']): boolean {
  const { identities, triggers = {} } = profile.all;
  const template = triggers[triggerOf(kind)];
  return (
    identities.secondEditor !== undefined &&
    template !== undefined &&
    requestsIn(template).every(({ as }) => as === undefined)
  );
}

function triggerOf(kind: Callee['plan']['kind']): TriggerName {
  const names = {
    mail: 'email',
    action: 'actionRibbon',
    'simple endpoint': 'endpoint',
    'trusted endpoint': 'endpoint',
  } as const;
  return kind in names ? names[kind as keyof typeof names] : (kind as 'event' | 'task' | 'validation');
}

/** Whether such a call can be set off in the context object module, so that it shows. */
function hasModule(context: CaseContext, kind: Callee['plan']['kind']): boolean {
  const trigger = kind === 'validation' ? 'validationInContext' : 'actionRibbonInContext';
  return ['objectId', 'contextObjectId'].every((name) => hasPlaceFor(context, trigger, name));
}

async function isTakenInModule(context: CaseContext): Promise<boolean> {
  const { given } = context;
  if (!hasModule(context, 'validation')) return false;
  // nobody is there yet whom such a trigger could name
  if (['recordId', 'registrationId'].some((name) => hasPlaceFor(context, 'validationInContext', name))) return true;
  return isTaken(context, { contextObjectId: (await given.object()).oid });
}

/** Whether the operation is taken where nobody validates it: what is refused then tells nothing of a verdict. */
export async function isTaken(
  { given, triggers }: CaseContext,
  changes?: { readonly contextObjectId: string },
): Promise<boolean> {
  return (await triggers.validation(await given.object(), changes)).reply.status < 400;
}
