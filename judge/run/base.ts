import type { CaseContext } from '../case.ts';
import type { Need } from '../../contract/needs.ts';
import type { Side } from '../../contract/rule.ts';
import type { Profile } from '../../contract/profile.ts';
import type { Booking, BookingNews } from '../case/bookings.ts';
import type { Sent } from '../client/wire.ts';
import { isUnanswered } from '../client/failure.ts';
import { toPlainText } from '../describe.ts';
import { openContext } from '../case/open-context.ts';
import type { RunFooter } from '../outcome.ts';
import { bind } from '../profile.ts';
import { sidesOf } from '../profile/load.ts';
import { CaseRecord, unjudged } from '../case/record.ts';
import { withOutsiderInSecondSpace } from '../service/second-space.ts';
import { booked, closeSession, openSession, type Session } from './session.ts';
import { Trace } from '../case/trace.ts';
import { cleanUp, CleanUpTime } from './clean-up.ts';
import { isThere, preflight, type Ground } from './preflight.ts';
import { bulkUsable, filesUsable } from './preflight/files.ts';
import {
  howCalled,
  eventUsable,
  reachable,
  validationUsable,
  withoutValidations,
  withUsableEvents,
} from './preflight/extensions.ts';
import { LeftOut } from './preflight/left-out.ts';
import { withDateForm } from './preflight/information-filter.ts';
import { defaultsTold, withTypesAsSeen } from './preflight/soft-types.ts';
import { sentenceAboutHost, sentenceAboutSilence } from './preflight/sentences.ts';
import type { Run, Unusable } from './run.ts';

/** What a run does around its cases, from the main thread. */
export class Base {
  readonly #session: Session;
  readonly #seed: number;
  readonly #signal: AbortSignal;
  readonly #needs: ReadonlySet<Need>;
  readonly #sides: readonly Side[];
  readonly #isTraced: boolean;
  #refusesTraces = false;
  #completed: Profile;
  #unusable: Unusable = {};
  #fastestMs = Infinity;

  /**
   * @param needs what the selected rules need: the preflight tries nothing else
   * @param onBooking told of what the preflight makes, in a run that collects it
   */
  constructor(
    { loaded, seed, mark, tracing, collect }: Pick<Run, 'loaded' | 'seed' | 'mark' | 'tracing' | 'collect'>,
    signal: AbortSignal,
    needs: ReadonlySet<Need> = new Set(),
    onBooking?: (news: BookingNews) => void,
  ) {
    this.#session = openSession(loaded, mark, undefined, collect === true ? onBooking : undefined);
    this.#seed = seed;
    this.#signal = signal;
    this.#needs = needs;
    this.#sides = sidesOf(loaded);
    this.#isTraced = tracing?.sends === true && loaded.profile.tracing !== false;
    this.#completed = loaded.profile;
  }

