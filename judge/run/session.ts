import { randomBytes } from 'node:crypto';
import { type Booking, type BookingNews, Bookings } from '../case/bookings.ts';
import { DetourLog } from '../case/detour-log.ts';
import { HttpClient } from '../client/client.ts';
import type { Tape } from '../cassette/tape.ts';
import { Comeback } from '../case/comeback.ts';
import { ValidatorChanges } from '../extension/validator-changes.ts';
import { Listeners } from '../extension/listeners.ts';
import { PutToUse } from '../extension/put-to-use.ts';
import { type HostSession, openHostSession } from '../host/host-session.ts';
import { bind, type BoundProfile } from '../profile.ts';
import type { LoadedProfile } from '../profile/load.ts';
import type { Secrets } from '../redact/redact.ts';
import { registryOf } from '../redact/profile-secrets.ts';
import { Roles, withCredentials } from '../service/roles.ts';
import { EveryAnswer } from '../every-answer/every-answer.ts';
import { ServerErrors } from '../every-answer/server-errors.ts';
import { Heartbeat } from '../time/heartbeat.ts';
import type { Machine, TimeKeeper, TimeLog } from '../time/keeper.ts';
import { timeOf } from '../time/time-of.ts';
import { Tokens } from './tokens.ts';

/** What all cases of a run share. */
export interface Session {
  readonly loaded: LoadedProfile;
  /** Part of every name that is new in this run; empty where the target is as well. */
  readonly mark: string;
  /** Where the run is recorded, or played from. */
  readonly tape: Tape | undefined;
  /** From what its parts draw keys. */
  readonly chance: Tape['chance'];
  readonly profile: BoundProfile;
  readonly client: HttpClient;
  readonly tokens: Tokens;
  readonly secrets: Secrets;
  readonly bookings: Bookings;
  readonly roles: Roles;
  readonly serverErrors: ServerErrors;
  readonly everyAnswer: EveryAnswer;
  readonly detours: DetourLog;
  readonly putToUse: PutToUse;
  readonly validatorChanges: ValidatorChanges;
  readonly comeback: Comeback;
  /** The time in which the service lives. */
  readonly time: TimeKeeper;
  /** What tells how well this machine runs. */
  readonly machine: Machine;
  /** Where the service calls the suite. */
  readonly listeners: Listeners;
  /** The extension host under test, where the profile binds one. */
  readonly host: HostSession | undefined;
  /** Cases that met a connection which ended under them; from the third on connections are not used twice. */
  lostConnections: number;
}

/**
 * @param tape where the run is recorded, or played from
 * @param onNews told of what is made, and of what is gone by itself
 */
export function openSession(
  loaded: LoadedProfile,
  mark = '',
  tape?: Tape,
  onNews?: (news: BookingNews) => void,
): Session {
  const secrets = registryOf(loaded);
  const chance = tape?.chance ?? { secret: randomBytes(32) };
  tape?.know(secrets);
  const client = new HttpClient(loaded.profile, tape);
  const watch = (): Heartbeat => new Heartbeat();
  const machine = tape === undefined ? watch() : tape.machine(watch);
  const live = (log?: TimeLog): TimeKeeper => timeOf(loaded.profile, client, { machine, log });
  const time = tape === undefined ? live() : tape.time('service', live);
  const validatorChanges = new ValidatorChanges(client.openedAt - performance.timeOrigin);
  return {
    loaded,
    mark,
    tape,
    chance,
    profile: bind(withCredentials(loaded.profile)),
    client,
    tokens: new Tokens(loaded.profile, client, secrets, time),
    secrets,
    bookings: new Bookings(loaded.profile, onNews),
    roles: new Roles(loaded.profile),
    serverErrors: new ServerErrors(validatorChanges),
    everyAnswer: new EveryAnswer(loaded.profile),
    detours: new DetourLog(),
    putToUse: new PutToUse(),
    validatorChanges,
    comeback: new Comeback(loaded.profile),
    time,
    machine,
    listeners: new Listeners(loaded.profile, time, tape),
    host: openHostSession(loaded.profile, { secrets, machine, tape, chance }),
    lostConnections: 0,
  };
}

/** Everything the run, or one rule's case, created, with the request that deletes it where the profile binds one. */
export function booked(session: Session, madeBy?: string): readonly Booking[] {
  return session.bookings.booked(madeBy);
}

export async function closeSession(session: Session): Promise<void> {
  await session.host?.close();
  await session.time.close();
  await session.listeners.close();
  await session.client.close();
  session.machine.stop();
}
