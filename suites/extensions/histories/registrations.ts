import type { CalleePlan, CallPlan, KeysStated, Stated } from '../../../judge/model/call-history/history.ts';
import type { CaseContext } from '../../../judge/case.ts';
import { isSuccess, type Changes, type Reply } from '../../../judge/exchange.ts';
import type { KeysPost } from '../../../judge/extension/api-keys.ts';
import { callWaitMs, stayQuiet } from '../../../judge/extension/trigger-calls.ts';
import type { RegistrationKind } from '../../../judge/extension/registrations.ts';
import { partHere } from '../../../judge/case/part.ts';
import type { Asking, Flaw, RegistrationDeed, RegistrationHistory } from '../../../judge/model/registration-history.ts';
import { everySpelling, spelled } from '../../../judge/service/spellings.ts';
import { sleep } from '../../../judge/time/real-time.ts';
import { unlessRefused } from '../../../judge/violation.ts';
import { permissionNames } from '../../../contract/names.ts';
import { mayBeMeantForOthers, uploadSignedWith } from '../checks/brought-keys.ts';
import { attemptsAt, type Callee, keysPath, openCallee, type Sent } from './callees.ts';
import { expectContent, expectSigned } from './calls.ts';
import { Play } from './play.ts';
import { isRemoved } from '../checks/same-records.ts';
import { inTime } from '../../../judge/model/failing-history.ts';

/** A registration as it has to be, and what has come of it so far. */
interface Registered {
  readonly callee: Callee;
  /** `unknown`: what became of it the documents leave open. */
  state: 'there' | 'gone' | 'unknown';
  /** Metadata requests that it may have caused. */
  fetches: number;
  /** Posts that brought keys. */
  posts: number;
  /** Whether keys are brought to it at all: undefined until they were asked for. */
  isServed?: boolean;
  /** Whether its host tells of another record by now, so that calls are none that it knows. */
  isToldOtherwise: boolean;
  /** What was set off while it could not be called. */
  readonly silent: Sent[];
}

/** How long a service may take to put to use what it was just told, in ms. */
const settlingMs = 3000;

/** How long a call that must not come is waited for, in ms; all that came is looked at in the end. */
const silentMs = { moved: 200, real: 1000 } as const;

/** Between two tries of a trigger that is refused, and how many there are. */
const [pauseMs, tries] = [500, 3];

/** Lets a history of registrations happen and judges each step by what comes of it. */
export class RegistrationPlay {
  readonly #context: CaseContext;
  readonly #play: Play;
  readonly #all: Registered[] = [];

  constructor(context: CaseContext) {
    this.#context = context;
    this.#play = new Play(context);
  }

  /** @param reached told the index of each step, and of the registration that is looked at */
  async run({ callees, steps }: RegistrationHistory, reached: (step: number, callee: number) => void): Promise<void> {
    for (const [index, plan] of callees.entries()) {
      const callee = await this.#open(plan, index);
      this.#all.push({ callee, state: 'there', fetches: 1, posts: 0, isToldOtherwise: false, silent: [] });
    }
    const { profile, registrations } = this.#context;
    for (const [index, { callee, ...deed }] of inTime(steps, profile.all, () => registrations.waitedMs)) {
      const one = this.#all[callee];
      reached(index, callee);
      if (one !== undefined && one.state !== 'unknown') await this.#do(one, deed);
    }
    await this.#lookAtAll((callee) => reached(steps.length, callee));
  }

