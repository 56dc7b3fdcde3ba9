import type { Profile } from '../../contract/profile.ts';
import { isSuccess, type Changes, type Reply, type RequestSpec } from '../exchange.ts';
import type { Call, CalledType, CallFilter } from './call.ts';
import type {
  Endpoint,
  Extension,
  MakesExtensions,
  Reached,
  WaitOptions,
  MetadataRecord,
  Script,
} from './extension.ts';
import type { Registration } from './registrations.ts';
import type { Triggers } from './triggers.ts';
import type { Clock } from '../time/clock.ts';
import type { BoundProfile } from '../profile.ts';
import type { CaseRecord } from '../case/record.ts';
import type { Secrets } from '../redact/redact.ts';
import { absoluteUrl, withChanges } from '../service/requests.ts';
import { signatureOver } from '../service/signature.ts';
import type { Target } from '../service/target.ts';
import { KeyMissing, PreconditionFailed, Undecidable, unlessRefused } from '../violation.ts';
import { readTime, sleep } from '../time/real-time.ts';

/** Who asks for keys. */
export type Acquirer = NonNullable<Profile['apiKeys']>['acquireAs'];

/** Source: extensions, Acquiring API keys */
export interface AcquireBody {
  readonly tokenCallback?: unknown;
  readonly permissions?: unknown;
}

/** Something that may have API keys, and where they are brought to. */
export interface KeyHolder {
  /** As the acquire route names it: of the metadata record, or of the trusted endpoint. */
  readonly id: string;
  readonly tokenCallback: string;
  /** Names that are configured. */
  readonly permissions: readonly string[];
  /** What plays the callback. */
  readonly reached: Reached;
  /** Undefined for a trusted endpoint. */
  readonly extension: Extension | undefined;
  readonly endpoint?: Endpoint;
  /** That of the extension, or of the trusted endpoint. */
  readonly registration: Registration | undefined;
}

interface KeyHolderOptions {
  /** AdministrationAPI unless given; null for a record without permissions. */
  readonly permissions?: readonly string[] | null;
  /** Those of a second record of the same host. */
  readonly besides?: readonly string[];
  /** Path of the callback below the base; `/keys` unless given. */
  readonly callbackPath?: string;
  /** A trusted endpoint instead of an extension. */
  readonly trusted?: boolean;
  /** Id of a trusted endpoint; one of its own unless given. */
  readonly id?: string;
  /** Type of the record; ExternalEvent unless given. */
  readonly type?: CalledType;
  /** Answers of the callback; 200 unless given. Has to answer everything but the metadata. */
  readonly script?: Script;
}

interface AcquireChanges extends Changes {
  /** Instead of what apiKeys.acquireAs of the profile says. */
  readonly by?: Acquirer | 'nobody';
}

/** A POST on a callback. */
export interface KeysPost {
  readonly call: Call;
  readonly json: unknown;
  /** Members of the body that are objects with a text `apiKey`. */
  readonly keys: Readonly<Record<string, string>>;
}

/** The acquire route and what it leads to. Needs `acquire-identity` unless `by` is given. */
export interface ApiKeys {
  /** POST for a holder, with its callback and its permissions unless given. */
  acquire(holder: KeyHolder, body?: AcquireBody, changes?: AcquireChanges): Promise<Reply>;
  /** As acquire, under another id than that of the holder. */
  acquireUnder(id: string, holder: KeyHolder, body?: AcquireBody, changes?: AcquireChanges): Promise<Reply>;
  /** What came to the callback of a holder so far, oldest first. */
  callbacks(holder: KeyHolder): readonly KeysPost[];
  /** The post at that place, counted from 0, come or yet to come; undefined when it does not come within apiKeys.callbackTimeoutSeconds of the profile (10 s). */
  callback(holder: KeyHolder, index?: number, options?: WaitOptions): Promise<KeysPost | undefined>;
  /** Asks and waits: keys by the name of their permission. @throws {PreconditionFailed} none come */
  keysOf(holder: KeyHolder, permissions?: readonly string[]): Promise<Readonly<Record<string, string>>>;
}

export interface MakesKeyHolders {
  /** A registered extension, or a trusted endpoint, whose configuration allows keys. It goes when the case ends. */
  keyHolder(options?: KeyHolderOptions): Promise<KeyHolder>;
}

export interface ApiKeysParts {
  readonly service: Target;
  readonly profile: BoundProfile;
  readonly triggers: Triggers;
  readonly clock: Pick<Clock, 'now'>;
  readonly secrets: Secrets;
  readonly record: Pick<CaseRecord, 'settlesAt'>;
}

/** How long the token of an envelope is shown, in ms: well before it ends, as key holders register none that lives shorter than the usual hour. */
const envelopeTokenMs = 30 * 60 * 1000;

/** Between two tries while a record is perhaps not put to use yet, in ms. */
const settlingPauseMs = 250;

const usualWaitSeconds = 10;

