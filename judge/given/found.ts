import type { Profile } from '../../contract/profile.ts';
import type { Bookings } from '../bookings.ts';
import type { RequestSpec, Reply } from '../exchange.ts';
import type { Thing } from '../given.ts';
import type { Target } from '../target.ts';
import { originOf } from '../client/wire.ts';
import { isRecord, plainInteger } from '../target/entry.ts';
import { PreconditionFailed } from '../violation.ts';

type Of = Pick<Thing, 'type' | 'space' | 'body'> & { readonly as: RequestSpec['as'] };

/** The object that an accepted create made: by its Location, else by what the body of the answer tells, else by its id on the documented routes. */
export async function foundThing(
  created: Reply,
  of: Of,
  { service, profile, bookings }: { readonly service: Target; readonly profile: Profile; readonly bookings: Bookings },
): Promise<{ readonly thing: Thing; readonly reply: Reply }> {
  for (const request of candidates(created, of, service, profile)) {
    const reply = await service.send(request);
    const oid = oidOf(reply, created);
    const version = versionOf(reply);
    if (reply.status !== 200 || oid === undefined || version === undefined) continue;
    bookings.identify(new URL(created.headers['location'] ?? '', created.url).href, oid);
    return { thing: { oid, location: reply.url, type: of.type, space: of.space, version, body: of.body }, reply };
  }
  throw new PreconditionFailed(
    'to find the object that a create made (Location, href or $oid of the answer)',
    created,
    [
      'headers.location.on-create',
      'headers.location.leads-to-object',
      'reading.instance.short-route-served',
      'reading.instance.long-route-served',
    ],
  );
}

function* candidates(created: Reply, of: Of, service: Target, profile: Profile): Generator<RequestSpec> {
  const uris = [created.headers['location'], textIn(created.json, 'href')];
  for (const uri of uris) {
    if (uri !== undefined && URL.canParse(uri, created.url))
      yield { ...service.requests.get(atHome(new URL(uri, created.url), profile)), as: of.as };
  }
  const oid = guessedOid(created);
  if (oid === undefined) return;
  const thing = { ...of, oid, location: '', version: 0 };
  yield { ...service.requests.read(thing), as: of.as };
  yield { ...service.requests.readLong(thing), as: of.as };
}

/** Where a URI leads to a host behind the gateway, the same path on the gateway: the rule about that judges it elsewhere. */
function atHome(uri: URL, profile: Profile): string {
  return uri.origin === originOf(profile.baseUrl) ? uri.href : originOf(profile.baseUrl) + uri.pathname + uri.search;
}

function oidOf(reply: Reply, created: Reply): string | undefined {
  const data = isRecord(reply.json) ? reply.json['data'] : undefined;
  return textIn(data, '$oid') ?? textIn(reply.json, '$oid') ?? guessedOid(created);
}

/** The id that the answer of the create gives, or the last segment of its Location. */
function guessedOid(created: Reply): string | undefined {
  const data = isRecord(created.json) ? created.json['data'] : undefined;
  const stated = textIn(data, '$oid') ?? textIn(created.json, '$oid');
  const location = created.headers['location'] ?? textIn(created.json, 'href');
  if (stated !== undefined || location === undefined || !URL.canParse(location, created.url)) return stated;
  const segment = new URL(location, created.url).pathname.split('/').findLast((part) => part !== '');
  return segment === undefined ? undefined : decodeURIComponent(segment);
}

/** The version of a read response, in any of the places where it stands. */
export function versionOf(reply: Reply): number | undefined {
  if (!isRecord(reply.json)) return undefined;
  const data = reply.json['data'];
  return plainInteger(reply.json['version']) ?? (isRecord(data) ? plainInteger(data['$version']) : undefined);
}

function textIn(value: unknown, name: string): string | undefined {
  const member = isRecord(value) ? value[name] : undefined;
  return typeof member === 'string' && member !== '' ? member : undefined;
}
