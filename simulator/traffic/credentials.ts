import type { IdentityName, Profile } from '../../contract/profile.ts';
import type { TrafficExchange } from './engine.ts';
import { PreparationFailed } from './preparation.ts';
import { isAcceptedStatus } from './results.ts';
import { identityOf } from './wire.ts';

/** How often it is looked whether a token is about to expire, in ms; whoever gives them out knows. */
const lookMs = 1000;
/** How long whoever gives them out is left alone where there was none to be had, or a new one was asked for before its time, in ms. */
const restMs = 5000;

const scheme = 'Bearer ';

/** Values of the Authorization header. */
export type Authorizations = ReadonlyMap<string, string>;

/** Values of the Authorization header, ready when a request needs them once they were renewed for the first time. */
export interface Credentials extends Disposable {
  of(identity: IdentityName | 'client'): string;
  readonly all: Authorizations;
  /** @throws {PreparationFailed} whoever gives them out gave no answer that can be used */
  renew(): Promise<void>;
  /** As `renew`, where the token of that identity has ended before its time. */
  replace(identity: IdentityName): Promise<void>;
  /** Replaces the token of a request that was refused for it, unless there is a newer one already. */
  see(exchange: Pick<TrafficExchange, 'step' | 'result' | 'sentAt'>): void;
  /** Those whose token was refused, where there was no other one. */
  readonly ended: ReadonlySet<IdentityName>;
}

/** Access token of an identity, another one than `refused`; null where the profile gives none. */
export type TokenSource = (identity: IdentityName, refused?: string) => Promise<string | null>;

/** When an identity was given its token, and until when no other one is asked for, in monotonic ms. */
interface Times {
  readonly givenAt: number;
  readonly restsUntil: number;
}

/**
 * @param renewed told when there are new ones
 */
export function openCredentials(
  profile: Profile,
  tokenOf: TokenSource,
  renewed: (all: Authorizations) => void = () => undefined,
): Credentials {
  const names = Object.keys(profile.identities) as readonly IdentityName[];
  const values = new Map<string, string>([
    ['client', basic(profile.auth?.clientId ?? '', profile.auth?.clientSecret ?? '')],
  ]);
  const times = new Map<IdentityName, Times>();
  const ended = new Set<IdentityName>();
  const take = (name: IdentityName, token: string | null): boolean => {
    if (token === null || values.get(name) === `${scheme}${token}`) return false;
    values.set(name, `${scheme}${token}`);
    times.set(name, { givenAt: performance.now(), restsUntil: times.get(name)?.restsUntil ?? 0 });
    return true;
  };
  const rest = (name: IdentityName): void =>
    void times.set(name, { givenAt: times.get(name)?.givenAt ?? 0, restsUntil: performance.now() + restMs });
  const isResting = (name: IdentityName): boolean => performance.now() < (times.get(name)?.restsUntil ?? 0);
  const replace = async (name: IdentityName): Promise<void> => {
    const isNew = take(name, await tokenOf(name, values.get(name)?.slice(scheme.length)));
    if (isNew) renewed(values);
    else ended.add(name);
  };
  const look = async (): Promise<void> => {
    const awake = names.filter((name) => !isResting(name));
    const taken = await Promise.all(
      awake.map(async (name) => {
        // a token that cannot be had now shows as 401 in the traffic, which is where it belongs
        const token = await tokenOf(name).catch(() => rest(name));
        return token !== undefined && take(name, token);
      }),
    );
    if (taken.includes(true)) renewed(values);
  };
  let isLooking = false;
  const timer = setInterval(() => {
    if (isLooking) return;
    isLooking = true;
    void look().finally(() => {
      isLooking = false;
    });
  }, lookMs).unref();
  return {
    of: (identity) => values.get(identity) ?? '',
    all: values,
    renew: async () => {
      for (const name of names) take(name, await tokenOf(name).catch((error: unknown) => refuse(name, error)));
      renewed(values);
    },
    replace,
    see: (exchange) => {
      const [name, { sentAt }] = [refusedIn(exchange), exchange];
      const givenAt = name && times.get(name)?.givenAt;
      if (name === undefined || givenAt === undefined || sentAt < givenAt || isResting(name)) return;
      rest(name);
      void replace(name).catch(() => undefined);
    },
    ended,
    [Symbol.dispose]: () => clearInterval(timer),
  };
}

/** Of errors that say of nobody what is wrong: the connection ended, or what came is no answer. */
const unanswered: readonly unknown[] = ['CONNECTION_LOST', 'NO_ANSWER'];

function refuse(name: IdentityName, error: unknown): never {
  if (!(error instanceof Error && 'code' in error && unanswered.includes(error.code))) throw error;
  throw new PreparationFailed(`There is no token for identities.${name}: ${error.message}.`);
}

/** Whose token a 401 refuses, where the step does not expect it. */
export function refusedIn({ step, result }: Pick<TrafficExchange, 'step' | 'result'>): IdentityName | undefined {
  return result.status === 401 && !isAcceptedStatus(step, result.status) ? identityOf(step) : undefined;
}

function basic(name: string, secret: string): string {
  return `Basic ${Buffer.from(`${name}:${secret}`).toString('base64')}`;
}
