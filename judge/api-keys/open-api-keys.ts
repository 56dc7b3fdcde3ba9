import { signatureOver } from '../host/signature.ts';
import type { Changes, RequestSpec } from '../exchange.ts';
import type { Call, CallFilter } from '../extension/call.ts';
import type { Extension, Triggers } from '../extension/extension.ts';
import type { BoundProfile } from '../profile.ts';
import type { Secrets } from '../redact.ts';
import { absoluteUrl } from '../requests/absolute-url.ts';
import { changed } from '../requests/prepare.ts';
import type { Target } from '../target.ts';
import { Inconclusive, PreconditionFailed } from '../violation.ts';
import type { AcquireChanges, ApiKeys, KeyHolder, KeysPost } from './api-keys.ts';

export interface ApiKeysParts {
  readonly service: Target;
  readonly profile: BoundProfile;
  readonly triggers: Triggers;
  readonly secrets: Secrets;
}

const usualWaitSeconds = 10;

/** The acquire route. Source: extensions, Acquiring API keys; ledger acquire-credential */
export function openApiKeys(parts: ApiKeysParts): ApiKeys {
  const { service, profile, secrets } = parts;
  const waitMs = (profile.all.apiKeys?.callbackTimeoutSeconds ?? usualWaitSeconds) * 1000;
  const apiKeys: ApiKeys = {
    acquire: (holder, body, changes) => apiKeys.acquireUnder(holder.id, holder, body, changes),
    acquireUnder: async (id, holder, body = {}, { by, ...changes } = {}) => {
      const path = `/api/collection/externalExtension/acquireAccessToken/${encodeURIComponent(id.toWellFormed())}`;
      const credential = await credentialOf(parts, by ?? acquirerOf(profile), holder, path);
      const content = { tokenCallback: holder.tokenCallback, permissions: holder.permissions, ...body };
      const request: RequestSpec = {
        method: 'POST',
        url: absoluteUrl(profile.all, path),
        body: content,
        unbooked: true,
        ...credential,
      };
      const reply = await service.send(changed(request, changes));
      learn(secrets, reply.json);
      return reply;
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
      const post = reply.status < 300 ? await apiKeys.callback(holder, length) : undefined;
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
  if (all.apiKeys === undefined)
    throw new Inconclusive('The case uses apiKeys.acquireAs, which the profile does not have: add it.');
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

/** The token of the last call to the extension, else of an event that is set off for it. */
async function envelopeToken({ profile, triggers }: ApiKeysParts, extension: Extension): Promise<string> {
  const known = tokenIn(extension.calls());
  if (known !== undefined) return known;
  if (profile.all.triggers?.event === undefined)
    throw new Inconclusive('The case uses the token of an envelope: add triggers.event to the profile.');
  await triggers.event(extension);
  const token = tokenIn([await extension.call({ kind: 'event' })]);
  if (token === undefined)
    throw new PreconditionFailed('an accessToken in the envelope of an event', undefined, [
      'calls.envelope.all-fields',
    ]);
  return token;
}

function tokenIn(calls: readonly Call[]): string | undefined {
  return calls.findLast(({ envelope }) => envelope.accessToken !== undefined)?.envelope.accessToken;
}
