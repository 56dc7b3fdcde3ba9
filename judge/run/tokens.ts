import { isSuccess, type Reply } from '../exchange.ts';
import { mediaTypes } from '../../contract/names.ts';
import type { IdentityName, Profile } from '../../contract/profile.ts';
import type { HttpClient, Sender } from '../client/client.ts';
import { replyOf } from '../client/reply.ts';
import type { WireRequest } from '../client/wire.ts';
import { tokenVariable } from '../curl/variables.ts';
import { textIn } from '../json.ts';
import { givenIn } from '../redact/given-in.ts';
import type { Secrets } from '../redact/redact.ts';
import { lifetimeSecondsOf, numberAt } from '../service/claims.ts';
import { absoluteUrl, basicAuthorization } from '../service/requests.ts';
import { isGranted } from '../service/roles.ts';
import type { TimeKeeper } from '../time/keeper.ts';
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
export class Tokens {
  readonly #profile: Profile;
  readonly #client: HttpClient;
  readonly #secrets: Secrets;
  /** The service's: where that is moved, tokens end by it. */
  readonly #clock: Pick<TimeKeeper, 'now'>;
  readonly #granted = new Map<IdentityName, Token>();
  /** Grants without an answer yet, and what ends those who asked: others may wait for the same. */
  readonly #asked = new Map<
    IdentityName,
    { readonly answer: Promise<string>; readonly signal: AbortSignal | undefined }
  >();
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
    const kept = this.#granted.get(identity);
    return kept !== undefined && this.#clock.now() < kept.renewAt ? kept.text : this.#grant(identity, sender);
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
    const kept = this.#granted.get(identity);
    if (kept === undefined) return undefined;
    if (kept.text !== refused) return kept.text;
    const early = this.#clock.now() < kept.renewAt;
    if (early && this.#early >= earlyRenewals) return undefined;
    this.#early += early ? 1 : 0;
    return this.#grant(identity, sender);
  }

  /** Whoever asks next is granted a new one: how much time of the service has passed meanwhile is not known here. */
  forget(): void {
    this.#granted.clear();
  }

  /** Asks once, however many wait for it: a service may end each token with the next one. */
  async #grant(identity: IdentityName, sender: Sender): Promise<string> {
    const asked = this.#asked.get(identity);
    if (asked !== undefined) {
      const text = await asked.answer.catch((error: unknown) => {
        if (asked.signal?.aborted !== true) throw error;
      });
      return text ?? this.#grant(identity, sender);
    }
    const answer = this.#ask(identity, sender).finally(() => this.#asked.delete(identity));
    this.#asked.set(identity, { answer, signal: sender.signal });
    return answer;
  }

  async #ask(identity: IdentityName, sender: Sender): Promise<string> {
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
    this.#granted.set(identity, { text, renewAt: this.#clock.now() + (4 / 5) * lifetimeMs });
    return text;
  }
}

function refused(identity: IdentityName, reply: Reply): PreconditionFailed {
  const isDown = reply.status >= 500;
  const hint = isDown ? `it was answered ${reply.status}` : `check auth and identities.${identity} in the profile`;
  const needed = `an access token for the ${identity} from the password grant (${hint})`;
  return new PreconditionFailed(needed, reply, ['auth.grant.returns-access-token']);
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
  return (numberAt(body, 'expires_in') ?? lifetimeSecondsOf(token) ?? statedSeconds) * 1000;
}
