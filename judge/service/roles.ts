import type { IdentityName, Profile } from '../../contract/profile.ts';
import type { MissingMethod, Reply, RequestSpec } from '../exchange.ts';
import { objectsIn } from '../json.ts';

const editing: readonly string[] = ['GET', 'HEAD', 'POST', 'PATCH'];
/** What identities do by what they are: the preflight sees them do it. */
const usual: Readonly<Partial<Record<IdentityName, readonly string[]>>> = {
  editor: editing,
  secondEditor: editing,
  reader: ['GET', 'HEAD'],
};

/** Everybody whom the profile names. */
export function identitiesIn({ identities }: Profile): readonly IdentityName[] {
  return Object.keys(identities) as IdentityName[];
}

/** Whether that is the Collection Administrator, or the same user under another name. */
export function isAdministrator({ identities }: Pick<Profile, 'identities'>, name: IdentityName): boolean {
  const [one, administrator] = [identities[name], identities.administrator];
  if (one === undefined || administrator === undefined) return false;
  return (['username', 'token', 'pat'] as const).some((by) => one[by] !== undefined && one[by] === administrator[by]);
}

/** Everybody whom the profile names and who is no Collection Administrator. */
export function commonersIn(profile: Profile): readonly IdentityName[] {
  return identitiesIn(profile).filter((name) => !isAdministrator(profile, name));
}

type Users = Readonly<Partial<Record<IdentityName, { readonly username?: string }>>>;

/** Neither has anything to do in the space. */
const letInNowhere: ReadonlySet<string> = new Set<IdentityName>(['outsider', 'noRole']);

/** One who is known by what it may not do and is named as somebody else as well, whom another role may let in. */
export function twofoldIn(identities: Users): { readonly name: IdentityName; readonly sentence: string } | undefined {
  const users = Object.entries(identities).filter(([, { username }]) => username !== undefined);
  for (const name of ['reader', 'outsider', 'noRole'] as const) {
    const username = identities[name]?.username;
    // an editor who may not edit is told by the preflight
    const others = users.filter(
      ([each]) => each !== name && each !== 'editor' && !(letInNowhere.has(name) && letInNowhere.has(each)),
    );
    const other = others.find(([, user]) => user.username === username)?.[0];
    if (other === undefined) continue;
    return {
      name,
      sentence: `identities.${name} is "${username}", as is identities.${other}: one user cannot be both`,
    };
  }
  return undefined;
}

/** Whether somebody can be asked for by what the profile says: with a token of either kind, or a grant. */
export function hasCredential(profile: Profile, name: IdentityName): boolean {
  const { token, pat } = profile.identities[name] ?? {};
  return token !== undefined || pat !== undefined || isGrantable(profile, name);
}

/** Whether there is all that a password grant takes. */
export function isGrantable({ auth, identities }: Profile, name: IdentityName): boolean {
  const { username, password } = identities[name] ?? {};
  return [auth?.tokenUrl, auth?.clientId, username, password].every((part) => part !== undefined);
}

/** Whether the token of an identity comes from the password grant. */
export function isGranted(profile: Profile, name: IdentityName): boolean {
  return profile.identities[name]?.token === undefined && isGrantable(profile, name);
}

/** The profile without those, the editor aside, for whom it has no credential: what they send would come from nobody. */
export function withCredentials(profile: Profile): Profile {
  const names = identitiesIn(profile);
  const known = names.filter((name) => name === 'editor' || hasCredential(profile, name));
  if (known.length === names.length) return profile;
  const identities = Object.fromEntries(known.map((name) => [name, profile.identities[name]]));
  return { ...profile, identities: identities as Profile['identities'] };
}

/** Whether an identity has the method by what it is, whatever the profile says of its role. */
export function isUsual(as: IdentityName, method: string): boolean {
  return usual[as]?.includes(method) === true;
}

export const writingMethods: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

export function mayReaderWrite({ identities }: Profile): boolean {
  return (identities.reader?.methods ?? []).some((method) => writingMethods.has(method));
}

/** All that a case may do where it does not say who does it. */
const everyMethod = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** Who may ask instead of the editor, as the profile says of their roles; the editor first. */
export function askersOf({ identities }: Profile): readonly [IdentityName, ...IdentityName[]] {
  const { methods = [] } = identities.spaceAdministrator ?? {};
  return everyMethod.every((method) => methods.includes(method)) ? ['editor', 'spaceAdministrator'] : ['editor'];
}

/**
 * Which methods the roles of the identities have: as the profile says, else as they were seen to be allowed in the same place.
 * A role decides on the methods, so that a 403 is no breach where it lacks one. Source: core, Access levels.
 */
export class Roles {
  readonly #profile: Profile;
  readonly #seen = new Set<string>();

  constructor(profile: Profile) {
    this.#profile = profile;
  }

  /** Learns from an answer; tells the method where the answer, or that of an operation of a batch, refuses it and the role may lack it. */
  learn({ as, method, body }: Pick<RequestSpec, 'as' | 'method' | 'body'>, reply: Reply): MissingMethod | undefined {
    const { status, url } = reply;
    const place = placeOf(url);
    if (as === null || place === undefined) return undefined;
    if (status < 400) this.#seen.add(`${as} ${method} ${place}`);
    const refused = status === 403 ? method : methodRefusedIn(body, reply);
    return refused === undefined ? undefined : this.#missing(as, refused, place);
  }

  #missing(as: IdentityName, method: string, place: string): MissingMethod | undefined {
    const stated = this.#profile.identities[as]?.methods;
    const isKnown = stated === undefined ? this.#seen.has(`${as} ${method} ${place}`) : stated.includes(method);
    return isKnown || isUsual(as, method) ? undefined : { as, method, isStated: stated !== undefined };
  }
}

/** The method of the operation for which a batch was refused. */
function methodRefusedIn(operations: unknown, reply: Reply): string | undefined {
  if (reply.status < 400 || !Array.isArray(operations)) return undefined;
  const method =
    objectsIn(operations)[objectsIn(reply.json).findIndex(({ statusCode }) => statusCode === 403)]?.['method'];
  return typeof method === 'string' ? method : undefined;
}

/** A role is held on a participant, in its space; on the level of the collection there are none. What opens an area of files may be another one than what opens objects. */
function placeOf(url: string): string | undefined {
  return /\/api\/space\/[^/?]+(?:\/participant\/[^/?]+)?(?:\/(?:user\/)?fs\/)?/.exec(url)?.[0];
}
