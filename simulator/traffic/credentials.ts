import type { IdentityName, Profile } from '../../contract/profile.ts';

/** How often tokens are asked for again, in ms; whoever gives them out knows when one is about to expire. */
const renewalMs = 15_000;

const scheme = 'Bearer ';

/** Values of the Authorization header. */
export type Authorizations = ReadonlyMap<string, string>;

/** Values of the Authorization header, ready when a request needs them once they were renewed for the first time. */
export interface Credentials extends Disposable {
  of(identity: IdentityName | 'client'): string;
  readonly all: Authorizations;
  renew(): Promise<void>;
  /** As `renew`, where the token of that identity has ended before its time. */
  replace(identity: IdentityName): Promise<void>;
}

/** Access token of an identity, another one than `refused`; null where the profile gives none. */
export type TokenSource = (identity: IdentityName, refused?: string) => Promise<string | null>;

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
  const take = (name: IdentityName, token: string | null): void => {
    if (token !== null) values.set(name, `${scheme}${token}`);
  };
  const renew = async (): Promise<void> => {
    for (const name of names) take(name, await tokenOf(name));
    renewed(values);
  };
  // a token that cannot be had now shows as 401 in the traffic, which is where it belongs
  const timer = setInterval(() => void renew().catch(() => undefined), renewalMs).unref();
  return {
    of: (identity) => values.get(identity) ?? '',
    all: values,
    renew,
    replace: async (name) => {
      take(name, await tokenOf(name, values.get(name)?.slice(scheme.length)));
      renewed(values);
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}

function basic(name: string, secret: string): string {
  return `Basic ${Buffer.from(`${name}:${secret}`).toString('base64')}`;
}
