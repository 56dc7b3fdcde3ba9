import type { CaseContext } from '../case.ts';
import type { Need } from '../../contract/needs.ts';
import type { Profile, SoftTypeProfile } from '../../contract/profile.ts';
import type { Booking } from '../bookings.ts';
import { toPlainText } from '../describe.ts';
import { openContext } from '../open-context.ts';
import type { RunFooter } from '../outcome.ts';
import { sidesOf } from '../profile/load.ts';
import { CaseRecord } from '../record.ts';
import { booked, closeSession, openSession } from '../session.ts';
import { Trace } from '../trace.ts';
import { cleanUp } from './clean-up.ts';
import { isThere, preflight, type Ground } from './preflight.ts';
import { bulkUsable, filesUsable } from './preflight/files.ts';
import {
  besideValidations,
  eventUsable,
  validationUsable,
  withoutValidations,
  withUsableEvents,
} from './preflight/triggers.ts';
import { defaultsTold, withoutDefaults } from './preflight/defaults.ts';
import { reachable } from './preflight/listener.ts';
import { withShortRoute } from './preflight/short-route.ts';
import { sentenceAboutHost } from './preflight/host.ts';
import type { Run, Unusable } from './run.ts';

/** What a run does around its cases, from the main thread. */
export interface Base {
  /** Undefined when the target can be judged, else one sentence that says what to change. */
  preflight(): Promise<string | undefined>;
  /** Whether the preflight found that the target refuses requests for what they say of where they come from. */
  refusesTraces(): boolean;
  /** The profile, with what the preflight found where it says nothing. */
  completed(): Profile;
  /** Needs whose settings in the profile do not work, each with the sentence that says what to change: rules that have them are blocked. */
  unusable(): Promise<Unusable>;
  /** Undefined while the target itself answers, else a sentence about it. */
  isAlive(): Promise<string | undefined>;
  /** Deletes what the run created; returns what remains. */
  cleanUp(created: readonly Booking[], signal: AbortSignal): Promise<RunFooter['remains']>;
  /** The secrets that it knows. */
  granted(): readonly string[];
  /** What the preflight created. */
  booked(): readonly Booking[];
  /** Requests sent so far from here. */
  requests(): number;
  /** The text without the secrets of the profile and of what the target granted, and without anything that a terminal would act upon. */
  redact(text: string): string;
  close(): Promise<void>;
}

/** @param needs what the selected rules need: the preflight tries nothing else */
export function openBase(
  { loaded, seed, mark, tracing }: Pick<Run, 'loaded' | 'seed' | 'mark' | 'tracing'>,
  signal: AbortSignal,
  needs: ReadonlySet<Need> = new Set(),
): Base {
  const session = openSession(loaded, mark);
  const sides = sidesOf(loaded);
  const isTraced = tracing?.sends === true && loaded.profile.tracing !== false;
  let refusesTraces = false;
  let completed = loaded.profile;
  let aboutIds: string | undefined;
  const redact = (text: string): string => toPlainText(session.secrets.redact(text));
  const told = (text: string | undefined): string | undefined => (text === undefined ? text : redact(text));
  const groundOf = (name: string, within?: AbortSignal, reuse = false): Ground =>
    openContext(session, {
      name,
      seed,
      record: new CaseRecord(reuse),
      ...(within !== undefined && { signal: within }),
    });
  const listenerRefusal = async (ground: Ground): Promise<string | undefined> => {
    const { refusal, unusable } = await reachable(ground);
    aboutIds = told(unusable);
    return refusal;
  };
  return {
    preflight: async () => {
      const aboutHost =
        sides.includes('extension') && needs.has('extension-host') ? await sentenceAboutHost(session) : undefined;
      if (aboutHost !== undefined || !sides.includes('service')) return told(aboutHost);
      const record = new CaseRecord(false);
      const options = { name: 'preflight', seed, signal };
      const ground = openContext(session, { ...options, record });
      const trace = isTraced ? new Trace({ id: 'preflight', needs: [] }, { sends: true, keeps: false }) : undefined;
      const traced = openContext(session, { ...options, record: new CaseRecord(false, { trace }) });
      const sentence =
        (await preflight(ground, { ...traced, onRefused: () => (refusesTraces = true) })) ??
        (needs.has('extension-listener') ? await listenerRefusal(ground) : undefined) ??
        (await filesUsable(ground, needs));
      if (sentence === undefined) completed = await completedBy(ground, needs, aboutIds === undefined);
      completed = withUsableEvents(completed);
      await record.end();
      // the cases listen on the same address, in a thread of their own
      await session.listeners.close();
      return told(sentence);
    },
    refusesTraces: () => refusesTraces,
    completed: () => completed,
    unusable: async () => {
      if (!sides.includes('service')) return {};
      const record = new CaseRecord(false);
      const ground = openContext(session, { name: 'preflight', seed, record, signal });
      const [aboutBulk, aboutValidation] = [
        told(await bulkUsable(ground, needs)),
        aboutIds ?? told(await validationUsable(ground, needs)),
      ];
      await record.end();
      const aboutEvents = eventUsable(loaded.profile);
      return {
        ...defaultsTold(loaded.profile, completed),
        ...(aboutEvents !== undefined && { 'trigger-event': aboutEvents }),
        ...(aboutBulk !== undefined && { 'host-directory': aboutBulk, 'admin-api-key': aboutBulk }),
        ...(aboutValidation !== undefined && { 'trigger-validation': aboutValidation }),
      };
    },
    isAlive: async () =>
      told(await (sides.includes('service') ? isThere(groundOf('watch')) : sentenceAboutHost(session))),
    cleanUp: async (created, limit) => {
      const { service } = groundOf('clean-up', limit, true);
      const remains = await cleanUp(service, created, limit, session.profile.all);
      return remains.map(({ uri, reason }) => ({ uri: redact(uri), reason: redact(reason) }));
    },
    booked: () => booked(session),
    granted: () => [...session.secrets.all()],
    requests: () => session.client.requests,
    redact,
    close: () => closeSession(session),
  };
}

/** The profile with what the service shows by itself, and without validations that would outlive their cases. */
async function completedBy(
  ground: Ground & Pick<CaseContext, 'triggers'>,
  needs: ReadonlySet<Need>,
  isRemovable: boolean,
): Promise<Profile> {
  const stated = ground.profile.all;
  const known = needs.has('soft-type') ? await withTypesAsSeen(ground, stated) : stated;
  if (!isRemovable) return withoutValidations(known);
  return { ...known, expect: { ...known.expect, ...(await besideValidations(ground, needs)) } };
}

async function withTypesAsSeen(ground: Ground, profile: Profile): Promise<Profile> {
  if (profile.softTypes === undefined) return profile;
  const asSeen = async (type: SoftTypeProfile): Promise<SoftTypeProfile> =>
    withoutDefaults(ground, await withShortRoute(ground, type));
  const { primary, second, ...others } = profile.softTypes;
  const softTypes = { ...others, primary: await asSeen(primary), ...(second && { second: await asSeen(second) }) };
  return { ...profile, softTypes };
}
