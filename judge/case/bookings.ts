import { withoutSlash } from '../../contract/address.ts';
import { routes } from '../../contract/routes.ts';
import type { Profile } from '../../contract/profile.ts';
import { isSuccess, type Reply, type RequestSpec } from '../exchange.ts';
import { originOf } from '../client/wire.ts';
import { valueAt } from '../json.ts';
import { isAddress, namesOfAllCreated } from '../service/names-of-created.ts';
import {
  absoluteUrl,
  decodeSegment,
  fillTemplate,
  isOfService,
  lastSegment,
  requestFrom,
} from '../service/requests.ts';

/** An object that the run created. */
export interface Booking {
  /** Where the target said it is. */
  readonly uri: string;
  /** Rule, or part of the run, that made it. */
  readonly madeBy: string;
  /** The request that deletes it, where the profile binds such a route. */
  readonly remove?: RequestSpec;
  /** What is known of a request that would delete it, where a part of that is open, or the profile has no such route yet. */
  readonly incomplete?: Pick<Created, 'as' | 'ids'>;
  /** Key of the profile without which it cannot be deleted; routes.softTypeDelete unless given. */
  readonly lacks?: string;
  /** The request that shows whether it is there, where its place may hold nothing at all. */
  readonly read?: RequestSpec;
  /** It shows why its case did not pass, so it is left alone then. */
  readonly isEvidence?: true;
  /** Why it is to be left alone: its case did not pass, and the object shows why. */
  readonly keepBecause?: string;
}

/** What a run says of its objects while it goes on, so that somebody can delete them where it does not come to that. */
export type BookingNews = { readonly made: string; readonly as: RequestSpec['as'] } | { readonly gone: string };

interface Created {
  readonly uri: string;
  readonly madeBy: string;
  readonly as: RequestSpec['as'];
  readonly ids: Readonly<Record<string, string>>;
}

const createPath = patternOf(routes.create);
/** What reads and links of an object have for addresses, each with the ids in it. */
const shortPath = patternOf(routes.instanceShort);
const objectPaths = [patternOf(routes.instanceLong), patternOf(routes.merge)];

/** Every object that the run created, for its clean-up. */
export class Bookings {
  readonly #profile: Profile;
  readonly #onNews: (news: BookingNews) => void;
  readonly #created = new Map<string, Created>();
  readonly #kept = new Map<string, string>();
  readonly #oids = new Set<string>();
  readonly #deleted = new Set<string>();
  /** Ids and URIs of objects that were made under those of deleted ones. */
  readonly #givenAgain = new Set<string>();
  /** By URI, then by who would delete it: a URI may mean another thing to everybody. */
  readonly #booked = new Map<string, Map<RequestSpec['as'], Booking>>();

  constructor(profile: Profile, onNews: (news: BookingNews) => void = () => undefined) {
    this.#profile = profile;
    this.#onNews = onNews;
  }

