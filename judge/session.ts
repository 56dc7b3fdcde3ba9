import { Bookings, type Booking } from './bookings.ts';
import { HttpClient } from './client.ts';
import { Listeners } from './extension/listeners.ts';
import { openHostSession, type HostSession } from './host/host-session.ts';
import { bind, type BoundProfile } from './profile.ts';
import type { LoadedProfile } from './profile/load.ts';
import type { Secrets } from './redact.ts';
import { registryOf } from './redact/profile-secrets.ts';
import type { TimeKeeper } from './time/keeper.ts';
import { timeOf } from './time/time-of.ts';
import { Tokens } from './tokens.ts';

/** What all cases of a run share. */
export interface Session {
  readonly loaded: LoadedProfile;
  /** Part of every name that is new in this run; empty where the target is as well. */
  readonly mark: string;
  readonly profile: BoundProfile;
  readonly client: HttpClient;
  readonly tokens: Tokens;
  readonly secrets: Secrets;
  readonly bookings: Bookings;
  /** The time in which the service lives. */
  readonly time: TimeKeeper;
  /** Where the service calls the suite. */
  readonly listeners: Listeners;
  /** The extension host under test, where the profile binds one. */
  readonly host: HostSession | undefined;
  /** Cases that met a connection which ended under them; from the third on connections are not used twice. */
  lostConnections: number;
}

export function openSession(loaded: LoadedProfile, mark = ''): Session {
  const client = new HttpClient(loaded.profile.limits);
  const secrets = registryOf(loaded);
  const time = timeOf(loaded.profile, client);
  return {
    loaded,
    mark,
    profile: bind(loaded.profile),
    client,
    tokens: new Tokens(loaded.profile, client, secrets),
    secrets,
    bookings: new Bookings(loaded.profile),
    time,
    listeners: new Listeners(loaded.profile, time),
    host: openHostSession(loaded.profile, secrets),
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
}