/** The acquire route. Source: extensions, Acquiring API keys; ledger acquire-credential */
export function openApiKeys(parts: ApiKeysParts): ApiKeys {
  const { service, profile, secrets } = parts;
  const waitMs = (profile.all.apiKeys?.callbackTimeoutSeconds ?? usualWaitSeconds) * 1000;
  const apiKeys: ApiKeys = {
    acquire: async (holder, body, changes) => {
      for (;;) {
        const reply = await apiKeys.acquireUnder(holder.id, holder, body, changes);
        // the record may not be put to use yet
        if (reply.status !== 404 || readTime() >= parts.record.settlesAt) return reply;
        await sleep(settlingPauseMs);
      }
    },
    acquireUnder: async (id, holder, body = {}, { by, ...changes } = {}) => {
      const path = `/api/collection/externalExtension/acquireAccessToken/${encodeURIComponent(id.toWellFormed())}`;
      const request: Omit<RequestSpec, 'as'> = {
        method: 'POST',
        url: absoluteUrl(profile.all, path),
        body: { tokenCallback: holder.tokenCallback, permissions: holder.permissions, ...body },
        unbooked: true,
        // the callback is not called for one who shows nothing
        ...(by !== 'nobody' && { mayFail: true }),
      };
      const send = async (credential: Credential): Promise<Reply> => {
        const reply = await service.send(withChanges({ ...request, ...credential }, changes));
        learn(secrets, reply.json);
        return reply;
      };
      if (holder.extension === undefined && by === undefined) return sendForEndpoint(parts, holder, send);
      return send(await credentialOf(parts, by ?? acquirerOf(profile), holder, path));
    },
    callbacks: (holder) => holder.reached.calls(postsTo(holder)).map((call) => postFrom(secrets, call)),
    callback: async (holder, index = 0, options = {}) => {
      const calls = await holder.reached.ended(index + 1, postsTo(holder), { withinMs: waitMs, ...options });
      const call = calls[index];
      return call && postFrom(secrets, call);
    },
    keysOf: async (holder, permissions = holder.permissions) => {
      const { length } = apiKeys.callbacks(holder);
      const reply = await apiKeys.acquire(holder, { permissions });
      const post = isSuccess(reply.status) ? await apiKeys.callback(holder, length) : undefined;
      if (post !== undefined && permissions.every((name) => Object.hasOwn(post.keys, name))) return post.keys;
      throw new PreconditionFailed(`keys for ${permissions.join(', ')} at the callback`, reply, [
        'api-keys.acquire.posts-to-callback',
        'api-keys.acquire.exact-permissions',
        'api-keys.acquire.key-shape',
      ]);
    },
  };
  return apiKeys;
}

/** The callback of an extension is nothing that its metadata explains; that of an endpoint is all it is for. */
function postsTo({ tokenCallback, extension }: KeyHolder): CallFilter {
  const path = new URL(tokenCallback).pathname;
  return {
    kind: extension === undefined ? 'endpoint' : 'other',
    method: 'POST',
    where: ({ target }) => target.split('?')[0] === path,
  };
}

function postFrom(secrets: Secrets, call: Call): KeysPost {
  learn(secrets, call.json);
  const keys = Object.entries(Object(call.json)).flatMap(([name, member]) => {
    const key: unknown = Reflect.get(Object(member), 'apiKey');
    return typeof key === 'string' ? [[name, key] as const] : [];
  });
  return { call, json: call.json, keys: Object.fromEntries(keys) };
}

/** Keys are secret wherever the service puts them. */
function learn(secrets: Secrets, json: unknown, name = 'API'): void {
  if (typeof json !== 'object' || json === null) return;
  for (const [member, value] of Object.entries(json)) {
    if (typeof value !== 'string') learn(secrets, value, member);
    else if (member === 'apiKey' || member.endsWith('API'))
      secrets.add(`${variableOf(member === 'apiKey' ? name : member)}_KEY`, value);
  }
}

/** `AdministrationAPI` -> `ADMINISTRATION_API`. */
function variableOf(name: string): string {
  return name.replaceAll(/(?<=[a-z])(?=[A-Z])|\W+/g, '_').toUpperCase();
}

function acquirerOf({ all }: BoundProfile): NonNullable<AcquireChanges['by']> {
  if (all.apiKeys === undefined) throw new KeyMissing('apiKeys.acquireAs', 'acquire-identity');
  return all.apiKeys.acquireAs;
}

type Credential = Pick<RequestSpec, 'as'> & Pick<Changes, 'headers'>;

async function credentialOf(
  parts: ApiKeysParts,
  by: NonNullable<AcquireChanges['by']>,
  { extension }: KeyHolder,
  path: string,
): Promise<Credential> {
  if (by === 'nobody') return { as: null };
  if (by === 'administrator' || by === 'editor') return { as: by };
  // a trusted endpoint has neither a key nor envelopes
  if (extension === undefined) return { as: 'administrator' };
  const text = by === 'signature' ? signatureOver(extension.apiKey, path) : await envelopeToken(parts, extension);
  parts.secrets.add(by === 'signature' ? 'ACQUIRE_SIGNATURE' : 'ENVELOPE_TOKEN', text);
  return { as: null, headers: { Authorization: `Bearer ${text}` } };
}