  async #open(plan: CalleePlan, index: number): Promise<Callee> {
    const { keys: _keys, ...keyless } = plan.stated;
    const opened = await unlessRefused(() => openCallee(this.#context, plan, index));
    // who takes no permissions of an endpoint gives nothing for them either
    return opened ?? openCallee(this.#context, { ...plan, stated: keyless }, index);
  }

  #do(one: Registered, deed: RegistrationDeed): Promise<void> {
    switch (deed.kind) {
      case 'trigger':
        return this.#trigger(one, deed.call);
      case 'update':
        return this.#update(one, deed.change);
      case 'flawed':
        return this.#sendFlawed(one, deed);
      case 'remove':
        return this.#remove(one);
      case 'register anew':
        return this.#registerAnew(one, deed.stated, deed.isSpelledOtherwise);
      case 'ask for keys':
        return this.#askForKeys(one, deed.asking, deed.isUsed === true);
      case 'tell otherwise':
        if (one.state === 'there') one.callee.restate(deed.stated);
        one.isToldOtherwise = one.state === 'there';
        return Promise.resolve();
    }
  }

  /** Sets off one call, which comes where the registration is there and switched on. */
  async #trigger(one: Registered, call: CallPlan): Promise<void> {
    const { clock, given } = this.#context;
    const { callee } = one;
    if (!isCalled(one)) {
      await this.#play.happen(callee, { kind: 'trigger', call });
      one.silent.push(given.present(callee.sent.at(-1), 'a trigger'));
      return;
    }
    const isFirst = callee.sent.length === 0;
    for (let count = 0; count < tries; count += 1) {
      if (count > 0) await sleep(pauseMs);
      // an id that is no GUID may be refused
      const correlation = count > 0 ? 'id' : call.correlation;
      await this.#play.happen(callee, { kind: 'trigger', call: { ...call, correlation } });
      if (callee.sent.at(-1)?.triggered !== undefined) break;
    }
    const sent = given.present(callee.sent.at(-1), 'a trigger');
    if (isFirst) given.assume(sent.triggered !== undefined, 'a trigger that is accepted');
    const own = () => attemptsAt(callee).get(sent) ?? [];
    if (sent.triggered !== undefined)
      await callee.reached.ended(
        1,
        { where: (any) => own().includes(any), ...(one.isToldOtherwise && { kind: 'other' }) },
        { withinMs: callWaitMs },
      );
    if (own().length === 0) clock.expectCame(`the call of a callee of kind ${callee.plan.kind}`, undefined);
    expectContent(this.#context, callee, sent, own());
  }

  async #update(one: Registered, change: Partial<Stated>): Promise<void> {
    const { callee } = one;
    if (one.state !== 'there') return;
    const former = stateOf(callee);
    if (change.active === true || change.isLeftOut === false) await this.#expectSilence(one);
    const before = callee.reached.calls({ kind: 'metadata' }).length;
    const count = callee.versions.length;
    await this.#play.happen(callee, { kind: 'update', change });
    one.isToldOtherwise = false;
    // one that is refused may be so for what the metadata show
    one.fetches += 1;
    if (callee.versions.length === count) return;
    // whether metadata are asked for while it is switched off, and when it is switched on, is not said
    this.#expectAsked(one, before, former.active && stateOf(callee).active);
  }

