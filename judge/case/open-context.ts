import { unlessRefused } from '../violation.ts';
import type { Need } from '../../contract/needs.ts';
import { openApiKeys, openKeyHolders } from '../extension/api-keys.ts';
import { openBulk, openSources } from '../files/bulk.ts';
import type { CaseContext } from '../case.ts';
import { callOf } from '../extension/call.ts';
import { type Extension, openExtensions } from '../extension/extension.ts';
import { openRegistrations } from '../extension/registrations.ts';
import { openTriggers } from '../extension/triggers.ts';
import { openExpect } from '../expect.ts';
import { fileBookings, openFiles, openGivenFiles } from '../files/files.ts';
import { openGiven, uniqueTexts } from '../given.ts';
import { openNotes } from '../notes.ts';
import type { CaseRecord } from './record.ts';
import type { Run } from '../run/run.ts';
import type { Session } from '../run/session.ts';
import { bind, type BoundProfile } from '../profile.ts';
import { arrangeFor, arrangeForOther, arrangeForSecondSpace } from '../service/soft-types.ts';
import { openTarget } from '../service/target.ts';
import { Post } from '../client/post.ts';
import { makeInput, openGivenTasks, openTasks } from '../extension/tasks.ts';
import { type Draw, openDraw } from './draw.ts';
import { Detours } from './detours.ts';
import { OtherReader } from '../every-answer/other-reader.ts';
import { askersOf } from '../service/roles.ts';
import { granularityMsOf } from '../time/budget.ts';
import { Clock } from '../time/clock.ts';

export interface ContextOptions extends Pick<Run, 'seed'> {
  /** Rule, or part of the run, on whose behalf requests are sent and objects are booked. */
  readonly name: string;
  readonly record: CaseRecord;
  /** Ends every request under way. */
  readonly signal?: AbortSignal;
  /** Of the rule: which SoftType of the profile serves it. */
  readonly needs?: readonly Need[];
  /** 0, or 1 when a case is run once more. */
  readonly attempt?: number;
  /** Whether requests of it take detours. */
  readonly byDetours?: boolean | undefined;
}

/** What a case is given: everything it sends is recorded in `record`. */
export function openContext(session: Session, options: ContextOptions): CaseContext {
  const { needs = [], seed, name } = options;
  const { all } = session.profile;
  // a case says nothing of who asks where that makes no difference: so it is drawn
  const draw = openDraw(seed, name);
  const asker = options.needs && draw(askersOf(all));
  const others = options.needs && new OtherReader(all, seed, name);
  return {
    ...contextOf(session, { ...options, others }, draw, bind(arrangeFor(needs, all), asker)),
    other: () => {
      const profile = arrangeForOther(needs, all);
      return profile && contextOf(session, options, draw, bind(profile, asker), 'of another type');
    },
    elsewhere: () => {
      const profile = arrangeForSecondSpace(needs, all);
      return profile && contextOf(session, options, draw, bind(profile), 'of another space');
    },
  };
}

/** @param mark of texts that another context of the same case has none of */
function contextOf(
  session: Session,
  options: ContextOptions & { readonly others?: OtherReader | undefined },
  draw: Draw,
  profile: BoundProfile,
  mark = '',
): CaseContext {
  const { name, seed, record, signal, attempt = 0, others, byDetours } = options;
  const { bookings, listeners, secrets, putToUse, validatorChanges } = session;
  const detours = byDetours === true ? new Detours(() => context, session.detours, seed, name + mark) : undefined;
  const post = new Post({ ...session, profile }, record, name, { signal, others, detours });
  const service = openTarget(post);
  const unique = uniqueTexts(seed, name + mark, attempt, session.mark);
  const clock = clockOf(session, options, profile);
  // each takes of it what it needs
  const ground = {
    service,
    profile,
    record,
    unique,
    draw,
    clock,
    bookings,
    listeners,
    secrets,
    putToUse,
    validatorChanges,
  };
  const registrations = openRegistrations({
    ...ground,
    madeBy: name,
    untilUsed: async (kind, change) => {
      if (kind === 'svcExtension' && change === 'update') await putToUse.again(record);
      await putToUse.afterChange(record);
    },
    waitedMs: () => record.waitedMs,
  });
  const ofFiles = { ...ground, bookings: fileBookings(bookings, profile, name) };
  const files = openFiles(ofFiles);
  const makes = openGivenFiles({ ...ofFiles, files });
  const taskInput = async (): Promise<string | undefined> => {
    const input = await makeInput({ profile, files, makes });
    return input && `/${input.path}`;
  };
  const triggers = openTriggers({ ...ground, taskInput });
  const probeTrigger =
    profile.all.triggers?.event === undefined
      ? undefined
      : async (extension: Extension) => (await unlessRefused(() => triggers.event(extension))) !== undefined;
  const extensions = openExtensions({ ...ground, registrations, probeTrigger });
  const around = {
    ...extensions,
    ...makes,
    ...openSources(ground),
    ...openGivenTasks({ ...ground, triggers, files, makes }),
    ...openKeyHolders({ extensions, unique }),
  };
  const context: CaseContext = {
    service,
    given: openGiven({ ...ground, leanOn: (...ids) => post.leanOn(...ids), around }),
    files,
    bulk: openBulk(ground),
    tasks: openTasks({ ...ground, triggers }),
    apiKeys: openApiKeys({ ...ground, triggers }),
    registrations,
    triggers,
    clock,
    serverErrors: session.serverErrors,
    everyAnswer: session.everyAnswer,
    detours: session.detours,
    trace: async () => (await listeners.trace()).map((entry) => callOf(entry)),
    expect: openExpect(record),
    notes: openNotes(record, profile.all),
    profile,
    other: () => undefined,
    elsewhere: () => undefined,
  };
  return context;
}

function clockOf(session: Session, { record, signal }: ContextOptions, { all }: BoundProfile): Clock {
  const { time, machine } = session;
  return new Clock(time, record, {
    signal,
    machine,
    granularityMs: granularityMsOf(all),
    gapClock: all.expect?.gapClock,
  });
}
