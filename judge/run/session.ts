import { isSuccess, type Reply } from '../exchange.ts';
import { randomBytes } from 'node:crypto';
import { mediaTypes } from '../../contract/names.ts';
import type { IdentityName, Profile } from '../../contract/profile.ts';
import { type Booking, type BookingNews, Bookings } from '../case/bookings.ts';
import { claimsOf } from '../service/claims.ts';
import { HttpClient, type Sender } from '../client/client.ts';
import { givenIn } from '../redact/given-in.ts';
import { replyOf } from '../client/reply.ts';
import type { WireRequest } from '../client/wire.ts';
import type { Tape } from '../cassette/tape.ts';
import { tokenVariable } from '../curl/variables.ts';
import { Comeback } from '../case/comeback.ts';
import { ValidatorChanges } from '../extension/validator-changes.ts';
import { Listeners } from '../extension/listeners.ts';
import { PutToUse } from '../extension/put-to-use.ts';
import { type HostSession, openHostSession } from '../host/host-session.ts';
import { memberIn, textIn } from '../json.ts';
import { bind, type BoundProfile } from '../profile.ts';
import type { LoadedProfile } from '../profile/load.ts';
import type { Secrets } from '../redact/redact.ts';
import { registryOf } from '../redact/profile-secrets.ts';
import { isGranted, Roles, withCredentials } from '../service/roles.ts';
import { EveryAnswer } from '../every-answer/every-answer.ts';
import { ServerErrors } from '../every-answer/server-errors.ts';
import { absoluteUrl, basicAuthorization } from '../service/requests.ts';
import { Heartbeat } from '../time/heartbeat.ts';
import type { Machine, TimeKeeper, TimeLog } from '../time/keeper.ts';
import { timeOf } from '../time/time-of.ts';
import { PreconditionFailed } from '../violation.ts';

interface Token {
  readonly text: string;
  /** When it is to be replaced, in the time of the service; Infinity where its lifetime is not known. */
  readonly renewAt: number;
}

/** How often a run asks for another token before the first one should have ended. */
const earlyRenewals = 300;

/** A grant gets a connection of its own, and another one where that is lost: to be granted two tokens does no harm. */
const unanswered: Sender = { reuse: false, retries: [], mayLose: 3, add: () => undefined };

/** The access tokens of a run: one of each identity, kept until its known lifetime is nearly over. */
class Tokens {
  readonly #profile: Profile;
  readonly #client: HttpClient;
  readonly #secrets: Secrets;
  /** The service's: where that is moved, tokens end by it. */
  readonly #clock: Pick<TimeKeeper, 'now'>;
  readonly #granted = new Map<IdentityName, Promise<Token>>();
  /** Users by what they were granted. */
  readonly #users = new Map<string, string>();
  readonly #shared = new Set<string>();
  #early = 0;

  constructor(profile: Profile, client: HttpClient, secrets: Secrets, clock: Pick<TimeKeeper, 'now'>) {
    this.#profile = profile;
    this.#client = client;
    this.#secrets = secrets;
    this.#clock = clock;
  }