  /** Metadata are asked for with the key of now. @param isDue whether they have to be */
  #expectAsked({ callee }: Registered, before: number, isDue: boolean): void {
    const { clock, expect } = this.#context;
    if (!isExtension(callee)) return;
    const [asked] = callee.reached.calls({ kind: 'metadata' }).slice(before);
    if (asked === undefined) {
      if (isDue)
        clock.expectCame('the metadata request after a registration or an update', undefined, { of: 'something else' });
    } else expectSigned({ expect }, asked, callee.versions.slice(-1));
  }

  /** Nothing came of what was set off while it could not be called. What comes of it later is not said. */
  async #expectSilence({ callee, silent }: Registered): Promise<void> {
    const { expect, clock } = this.#context;
    if (silent.length === 0) return;
    await clock.until(new Promise<never>(() => undefined), clock.controlled ? silentMs.moved : silentMs.real);
    const attempts = attemptsAt(callee);
    const came = silent.splice(0).flatMap((sent) => attempts.get(sent) ?? []);
    const what = `calls of a callee of kind ${callee.plan.kind} that is removed, left out or switched off`;
    expect(came.map(targetOf), what).toEqual([]);
  }

  /** A request that is refused changes nothing: neither what is there nor what its host is asked. */
  async #sendFlawed(
    one: Registered,
    { of, flaw, stated, as }: Extract<RegistrationDeed, { readonly kind: 'flawed' }>,
  ): Promise<void> {
    const { registrations, notes } = this.#context;
    const { callee } = one;
    const { registration } = callee;
    if (one.state !== 'there' || registration === undefined) return;
    const { members, body } = flawedBody(callee, stated, flaw);
    const changes: Changes = as === undefined ? {} : { as };
    const reply =
      of === 'update'
        ? await registrations.update(registration, members, { ...changes, ...(typeof body === 'string' && { body }) })
        : await registrations.post(registration.kind, body, changes);
    // what a request that is taken all the same, or breaks the service, has done is not said
    if (reply.status >= 400 && reply.status < 500) return;
    notes.observe(`a ${of} that ${flaw}`, reply.status, reply);
    one.state = 'unknown';
  }

  async #remove(one: Registered): Promise<void> {
    const { callee } = one;
    if (one.state !== 'there' || callee.registration === undefined) return;
    if (!stateOf(callee).active) await this.#expectSilence(one);
    one.state = (await isRemoved(this.#context, callee.registration)) ? 'gone' : 'unknown';
  }

  /** Under the id, or at the host, of the one that is gone, of which nothing is left. */
  async #registerAnew(one: Registered, stated: Stated, isSpelledOtherwise: boolean): Promise<void> {
    const { registrations, notes, clock } = this.#context;
    const { callee } = one;
    const former = callee.registration?.kind;
    if (one.state !== 'gone' || former === undefined) return;
    const kind = stated.isTrusted === undefined ? former : endpointKind(stated.isTrusted);
    await this.#expectSilence(one);
    callee.renew?.();
    one.isToldOtherwise = false;
    const apiKey = isExtension(callee) ? { apiKey: partHere().key(64).toString('base64') } : {};
    const { active, ...members } = callee.restate(stated);
    const body = { ...callee.known, ...members, ...apiKey, ...(active === false && { active }) };
    const before = callee.reached.calls({ kind: 'metadata' }).length;
    const spelling = isSpelledOtherwise
      ? { body: spelled(body, { ...everySpelling, plain: [apiKey.apiKey] }) }
      : undefined;
    const from = clock.now();
    const reply = await registrations.post(kind, body, spelling);
    notes.observe('status of a registration in the place of one that is gone', reply.status, reply);
    one.fetches += 1;
    // for how long such an id stays taken is not said
    if (!isSuccess(reply.status)) return;
    callee.registration = registrations.made(kind, body, reply);
    callee.versions.push({ step: this.#play.begin(), from, stated, apiKey: apiKey.apiKey ?? '' });
    one.state = 'there';
    if (!isExtension(callee)) return;
    await callee.reached.ended(before + 1, { kind: 'metadata' }, { withinMs: callWaitMs });
    this.#expectAsked(one, before, true);
  }

  async #askForKeys(one: Registered, asking: Asking, isUsed: boolean): Promise<void> {
    const { apiKeys, clock, expect, notes } = this.#context;
    const { callee } = one;
    const inForce = stateOf(callee);
    const asked = askedFor(callee, asking);
    const holder = asked && callee.holder?.(asked, callee.versions.at(-1)?.apiKey ?? '');
    if (asked === undefined || holder === undefined || one.isServed === false) return;
    // what somebody gets who is switched off is not said
    if (one.state === 'there' && !inForce.active) return;
    const fate = fateOf(asked, one.state === 'there' && inForce.isLeftOut !== true ? inForce.keys : undefined);
    if (one.isServed === undefined && fate !== 'granted') return;
    const { length } = apiKeys.callbacks(holder);
    const ask = (): Promise<Reply> => apiKeys.acquire(holder);
    const reply =
      fate === 'granted' ? await clock.look(settlingMs, ask, ({ status }) => isSuccess(status)) : await ask();
    if (one.isServed === undefined) {
      one.isServed = isSuccess(reply.status);
      notes.observe(
        `keys for a callee of kind ${callee.plan.kind}`,
        one.isServed ? 'are brought' : 'are refused',
        reply,
      );
    } else if (fate === 'granted') expect(reply).toSucceed();
    else if (fate === 'refused') expect(reply).notToSucceed();
    if (!isSuccess(reply.status)) return;
    const isFirst = one.posts === 0;
    one.posts += 1;
    const post = await apiKeys.callback(holder, length);
    if (post === undefined && isFirst) return void (one.state = 'unknown');
    if (post === undefined)
      return clock.expectCame(`the keys for ${asked.permissions.join(', ')}`, undefined, { of: 'something else' });
    expectMembers(this.#context, post, asked, inForce.keys);
    this.#expectPosts(one);
    if (isUsed) await expectOpening(this.#context, post);
  }

  #expectPosts({ callee, posts }: Registered): void {
    const { expect } = this.#context;
    const { keys } = stateOf(callee);
    const holder = callee.holder?.(keys ?? { permissions: [], path: keysPath }, '');
    if (holder === undefined) return;
    const came = holder.reached
      .everything()
      .filter(({ path, kind }) => path.startsWith(keysPath) || kind === 'endpoint');
    expect(came.length, `posts to callbacks of a callee of kind ${callee.plan.kind}`).toEqual(posts);
  }

  /** Each is called once more, side by side, and nothing has come to any that nobody set off. */
  async #lookAtAll(looksAt: (callee: number) => void): Promise<void> {
    const { expect } = this.#context;
    const known = this.#all.filter(({ state }) => state !== 'unknown');
    const called = known.filter(isCalled);
    const ends = await Promise.allSettled(called.map((one) => this.#trigger(one, lastCall)));
    for (const [index, end] of ends.entries()) {
      if (end.status === 'fulfilled') continue;
      const one = called[index];
      if (one !== undefined) looksAt(this.#all.indexOf(one));
      throw end.reason;
    }
    await stayQuiet(this.#context);
    for (const one of known) {
      const { callee, fetches } = one;
      looksAt(this.#all.indexOf(one));
      const attempts = attemptsAt(callee);
      expect((attempts.get(undefined) ?? []).map(targetOf), 'requests that no trigger set off').toEqual([]);
      for (const sent of callee.sent) {
        const own = attempts.get(sent) ?? [];
        expect(own.length, 'calls of one trigger, acknowledged at once').toSatisfy(
          'one at most',
          (count) => count <= 1,
        );
        expectContent(this.#context, callee, sent, own);
      }
      if (!isCalled(one)) await this.#expectSilence(one);
      this.#expectPosts(one);
      const asked = callee.reached.calls({ kind: 'metadata' }).length;
      expect(asked, `metadata requests because of ${fetches} registrations and updates, refused ones too`).toSatisfy(
        `${fetches} at most`,
        (count) => count <= fetches,
      );
    }
  }
}

/** What each is called with at the end. */
const lastCall: CallPlan = {
  answers: [{ status: 200 }],
  isOfSecondUser: false,
  isElsewhere: false,
  correlation: 'id',
  day: 1,
  module: 'none',
  content: 0,
};

function stateOf({ versions, plan }: Callee): Stated {
  return versions.at(-1)?.stated ?? plan.stated;
}

function isCalled({ callee, state }: Registered): boolean {
  const { active, isLeftOut } = stateOf(callee);
  return state === 'there' && active && isLeftOut !== true;
}

function endpointKind(isTrusted: boolean): RegistrationKind {
  return isTrusted ? 'trustedExternalEndpoint' : 'externalEndpoint';
}

function isExtension({ plan }: Pick<Callee, 'plan'>): boolean {
  return !plan.kind.endsWith('endpoint');
}

function targetOf({ method, target }: { readonly method: string; readonly target: string }): string {
  return `${method} ${target}`;
}

/** A registration of which every member is another one, with a flaw; as members of an update, and as a whole. */
function flawedBody(
  callee: Callee,
  stated: Stated,
  flaw: Flaw,
): { readonly members: Readonly<Record<string, unknown>>; readonly body: unknown } {
  const { tokenLifeTime, active } = stated;
  const other = isExtension(callee)
    ? { tokenLifeTime, active, apiKey: partHere().key(64).toString('base64') }
    : callee.restate(stated);
  const wrong = isExtension(callee) ? { tokenLifeTime: 'an hour' } : { headers: [] };
  const lacking = isExtension(callee) ? { tokenLifeTime: undefined } : { method: undefined };
  const members = {
    ...other,
    ...(flaw === 'has a wrong member' && wrong),
    ...(flaw === 'lacks a member' && lacking),
  };
  const body = { ...callee.known, ...members };
  return { members, body: flaw === 'is no JSON' ? JSON.stringify(body).slice(0, -1) : body };
}

/** Undefined where there is nothing to ask for. */
function askedFor({ versions }: Callee, asking: Asking): KeysStated | undefined {
  const all = versions.flatMap(({ stated }) => stated.keys ?? []);
  const now = versions.at(-1)?.stated.keys;
  const others = permissionNames.filter((name) => now?.permissions.includes(name) !== true);
  if (asking === 'as before') return now === undefined ? all.at(-1) : all.at(-2);
  if (now === undefined) return undefined;
  switch (asking) {
    case 'one':
      return { ...now, permissions: now.permissions.slice(-1) };
    case 'one more':
      return { ...now, permissions: [...now.permissions, ...others.slice(0, 1)] };
    case 'another':
      return { ...now, permissions: others.slice(0, 1) };
    case 'elsewhere':
      return { ...now, path: now.path.replace(/[^/]+$/, otherLetters) };
    case 'with a query':
      return { ...now, path: `${now.path}?again=1` };
    default:
      return now;
  }
}

/** The word with its first letter in the other case. */
function otherLetters(word: string): string {
  const first = word.charAt(0);
  return (first === first.toLowerCase() ? first.toUpperCase() : first.toLowerCase()) + word.slice(1);
}

/** What becomes of a request for keys. Source: extensions, Acquiring API keys; ledger acquire-mixed-request */
function fateOf(asked: KeysStated, inForce: KeysStated | undefined): 'granted' | 'refused' | 'unsaid' {
  if (inForce === undefined || asked.path !== inForce.path) return 'refused';
  const excess = asked.permissions.filter((name) => !inForce.permissions.includes(name));
  if (excess.length === 0) return 'granted';
  return excess.length === asked.permissions.length ? 'refused' : 'unsaid';
}

/** The members are those that were asked for and are configured, each with a key. */
function expectMembers(
  { expect }: CaseContext,
  { json, keys }: KeysPost,
  asked: KeysStated,
  inForce: KeysStated | undefined,
): void {
  const right = asked.permissions.filter((name) => inForce?.permissions.includes(name));
  expect(Object.keys(Object(json)).toSorted(), `members brought for ${asked.permissions.join(', ')}`).toEqual(
    right.toSorted(),
  );
  const empty = right.filter((name) => (keys[name] ?? '') === '');
  expect(empty, 'permissions whose key is no text or empty').toEqual([]);
}

/** A key opens bulk upload where it is for that, and none for something else does. Source: extensions, Authentication 2 and 5; Permission names */
async function expectOpening(context: CaseContext, { keys }: KeysPost): Promise<void> {
  const { expect, profile, files } = context;
  if (profile.all.bulk?.hostDirectory === undefined || !files.areas.some(({ name }) => name === 'space')) return;
  for (const key of Object.values(keys)) {
    const reply = await uploadSignedWith(context, key);
    // one key may be brought for all that is asked for together
    if (key !== keys['AdministrationAPI']) expect(reply).notToSucceed();
    else if (!mayBeMeantForOthers(context, reply)) expect(reply).toSucceed();
  }
}