  /** Undefined when the target can be judged, else one sentence that says what to change. */
  async preflight(): Promise<string | undefined> {
    const looksAtHost = this.#sides.includes('extension') && this.#needs.has('extension-host');
    const aboutHost = looksAtHost ? await sentenceAboutHost(this.#session) : undefined;
    if (aboutHost !== undefined || !this.#sides.includes('service')) return this.#told(aboutHost);
    try {
      return this.#told(await this.#lookAtService());
    } catch (error) {
      if (!isUnanswered(error)) throw error;
      return this.#told(sentenceAboutSilence(error, this.#session.profile.all));
    }
  }

  /** Whether the preflight found that the target refuses requests for what they say of where they come from. */
  refusesTraces(): boolean {
    return this.#refusesTraces;
  }

  /** The profile, with what the preflight found where it says nothing. */
  completed(): Profile {
    return this.#completed;
  }

  /** Needs whose settings in the profile the preflight found not to work, each with the sentence that says what to change: rules that have them are blocked. */
  unusable(): Unusable {
    return this.#unusable;
  }

  /** What the fastest answer of the preflight took, in ms. */
  fastestAnswerMs(): number {
    return Number.isFinite(this.#fastestMs) ? this.#fastestMs : 0;
  }

  /** Undefined while the target itself answers, else a sentence about it. */
  async isAlive(): Promise<string | undefined> {
    const isJudged = this.#sides.includes('service');
    return this.#told(await (isJudged ? isThere(this.#groundFor('watch')) : sentenceAboutHost(this.#session)));
  }

  /** Deletes what the run created; returns what remains. */
  async cleanUp(created: readonly Booking[]): Promise<RunFooter['remains']> {
    using time = new CleanUpTime();
    // by the clock that the cases have moved the first ones may be over, and not every service says so by 401
    this.#session.tokens.forget();
    const { service } = this.#groundFor('clean-up', { signal: time.signal, record: new CaseRecord(true, unjudged) });
    const remains = await cleanUp(service, created, time, this.#session.profile.all);
    return remains.map(({ uri, reason }) => ({ uri: this.redact(uri), reason: this.redact(reason) }));
  }

  /** The secrets that it knows. */
  granted(): readonly string[] {
    return [...this.#session.secrets.all()];
  }

  /** What the preflight created. */
  booked(): readonly Booking[] {
    return booked(this.#session);
  }

  /** Requests sent so far from here. */
  requests(): number {
    return this.#session.client.requests;
  }

  /** The text without the secrets of the profile and of what the target granted, and without anything that a terminal would act upon. */
  redact(text: string): string {
    return toPlainText(this.#session.secrets.redact(text));
  }

  close(): Promise<void> {
    return closeSession(this.#session);
  }

  async #lookAtService(): Promise<string | undefined> {
    const onSent = ({ exchange }: Sent): void =>
      void (this.#fastestMs = Math.min(this.#fastestMs, exchange.durationMs));
    const record = new CaseRecord(false, { ...unjudged, onSent });
    const ground = this.#groundFor('preflight', { record, signal: this.#signal });
    // texts of their own, as a service may take no two objects with the same ones
    const traced = this.#groundFor('preflight, traced', {
      record: this.#isTraced ? new CaseRecord(false, { ...unjudged, trace: ownTrace() }) : record,
      signal: this.#signal,
    });
    let isForeign = false;
    const left = new LeftOut(this.#session.profile.all, this.#needs);
    const refused = await preflight(ground, traced, {
      onRefused: () => (this.#refusesTraces = true),
      onForeign: () => (isForeign = true),
      leavesOut: left.add,
    });
    const isHeard = refused === undefined && this.#needs.has('extension-listener');
    const { unreached, unusable } = isHeard ? await reachable(ground, () => this.#session.listeners.strays()) : {};
    const unheard = unreached ?? unusable;
    const sentence = refused ?? (await filesUsable({ ...ground, profile: bind(left.profile) }, this.#needs, left.add));
    if (sentence === undefined) {
      const stated = isForeign ? withOutsiderInSecondSpace(left.profile) : left.profile;
      this.#completed = withUsableEvents(await completedBy(ground, stated, this.#needs, unheard === undefined));
    }
    await record.end();
    // the cases listen on the same address, in a thread of their own
    await this.#session.listeners.close();
    this.#blocks(left.unusable);
    if (sentence === undefined) this.#blocks(await this.#triedOut(unheard));
    if (unreached !== undefined) this.#blocks({ 'extension-listener': unreached });
    return sentence;
  }

  #blocks(unusable: Unusable): void {
    const told = Object.entries(unusable).map(([need, sentence]) => [need, this.redact(sentence)]);
    this.#unusable = { ...this.#unusable, ...Object.fromEntries(told) };
  }

  /** @param unheard why no extension of the run is called, or can be removed */
  async #triedOut(unheard: string | undefined): Promise<Unusable> {
    const { all: profile } = this.#session.profile;
    const record = new CaseRecord(false, unjudged);
    const ground = this.#groundFor('what is tried out', { record, signal: this.#signal });
    const aboutBulk = await bulkUsable(ground, this.#needs);
    const aboutValidation = unheard ?? (await validationUsable(ground, this.#needs));
    await record.end();
    const aboutEvents = eventUsable(profile);
    return {
      ...defaultsTold(profile, this.#completed),
      ...roleTold(profile),
      ...(aboutEvents !== undefined && { 'trigger-event': aboutEvents }),
      ...(aboutBulk !== undefined && { 'host-directory': aboutBulk, 'admin-api-key': aboutBulk }),
      ...(aboutValidation !== undefined && { 'trigger-validation': aboutValidation }),
    };
  }

  #groundFor(
    name: string,
    {
      record = new CaseRecord(false, unjudged),
      signal,
    }: { readonly record?: CaseRecord; readonly signal?: AbortSignal } = {},
  ): CaseContext {
    return openContext(this.#session, { name, seed: this.#seed, record, ...(signal && { signal }) });
  }

  #told(text: string | undefined): string | undefined {
    return text === undefined ? undefined : this.redact(text);
  }
}

function ownTrace(): Trace {
  return new Trace({ id: 'preflight', needs: [] }, { sends: true, keeps: false });
}

/** The profile with what the service shows by itself, and without validations that would outlive their cases. */
async function completedBy(
  ground: Ground & Pick<CaseContext, 'triggers'>,
  stated: Profile,
  needs: ReadonlySet<Need>,
  isRemovable: boolean,
): Promise<Profile> {
  const seen = needs.has('soft-type') ? await withDateForm(ground, await withTypesAsSeen(ground, stated)) : stated;
  const known = usesOf.reduce((left, use) => (lackedBy(seen, use) === undefined ? left : use.without(left)), seen);
  if (!isRemovable) return withoutValidations(known);
  return { ...known, expect: { ...known.expect, ...(await howCalled(ground, needs)) } };
}

/** What cases do as the editor by methods that its role may lack. Source: core, Access levels */
const usesOf: readonly {
  readonly needs: readonly Need[];
  readonly methods: (profile: Profile) => readonly (string | undefined)[];
  readonly without: (profile: Profile) => Profile;
}[] = [
  {
    needs: ['put-route'],
    methods: ({ routes }) => [routes?.softTypePut && 'PUT'],
    without: ({ routes: { softTypePut: _, ...routes } = {}, ...profile }) => ({ ...profile, routes }),
  },
  {
    needs: ['delete-route'],
    methods: ({ routes }) => [routes?.softTypeDelete && 'DELETE'],
    without: ({ routes: { softTypeDelete: _, ...routes } = {}, ...profile }) => ({ ...profile, routes }),
  },
  {
    needs: ['lock-route'],
    methods: ({ routes }) => [routes?.lockTake?.method, routes?.lockFree?.method],
    without: ({ routes: { lockTake: _take, lockFree: _free, ...routes } = {}, ...profile }) => ({ ...profile, routes }),
  },
  {
    needs: ['maturity', 'terminal-state', 'demote-route'],
    methods: ({ maturity }) => [maturity && 'PUT'],
    without: ({ maturity: _, routes: { demote: _demote, ...routes } = {}, ...profile }) => ({ ...profile, routes }),
  },
];

/** Why a need is not met that the profile meets: the stated role of the editor does not have the method. */
function roleTold(profile: Profile): Unusable {
  const told = usesOf.flatMap((use) => {
    const lacked = lackedBy(profile, use);
    if (lacked === undefined) return [];
    const sentence = `the role of the editor does not have ${lacked}, as identities.editor.methods says: name an editor whose role has it`;
    return use.needs.map((need) => [need, sentence] as const);
  });
  return Object.fromEntries(told);
}

function lackedBy(profile: Profile, { methods }: (typeof usesOf)[number]): string | undefined {
  const stated = profile.identities.editor.methods;
  return stated && methods(profile).find((method) => method !== undefined && !stated.includes(method));
}
