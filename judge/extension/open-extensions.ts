import { randomBytes } from 'node:crypto';
import type { Entry } from '../../simulator/extension/entry.ts';
import type { SiteOptions } from '../../simulator/extension/site.ts';
import type { BoundProfile } from '../profile.ts';
import type { CaseRecord } from '../record.ts';
import type { Clock } from '../time/clock.ts';
import { PreconditionFailed } from '../violation.ts';
import type {
  Endpoint,
  EndpointOptions,
  Extension,
  ExtensionOptions,
  Registration,
  RegistrationKind,
  Registrations,
} from './extension.ts';
import type { Listeners, Place } from './listeners.ts';
import { foreignTo, reachedAt } from './reached.ts';
import { recordOf } from './records.ts';

export interface ExtensionParts {
  readonly listeners: Listeners;
  readonly registrations: Registrations;
  readonly profile: BoundProfile;
  readonly clock: Clock;
  readonly record: CaseRecord;
  readonly unique: (prefix?: string) => string;
}

/** Words that make what the service can call. */
export interface MakesExtensions {
  /** A registered extension at a path of its own, its metadata exchange done. It goes when the case ends. */
  extension(options?: ExtensionOptions): Promise<Extension>;
  /** A registered external endpoint at a path of its own. It goes when the case ends. */
  endpoint(options?: EndpointOptions): Promise<Endpoint>;
}

const keyBytes = 64;
const usualLifeMinutes = 60;
/** Longest wait for the metadata exchange, of a service that answers the registration before it. */
const metadataWaitMs = 10_000;
/** How long the removal of a registration may take, in ms. */
const removalMs = 5000;

export function openExtensions(parts: ExtensionParts): MakesExtensions {
  return {
    extension: (options = {}) => extension(parts, options),
    endpoint: (options = {}) => endpoint(parts, options),
  };
}

async function extension(parts: ExtensionParts, options: ExtensionOptions): Promise<Extension> {
  const { apiKey = randomBytes(keyBytes).toString('base64'), ownListener = false, suffix = '' } = options;
  const concerns = new Set((options.concerns ?? []).map(({ oid }) => oid));
  const isForeign = foreignTo(concerns);
  const place = await placed(
    parts,
    { apiKey, records: [], isForeign, ...(options.script && { script: options.script }) },
    ownListener,
  );
  const url = place.url + suffix;
  const records =
    typeof options.records === 'function' ? options.records(url) : (options.records ?? recordsOf(parts, options));
  place.site.setRecords(records);
  const body = {
    hostUri: url,
    apiKey,
    tokenLifeTime: options.tokenLifeTime ?? usualLifeMinutes,
    ...options.registration,
  };
  const registration = options.unregistered === true ? undefined : await registered(parts, 'svcExtension', body);
  const reached = reachedAt({ place, url, clock: parts.clock, registration, ownListener, isForeign });
  if (registration !== undefined) await reached.call({ kind: 'metadata' }, { withinMs: metadataWaitMs });
  return Object.defineProperties(
    {
      ...reached,
      apiKey,
      records,
      record: (type?: string) => recordIn(place, type),
      setRecords: (next) => place.site.setRecords(next),
      metadata: () => reached.calls({ kind: 'metadata' }),
      concern: ({ oid }) => void concerns.add(oid),
    } satisfies Extension,
    { records: { get: () => place.site.records } },
  );
}

async function endpoint(parts: ExtensionParts, options: EndpointOptions): Promise<Endpoint> {
  const {
    trusted = false,
    method = 'POST',
    target = '/hook',
    headers = [{ name: 'content-type', value: 'application/json' }],
  } = options;
  const place = await placed(parts, options.script === undefined ? {} : { script: options.script }, false);
  const url = place.url + target;
  const body = {
    url,
    id: fresh(parts)('endpoint'),
    method,
    category: 'conformance',
    headers,
    rateLimitNumberOfExecutions: 100,
    ...(trusted && { tokenLifeTime: usualLifeMinutes }),
    ...options.registration,
  };
  const kind = trusted ? 'trustedExternalEndpoint' : 'externalEndpoint';
  const registration = options.unregistered === true ? undefined : await registered(parts, kind, body);
  return { ...reachedAt({ place, url, clock: parts.clock, registration, ownListener: false }), id: body.id };
}

/** Once its case has ended a site answers everything rightly, so that what is still on its way comes to an end. */
async function placed(
  parts: ExtensionParts,
  options: SiteOptions & { readonly isForeign?: (entry: Entry) => boolean },
  own: boolean,
): Promise<Place> {
  const place = own ? await parts.listeners.ownPlace(options) : await parts.listeners.place(options);
  parts.record.atEnd(async () => place.site.setScript([]));
  return place;
}

async function registered(
  parts: ExtensionParts,
  kind: RegistrationKind,
  body: Readonly<Record<string, unknown>>,
): Promise<Registration> {
  const { registrations } = parts;
  const registration = registrations.made(kind, body, await registrations.post(kind, body));
  parts.record.atEnd(async () => {
    await registrations.remove(registration).catch(() => undefined);
  }, removalMs);
  return registration;
}

function recordsOf(
  parts: ExtensionParts,
  { types = ['ExternalEvent'], record = {} }: ExtensionOptions,
): Extension['records'] {
  const softTypes = types.includes('ExternalValidation') ? [parts.profile.primary.definitionId] : [];
  return types.map((type) => ({ ...recordOf(type, fresh(parts), softTypes), ...record }));
}

function recordIn({ site }: Place, type: string | undefined): Extension['records'][number] {
  const found = site.records.find(({ extensionType }) => type === undefined || extensionType === type);
  if (found === undefined)
    throw new PreconditionFailed(`a record of the type ${type ?? 'ExternalEvent'} in the metadata of the case`);
  return found;
}

/** Ids of registrations outlive a run that was cut off, so that the same seed must not give them again. */
function fresh({ unique }: ExtensionParts): (prefix?: string) => string {
  return (prefix) => `${unique(prefix)}-${randomBytes(4).toString('hex')}`;
}