/**
 * For a trusted endpoint, which has neither a key nor envelopes: where extensions ask by what is theirs, a signature or what they are called
 * with, it may be the token in the query of its own calls that counts, or that of an administrator.
 */
async function sendForEndpoint(
  { profile, triggers, secrets }: ApiKeysParts,
  { endpoint }: KeyHolder,
  send: (credential: Credential) => Promise<Reply>,
): Promise<Reply> {
  const by = acquirerOf(profile);
  if (by === 'editor') return send({ as: by });
  if (by === 'administrator' || endpoint === undefined || profile.all.triggers?.endpoint === undefined)
    return send({ as: 'administrator' });
  // one that is not registered any more is not called
  const triggered = await unlessRefused(() => triggers.endpoint(endpoint));
  const call = triggered && (await endpoint.call({ about: triggered }));
  const token = call?.query.find(([name]) => name === 'access_token')?.[1];
  if (token === undefined) return send({ as: 'administrator' });
  secrets.add('ENDPOINT_TOKEN', token);
  const reply = await send({ as: null, headers: { Authorization: `Bearer ${token}` } });
  return [401, 403].includes(reply.status) ? send({ as: 'administrator' }) : reply;
}

/** The token of the last call to the extension while that is young, else of an event that is set off for it. */
async function envelopeToken({ profile, triggers, clock }: ApiKeysParts, extension: Extension): Promise<string> {
  const young = extension.calls().filter(({ arrivedAt }) => arrivedAt + envelopeTokenMs > clock.now());
  const known = tokenIn(young);
  if (known !== undefined) return known;
  if (profile.all.triggers?.event === undefined)
    throw new Undecidable('The case uses the token of an envelope: add triggers.event to the profile.');
  const event = await triggers.event(extension);
  const token = tokenIn([await extension.call({ about: event })]);
  if (token === undefined)
    throw new PreconditionFailed('an accessToken in the envelope of an event', undefined, [
      'calls.envelope.all-fields',
    ]);
  return token;
}

function tokenIn(calls: readonly Call[]): string | undefined {
  return calls.findLast(({ envelope }) => envelope.accessToken !== undefined)?.envelope.accessToken;
}

export interface KeyHolderParts {
  readonly extensions: MakesExtensions;
  readonly unique: (prefix?: string) => string;
}

/** Words that make holders of API keys. Source: extensions, Registered trusted external endpoint; Extension metadata record, permissions */
export function openKeyHolders(parts: KeyHolderParts): MakesKeyHolders {
  return {
    keyHolder: (options = {}) =>
      options.trusted === true ? trustedHolder(parts, options) : extensionHolder(parts, options),
  };
}

const usualPermissions = ['AdministrationAPI'] as const;

const usualPath = '/keys';

async function extensionHolder({ extensions, unique }: KeyHolderParts, options: KeyHolderOptions): Promise<KeyHolder> {
  const { permissions = usualPermissions, besides, callbackPath = usualPath, type = 'ExternalEvent' } = options;
  const id = unique('record');
  const recordOf = (recordId: string, url: string, asked: readonly string[] | null): MetadataRecord => ({
    id: recordId,
    version: '1.0.0',
    name: 'Conformance keys',
    description: 'Asks for API keys.',
    endpoint: `t/${recordId}`,
    extensionType: type,
    category: 'conformance',
    ...(asked !== null && { permissions: { tokenCallback: url + callbackPath, permissions: asked } }),
  });
  const recordsAt = (url: string): readonly MetadataRecord[] => [
    recordOf(id, url, permissions),
    ...(besides === undefined ? [] : [recordOf(unique('record'), url, besides)]),
  ];
  const script = options.script ?? [
    { when: { kind: 'other', path: callbackPath }, steps: [{ status: 200 }], afterwards: 'last' },
  ];
  const extension = await extensions.extension({ records: recordsAt, script });
  return {
    id,
    tokenCallback: extension.url + callbackPath,
    permissions: permissions ?? [],
    reached: extension,
    extension,
    registration: extension.registration,
  };
}

/** The callback is a place of its own, since its address stands in the registration. */
async function trustedHolder({ extensions }: KeyHolderParts, options: KeyHolderOptions): Promise<KeyHolder> {
  const { permissions = usualPermissions, callbackPath = usualPath, script, id } = options;
  const reached = await extensions.endpoint({ unregistered: true, target: callbackPath, ...(script && { script }) });
  const tokenCallback = reached.url;
  const configured = permissions === null ? {} : { permissions: { permissions, tokenCallback } };
  const registration = { ...(id !== undefined && { id }), ...configured };
  const endpoint = await extensions.endpoint({ trusted: true, registration });
  return {
    id: endpoint.id,
    tokenCallback,
    permissions: permissions ?? [],
    reached,
    extension: undefined,
    endpoint,
    registration: endpoint.registration,
  };
}