  /** A token that the profile states, else one from the password grant, else the personal access token; null where there is none. */
  async of(identity: IdentityName, sender: Sender = unanswered): Promise<string | null> {
    const stated = this.#profile.identities[identity];
    if (stated?.token !== undefined) return stated.token;
    if (!isGranted(this.#profile, identity)) return stated?.pat ?? null;
    const kept = await this.#granted.get(identity);
    if (kept !== undefined && this.#clock.now() < kept.renewAt) return kept.text;
    return (await this.#grant(identity, kept, sender)).text;
  }

  /** Tokens that the service has granted to two users: they tell nobody who it was that sent them. */
  get shared(): ReadonlySet<string> {
    return this.#shared;
  }

  /** As `of`; another one where that one was refused. */
  readonly current = async (identity: IdentityName, refused?: string, sender = unanswered): Promise<string | null> =>
    refused === undefined ? this.of(identity, sender) : ((await this.afterRefusal(identity, refused, sender)) ?? null);

  /**
   * A new token where the refused one may have ended: its lifetime is over, or another grant of the same user took its place, which
   * nothing forbids. undefined when asking again would not help.
   */
  async afterRefusal(identity: IdentityName, refused: string, sender: Sender): Promise<string | undefined> {
    const kept = await this.#granted.get(identity);
    if (kept === undefined) return undefined;
    if (kept.text !== refused) return kept.text;
    const early = this.#clock.now() < kept.renewAt;
    if (early && this.#early >= earlyRenewals) return undefined;
    this.#early += early ? 1 : 0;
    return (await this.#grant(identity, kept, sender)).text;
  }

  /** Asks once, however many wait for it; what fails is asked for again by the next one. */
  async #grant(identity: IdentityName, replaced: Token | undefined, sender: Sender): Promise<Token> {
    const pending = this.#granted.get(identity);
    if (pending !== undefined && (await pending) !== replaced) return pending;
    const grant = this.#ask(identity, sender);
    this.#granted.set(identity, grant);
    grant.catch(() => this.#granted.delete(identity));
    return grant;
  }

  async #ask(identity: IdentityName, sender: Sender): Promise<Token> {
    const request = grantRequest(this.#profile, identity);
    const answer = await this.#client.send(request, { ...unanswered, ...(sender.signal && { signal: sender.signal }) });
    const reply = replyOf(answer, request.url);
    const body = reply.json;
    const text = textIn(body, 'access_token');
    if (!isSuccess(answer.status) || text === undefined) throw refused(identity, reply);
    this.#secrets.add(tokenVariable(identity), text);
    const user = this.#profile.identities[identity]?.username ?? identity;
    if ((this.#users.get(text) ?? user) !== user) this.#shared.add(text);
    this.#users.set(text, user);
    // a played run is given none of them, so that no case may send one by its name
    for (const [name, secret] of givenIn(reply)) this.#secrets.hide(name, secret);
    const lifetimeMs = lifetimeMsOf(body, text, this.#profile.auth?.tokenLifetimeSeconds);
    return { text, renewAt: this.#clock.now() + (4 / 5) * lifetimeMs };
  }
}

function refused(identity: IdentityName, reply: Reply): PreconditionFailed {
  const hint = `check auth and identities.${identity} in the profile`;
  const needed = `an access token for the ${identity} from the password grant (${hint})`;
  return new PreconditionFailed(needed, reply, ['auth.grant.returns-access-token']);
}

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
  const validatorChanges = new ValidatorChanges();
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

/** Source: core, Authentication 3. */
function grantRequest(profile: Profile, identity: IdentityName): WireRequest {
  const { tokenUrl = '', clientId = '', clientSecret = '' } = profile.auth ?? {};
  const { username = '', password = '' } = profile.identities[identity] ?? {};
  const form = new URLSearchParams({ grant_type: 'password', username, password, scope: 'All' });
  return {
    method: 'POST',
    url: absoluteUrl(profile, tokenUrl),
    headers: [
      ['Authorization', basicAuthorization(clientId, clientSecret)],
      ['Content-Type', mediaTypes.form],
    ],
    body: Buffer.from(form.toString()),
  };
}

/** The lifetime that the grant, the token or the profile states. */
function lifetimeMsOf(body: unknown, token: string, statedSeconds = Infinity): number {
  return (numberIn(body, 'expires_in') ?? lifetimeSecondsOf(token) ?? statedSeconds) * 1000;
}

function lifetimeSecondsOf(token: string): number | undefined {
  const claims = claimsOf(token);
  const [issued, expires] = [numberIn(claims, 'iat'), numberIn(claims, 'exp')];
  return issued === undefined || expires === undefined ? undefined : expires - issued;
}

function numberIn(value: unknown, name: string): number | undefined {
  const number = memberIn(value, name);
  return typeof number === 'number' ? number : undefined;
}