  /** Books what a request created, where its answer says so: one object by its Location, several by what the answer tells of each. */
  note(request: RequestSpec, reply: Reply, madeBy: string): void {
    if (!isSuccess(reply.status)) return;
    if (request.method === 'DELETE') this.#deleted.add(lastSegment(new URL(reply.url).pathname) ?? '');
    if (request.method !== 'POST') return;
    // a multi-create, or a batch, of nothing
    if (Array.isArray(request.body) && request.body.length === 0) return;
    const located = reply.status === 201 ? reply.headers['location'] : undefined;
    const routeIds = this.#routeIds(reply.url);
    const named = namesOfAllCreated(this.#profile, request.body, reply.json).map((name) =>
      this.#addressOf(name, routeIds['spaceId']),
    );
    for (const reference of named.length > 0 || located === undefined ? named : [located]) {
      if (!URL.canParse(reference, reply.url)) continue;
      const uri = new URL(reference, reply.url).href;
      if (request.unbooked === true && !isObject(uri, this.#profile)) continue;
      if (isLock(uri, this.#profile)) continue;
      const ids = { ...routeIds, objectId: lastSegment(new URL(uri).pathname) ?? '' };
      const as = request.as ?? 'editor';
      if (this.#deleted.has(ids.objectId)) this.#givenAgain.add(uri).add(ids.objectId);
      this.#created.set(uri, { uri, madeBy, as, ids });
      this.#onNews({ made: uri, as });
      this.#oids.add(ids.objectId);
    }
  }

  /** Books something that no answer shows by itself; it is deleted whatever came of its case, unless it is evidence, because it may go on acting. */
  book(booking: Booking): void {
    const alike = this.#booked.get(booking.uri) ?? new Map<RequestSpec['as'], Booking>();
    const as = booking.remove?.as ?? null;
    this.#booked.set(booking.uri, alike.set(as, booking));
    this.#onNews({ made: booking.uri, as });
  }

  /** Something booked is gone. @param as who was to delete it, where a URI means another thing to everybody */
  drop(uri: string, as?: RequestSpec['as']): void {
    if (as === undefined) this.#booked.delete(uri);
    else this.#booked.get(uri)?.delete(as);
    if ((this.#booked.get(uri)?.size ?? 0) === 0) this.#onNews({ gone: uri });
  }

  /** States the object id that was read at a booked URI. */
  identify(uri: string, oid: string): void {
    this.#oids.add(oid);
    if (this.#givenAgain.has(uri)) this.#givenAgain.add(oid);
    const created = this.#created.get(uri);
    if (created !== undefined) this.#created.set(uri, { ...created, ids: { ...created.ids, objectId: oid } });
  }

  /** Whether an object id belongs to an object of this run. */
  knows(oid: string): boolean {
    return this.#oids.has(oid);
  }

  /** Whether an object was made under that id when the one that had it was deleted. */
  isGivenAgain(oid: string): boolean {
    return this.#givenAgain.has(oid);
  }

  /** Leaves alone what a rule's case made. */
  keep(madeBy: string, reason: string): void {
    this.#kept.set(madeBy, reason);
  }

  /** All that was created, or what one rule's case created; oldest first. */
  booked(madeBy?: string): readonly Booking[] {
    const isAsked = (one: { readonly madeBy: string }): boolean => madeBy === undefined || one.madeBy === madeBy;
    const created = [...this.#created.values()].filter(isAsked).map((one) => this.#bookingOf(one));
    const all = [...this.#booked.values()].flatMap((alike) => [...alike.values()]).filter(isAsked);
    const further = all.map((one) =>
      this.#kept.has(one.madeBy) && one.isEvidence ? { ...one, keepBecause: this.#kept.get(one.madeBy) ?? '' } : one,
    );
    return [...created, ...further];
  }

  #bookingOf(created: Created): Booking {
    const remove = removalOf(this.#profile, created);
    const keepBecause = this.#kept.get(created.madeBy);
    return {
      uri: created.uri,
      madeBy: created.madeBy,
      ...(remove === undefined ? { incomplete: { as: created.as, ids: created.ids } } : { remove }),
      ...(keepBecause !== undefined && { keepBecause }),
    };
  }

  /** What is no URI is the id of an object, in the space where it was made. */
  #addressOf(name: string, spaceId = this.#profile.space): string {
    if (isAddress(name)) return name;
    const ids = { spaceId, objectId: name };
    return absoluteUrl(this.#profile, fillTemplate(routes.instanceShort, ids));
  }

  #routeIds(url: string): Record<string, string> {
    const path = pathFromBase(url, this.#profile);
    if (path === undefined) return {};
    return decodedIds(createPath.exec(path)?.groups ?? /^(?:\/api)?\/space\/(?<spaceId>[^/?]+)\//.exec(path)?.groups);
  }
}

/** The booking of an object as another profile would have it, which knows a route to delete it. */
export function removableBy(profile: Profile, booking: Booking): Booking {
  const path = pathFromBase(booking.uri, profile) ?? '';
  const { registrationDelete } = profile.routes ?? {};
  const [, kind, registrationId] = /^\/api\/admin\/([^/]+)\/([^/]+)$/.exec(path) ?? [];
  if (registrationDelete !== undefined && kind !== undefined && registrationId !== undefined) {
    const values = { kind, registrationId: decodeSegment(registrationId), spaceId: profile.space };
    const remove = requestFrom({ as: 'administrator', ...registrationDelete }, values);
    return { ...booking, remove: { ...remove, url: absoluteUrl(profile, remove.url) } };
  }
  const { incomplete } = booking;
  const remove = incomplete && isObject(booking.uri, profile) ? removalOf(profile, incomplete) : undefined;
  return remove === undefined ? booking : { ...booking, remove };
}

/** The request that deletes an object, once all ids in its template are known. */
function removalOf(profile: Profile, { as, ids }: Pick<Created, 'as' | 'ids'>): RequestSpec | undefined {
  const template = profile.routes?.softTypeDelete;
  if (template === undefined || template.matchAll(/\{(\w+)\}/g).some(([, name = '']) => ids[name] === undefined))
    return undefined;
  return { method: 'DELETE', url: absoluteUrl(profile, fillTemplate(template, ids)), as };
}

/** The request that deletes an object, with what the addresses in a read of it show. */
export function completeRemoval(
  profile: Profile,
  { as, ids }: Pick<Created, 'as' | 'ids'>,
  read: Reply,
): RequestSpec | undefined {
  const paths = addressesIn(read).map((address) => pathFromBase(new URL(address, read.url).href, profile) ?? '');
  const decoded = paths.flatMap((path) => objectPaths.map((pattern) => decodedIds(pattern.exec(path)?.groups)));
  const definitionId = decoded.find((groups) => groups['definitionId'] !== undefined)?.['definitionId'];
  const { primary, second } = profile.softTypes ?? {};
  const type = [primary, second, profile.secondSpace?.softType].find((one) => one?.definitionId === definitionId);
  const known = type && { inputSchemaId: type.inputSchemaId, outputSchemaId: type.outputSchemaId };
  return removalOf(profile, { as, ids: { ...Object.assign({}, ...decoded), ...known, ...ids } });
}

/** The addresses of the answer itself, of its object and of the links. */
function addressesIn({ url, json }: Reply): readonly string[] {
  const links: unknown = valueAt(json, '/links');
  const holders: readonly unknown[] = [json, valueAt(json, '/data'), ...(Array.isArray(links) ? links : [])];
  const hrefs = holders.map((holder) => valueAt(holder, '/href')).filter((href) => typeof href === 'string');
  return [url, ...hrefs].filter((href) => URL.canParse(href, url));
}

/** The ids that a pattern found in a path. */
function decodedIds(groups: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(groups).map(([name, value]) => [name, decodeSegment(value)]));
}

/** The path of an address of the service, without query; undefined for others. */
function pathFromBase(url: string, profile: Profile): string | undefined {
  if (!isOfService(url, profile)) return undefined;
  if (originOf(url) !== originOf(profile.baseUrl)) return new URL(url).pathname;
  return url.slice(withoutSlash(absoluteUrl(profile, '')).length).split(/[?#]/)[0];
}

/** Whether that is the address of an object, and not of what a trigger made. */
function isObject(uri: string, profile: Profile): boolean {
  const path = pathFromBase(uri, profile) ?? '';
  return [shortPath, ...objectPaths].some((pattern) => pattern.test(path));
}

/** Whether that is the address at which a lock is freed: a lock that was taken, by itself or in a batch, is no object. */
function isLock(uri: string, profile: Profile): boolean {
  const [template] = profile.routes?.lockFree?.path.split('?') ?? [];
  if (template === undefined || isObject(uri, profile)) return false;
  return patternOf(template).test(pathFromBase(uri, profile) ?? '');
}

function patternOf(template: string): RegExp {
  return new RegExp(`^${template.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/?]+)')}$`);
}
