import { Area } from '../area.ts';
import { randomBytes } from 'node:crypto';
import type { Static } from 'typebox';
import { keyOverlapSeconds, keyPeriodSeconds } from '../../contract/limits.ts';
import { headerNames, mediaTypes } from '../../contract/names.ts';
import type { Configuration } from '../configuration.ts';
import type { Answer, Call } from '../http/call.ts';
import { Refusal } from '../http/refusal.ts';
import { type AdmittedCall, type Route, callingRoute } from '../http/route.ts';
import type { Clock } from '../../clock/clock.ts';
import type { CallOutcome, OutgoingRequest } from '../ports/deliveries.ts';
import type { Reading, Store, Writing } from '../ports/store.ts';
import type { Auth } from './auth.ts';
import type { Callees } from './callees.ts';
import type { OutgoingCalls } from './outgoing-calls.ts';
import {
  type Extension,
  type MetadataRecord,
  Misfit,
  type Permissions,
  type TrustedEndpoint,
  decoderOf,
} from './records.ts';
import { recordsNamed, registrationOf } from './registry.ts';
import { type Signing, requestPathOf } from './signing.ts';
import { Type } from '../../contract/type.ts';

/** Where keys are asked for. Source: extensions, Acquiring API keys */
export const acquirePath = '/api/collection/externalExtension/acquireAccessToken/{extensionId}';

/** Somebody registered who may have API keys: a record of an extension, or a trusted endpoint. */
export interface KeyHolder {
  readonly registrationId: string;
  /** Absent for an endpoint. */
  readonly recordId?: string;
  readonly active: boolean;
  /** Base64; absent for an endpoint, which has none. */
  readonly apiKey?: string;
  readonly timeoutMs: number;
  /** Absent where none are configured. */
  readonly permissions?: Permissions;
}

const keyBytes = 64;

/** The key of one permission in an acquisition. */
export interface AcquiredKey extends IssuedKey {
  readonly permission: string;
  /** Whether this acquisition made it; else it is that of the running period. */
  readonly fresh: boolean;
}

interface IssuedKey {
  /** Base64 of 64 bytes. */
  readonly key: string;
  /** Ms of the clock. */
  readonly issuedAt: number;
  /** Whether its callback was acknowledged; one that is on its way is valid already. */
  readonly brought: boolean;
}

/** Keys of one holder for one permission, oldest first. */
export interface KeptKeys {
  readonly registrationId: string;
  readonly recordId?: string;
  readonly permission: string;
  readonly keys: readonly IssuedKey[];
}

/** Kind of document under which they stand in the store. */
const keyKind = 'apiKey';

const requestSchema = Type.Object({
  tokenCallback: Type.String({ minLength: 1 }),
  permissions: Type.Array(Type.String(), { minItems: 1 }),
});

/** What is asked for. Source: extensions, Acquiring API keys */
type AcquireRequest = Static<typeof requestSchema>;

const decode = decoderOf<AcquireRequest>(requestSchema);

interface Needs {
  readonly clock: Clock;
  readonly configuration: Configuration;
  readonly store: Store;
  readonly auth: Auth;
  readonly callees: Callees;
  readonly outgoingCalls: OutgoingCalls;
  readonly signing: Signing;
}

/** Keys of extensions: acquired, issued, kept, taken back. */
export class ApiKeys extends Area<Needs> {
  routes(): readonly Route[] {
    return [
      callingRoute({
        method: 'POST',
        path: acquirePath,
        access: (call) => this.holdersOpenTo(call),
        effect: 'outside',
        needs: { mediaTypes: [mediaTypes.json], json: acquireRequestFrom },
        handle: (call) => this.acquireKeys(call),
      }),
    ];
  }

  /**
   * POST of an acquire request. The keys are kept ahead of the callback, so that they open what they are for as soon as they arrive there;
   * they go when it fails. @throws {Refusal} 403, 422, 502
   */
  private async acquireKeys(
    call: AdmittedCall<readonly KeyHolder[]> & { readonly json: AcquireRequest },
  ): Promise<Answer> {
    const { store } = this.needs;
    const { json: request } = call;
    const holder = this.holderGranting(call.admitted, request);
    requireAbsolute(request);
    const granted = this.grantedPermissions(request.permissions, holder.permissions?.permissions ?? []);
    const keys = await store.change((writing) => this.issueKeys(writing, holder, granted));
    try {
      const answer = await this.bringKeys(call, holder, request, keys);
      await store.change((writing) => confirmKeys(writing, holder, keys));
      return answer;
    } catch (error) {
      await store.change((writing) => withdrawKeys(writing, holder, keys));
      throw error;
    }
  }

  /**
   * Those whom the path may mean that the caller may ask for: whose key has signed the path, or all for a Collection Administrator.
   * Source: ledger acquire-credential. @throws {Refusal} 401, 403, 404 for an unknown id
   */
  private async holdersOpenTo(call: Call): Promise<readonly KeyHolder[]> {
    const { extensionId = '' } = call.params;
    const holders = await this.needs.store.read((reading) => this.keyHoldersOf(reading, extensionId));
    const credentials = this.needs.auth.credentialsOf(call.headers);
    if (credentials?.scheme === 'bearer') {
      const path = requestPathOf(call);
      const signers = holders.filter(
        ({ apiKey }) => apiKey !== undefined && this.needs.signing.isSignatureOf(apiKey, path, credentials.token),
      );
      if (signers.length > 0) return signers;
    }
    this.needs.auth.authorize(await this.needs.auth.authenticate(call), 'collection', call);
    if (holders.length > 0) return holders;
    throw new Refusal(404, `There is no extension ${extensionId}.`, { pointer: 'extensionId' });
  }

  /** Keys that open bulk upload now, in Base64. Source: ledger initial-administration-key, administration-key-holders */
  async administrationKeys(reading: Reading): Promise<readonly string[]> {
    return [...this.initialAdministrationKeys(), ...(await this.acquiredAdministrationKeys(reading))];
  }

  /** The one that the server was started with, if any. */
  private initialAdministrationKeys(): readonly string[] {
    const { administrationKey } = this.needs.configuration;
    return administrationKey === undefined ? [] : [administrationKey];
  }

  /** Those that extensions and trusted endpoints have acquired. */
  async acquiredAdministrationKeys(reading: Reading): Promise<readonly string[]> {
    const found: string[] = [];
    for (const kept of await allKeptKeys(reading)) {
      if (!this.opensAdministration(kept.permission) || !(await this.isStillHeld(reading, kept))) continue;
      found.push(...kept.keys.filter((key) => this.isKeyValid(key)).map(({ key }) => key));
    }
    return found;
  }

  /** Whether keys for the permission open bulk upload. Source: extensions, Permission names */
  opensAdministration(permission: string): boolean {
    return permission === 'AdministrationAPI';
  }

  /** A key ends with its registration, with the configuration of its permission, and while the registration is switched off. */
  private async isStillHeld(reading: Reading, kept: KeptKeys): Promise<boolean> {
    const holder = await this.keyHolderAt(reading, kept.registrationId, kept.recordId);
    return (
      holder !== undefined && holder.active && (holder.permissions?.permissions.includes(kept.permission) ?? false)
    );
  }

  /** Brings the keys to the callback in one attempt, and answers when they are there. Source: ledger acquire-callback-details. @throws {Refusal} 502 */
  async bringKeys(
    call: Call,
    holder: KeyHolder,
    { tokenCallback }: AcquireRequest,
    keys: readonly AcquiredKey[],
  ): Promise<Answer> {
    const request = this.callbackRequest(call, holder, tokenCallback, keys);
    const outcome = await this.needs.outgoingCalls.call(request);
    if (outcome.kind === 'answered' && outcome.status >= 200 && outcome.status < 300) return { status: 204 };
    throw new Refusal(
      502,
      `The tokenCallback did not take the keys: ${textOf(outcome)}. Nothing was issued; ask again.`,
    );
  }

  /** A POST of the keys, signed where the holder has a key to check it with. Source: extensions, Acquiring API keys */
  private callbackRequest(
    { correlationId }: Call,
    { apiKey, timeoutMs }: KeyHolder,
    url: string,
    keys: readonly AcquiredKey[],
  ): OutgoingRequest {
    const headers = {
      ...(apiKey !== undefined && this.needs.signing.signatureHeaders(apiKey, url)),
      'Content-Type': `${mediaTypes.json}; charset=utf-8`,
      [headerNames.correlationId]: correlationId,
    };
    return { method: 'POST', url, headers, body: JSON.stringify(this.keysBody(keys)), timeoutMs };
  }

  /** An object with a member for each permission. */
  keysBody(keys: readonly AcquiredKey[]): object {
    return Object.fromEntries(keys.map(({ permission, key }) => [permission, this.keyMember(key)]));
  }

  keyMember(key: string): unknown {
    return { apiKey: key };
  }

  /** Everybody whom the id of an acquire route may mean; ids of records are unique within a host only. Source: ledger extension-identifier */
  async keyHoldersOf(reading: Reading, id: string): Promise<readonly KeyHolder[]> {
    return [...(await this.extensionHolders(reading, id)), ...(await this.endpointHolders(reading, id))];
  }

  /** The records with the id, and all records of the registration with it. */
  async extensionHolders(reading: Reading, id: string): Promise<readonly KeyHolder[]> {
    const holders: KeyHolder[] = [];
    for (const { registrationId, recordId } of await recordsNamed(reading, id)) {
      const holder = await this.keyHolderAt(reading, registrationId, recordId);
      if (holder !== undefined) holders.push(holder);
    }
    const registration = await registrationOf(reading, id);
    if (registration?.kind !== 'svcExtension') return holders;
    return [...holders, ...registration.records.map((record) => this.recordHolder(registration, record))];
  }

  /** The trusted endpoint with the id, if there is one. Source: extensions, Authentication 5 */
  async endpointHolders(reading: Reading, id: string): Promise<readonly KeyHolder[]> {
    const holder = await this.keyHolderAt(reading, id);
    return holder === undefined ? [] : [holder];
  }

  /** The holder as it is registered now; undefined where it is gone. */
  private async keyHolderAt(
    reading: Reading,
    registrationId: string,
    recordId?: string,
  ): Promise<KeyHolder | undefined> {
    const registration = await registrationOf(reading, registrationId);
    if (registration?.kind === 'trustedExternalEndpoint')
      return recordId === undefined ? this.endpointHolder(registration) : undefined;
    if (registration?.kind !== 'svcExtension') return undefined;
    const record = registration.records.find(({ id }) => id === recordId);
    return record && this.recordHolder(registration, record);
  }

  private recordHolder(extension: Extension, record: MetadataRecord): KeyHolder {
    return {
      registrationId: extension.id,
      recordId: record.id,
      active: this.needs.callees.isActive(extension),
      apiKey: extension.apiKey,
      timeoutMs: this.needs.callees.requestTimeoutOf(record) * 1000,
      ...(record.permissions && { permissions: record.permissions }),
    };
  }

  private endpointHolder(endpoint: TrustedEndpoint): KeyHolder {
    const { permissions: names, tokenCallback } = endpoint.permissions ?? {};
    return {
      registrationId: endpoint.id,
      active: this.needs.callees.isActive(endpoint),
      timeoutMs: endpoint.requestTimeout * 1000,
      ...(names && tokenCallback !== undefined && { permissions: { permissions: names, tokenCallback } }),
    };
  }

  /** The keys of the running period, made where there are none yet. Source: ledger key-rotation-overlap */
  async issueKeys(
    writing: Writing,
    holder: KeyHolder,
    permissions: readonly string[],
  ): Promise<readonly AcquiredKey[]> {
    await this.forgetExpired(writing);
    const acquired: AcquiredKey[] = [];
    for (const permission of permissions) acquired.push(await this.issueKey(writing, holder, permission));
    return acquired;
  }

  private async issueKey(writing: Writing, holder: KeyHolder, permission: string): Promise<AcquiredKey> {
    const kept = await keptKeysOf(writing, holder, permission);
    const latest = kept.keys.at(-1);
    if (latest !== undefined && !this.isKeyDue(latest)) return { ...latest, permission, fresh: false };
    const next = { key: randomBytes(keyBytes).toString('base64'), issuedAt: this.needs.clock.now(), brought: false };
    await keepKeys(writing, { ...kept, keys: [...kept.keys, next] });
    return { ...next, permission, fresh: true };
  }

  /** Whether the next acquisition brings another key. Source: extensions, Limits, permission key rotation */
  isKeyDue({ issuedAt }: IssuedKey): boolean {
    return this.needs.clock.now() >= issuedAt + keyPeriodSeconds * 1000;
  }

  /** Whether the key still opens anything. Source: ledger key-rotation-overlap */
  isKeyValid({ issuedAt }: IssuedKey): boolean {
    return this.needs.clock.now() < issuedAt + (keyPeriodSeconds + keyOverlapSeconds) * 1000;
  }

  private async forgetExpired(writing: Writing): Promise<void> {
    for (const kept of await allKeptKeys(writing)) {
      const keys = kept.keys.filter((key) => this.isKeyValid(key));
      if (keys.length < kept.keys.length) await keepKeys(writing, { ...kept, keys });
    }
  }

  /** The first holder that may have all that is asked for. @throws {Refusal} 403 where none may. Source: ledger acquire-mixed-request */
  private holderGranting(holders: readonly KeyHolder[], request: AcquireRequest): KeyHolder {
    const complaints: Refusal[] = [];
    for (const holder of holders) {
      const complaint = this.acquireComplaint(holder, request);
      if (complaint === undefined) return holder;
      complaints.push(complaint);
    }
    throw complaints[0] ?? new Refusal(403, 'Nobody with this id may acquire keys.');
  }

  /** Why the holder does not get what is asked for; undefined when it does. Source: extensions, Acquiring API keys */
  acquireComplaint(holder: KeyHolder, request: AcquireRequest): Refusal | undefined {
    const { active, permissions } = holder;
    if (!active) return new Refusal(403, 'Its registration is switched off; switch it on to acquire keys.');
    if (permissions === undefined)
      return new Refusal(403, 'No permissions are configured here, so that there are no keys to acquire.');
    if (!this.isConfiguredCallback(request.tokenCallback, permissions.tokenCallback)) {
      const detail = 'Expected tokenCallback to be the configured one, letter by letter; found another.';
      return new Refusal(403, detail, { pointer: '/tokenCallback' });
    }
    const [excess] = this.excessPermissions(request.permissions, permissions.permissions);
    if (excess === undefined) return undefined;
    const pointer = `/permissions/${request.permissions.indexOf(excess)}`;
    return new Refusal(403, 'Expected configured permissions only, found one that is not; nothing is issued.', {
      pointer,
    });
  }

  /** Equality of texts: what merely leads to the same place is another address. */
  isConfiguredCallback(given: string, configured: string): boolean {
    return given === configured;
  }

  /** Names asked for that are not configured. */
  excessPermissions(asked: readonly string[], configured: readonly string[]): readonly string[] {
    return asked.filter((name) => !configured.includes(name));
  }

  /** Names that keys are issued for, once each. @param configured all that the holder could have */
  grantedPermissions(asked: readonly string[], _configured: readonly string[]): readonly string[] {
    return [...new Set(asked)];
  }
}

/** Where keys can be brought to. @throws {Refusal} 422 */
function requireAbsolute({ tokenCallback }: AcquireRequest): void {
  const url = URL.parse(tokenCallback);
  if (url !== null && /^https?:$/.test(url.protocol)) return;
  const detail = 'Expected an absolute http or https address; the configured tokenCallback has to be changed first.';
  throw new Refusal(422, detail, { pointer: '/tokenCallback' });
}

function textOf(outcome: CallOutcome): string {
  if (outcome.kind === 'answered') return `it answered ${outcome.status}`;
  if (outcome.kind === 'timeout') return `no complete answer within ${outcome.waitedMs / 1000} s`;
  return outcome.reason;
}

/** After the callback was acknowledged: the keys stay, also when an acquisition beside this one has withdrawn them. */
async function confirmKeys(writing: Writing, holder: KeyHolder, acquired: readonly AcquiredKey[]): Promise<void> {
  for (const { permission, key, issuedAt } of acquired) {
    const kept = await keptKeysOf(writing, holder, permission);
    const others = kept.keys.filter((other) => other.key !== key);
    const keys = [...others, { key, issuedAt, brought: true }].toSorted((one, other) => one.issuedAt - other.issuedAt);
    await keepKeys(writing, { ...kept, keys });
  }
}

/** After the callback failed: what was made for it goes, unless another acquisition has brought it meanwhile. */
async function withdrawKeys(writing: Writing, holder: KeyHolder, acquired: readonly AcquiredKey[]): Promise<void> {
  for (const { permission, key, fresh } of acquired) {
    if (!fresh) continue;
    const kept = await keptKeysOf(writing, holder, permission);
    await keepKeys(writing, { ...kept, keys: kept.keys.filter((other) => other.key !== key || other.brought) });
  }
}

async function keptKeysOf(reading: Reading, holder: KeyHolder, permission: string): Promise<KeptKeys> {
  const { registrationId, recordId } = holder;
  const empty = { registrationId, permission, keys: [], ...(recordId !== undefined && { recordId }) };
  const text = await reading.document(keyKind, idOf(empty));
  return text === undefined ? empty : keptKeysFrom(text);
}

export async function allKeptKeys(reading: Reading): Promise<readonly KeptKeys[]> {
  return (await reading.documents(keyKind)).map(({ text }) => keptKeysFrom(text));
}

/** Without a key nothing is kept. */
async function keepKeys(writing: Writing, kept: KeptKeys): Promise<void> {
  if (kept.keys.length === 0) return writing.deleteDocument(keyKind, idOf(kept));
  return writing.putDocument(keyKind, idOf(kept), JSON.stringify(kept));
}

function idOf({ registrationId, recordId, permission }: Omit<KeptKeys, 'keys'>): string {
  return JSON.stringify([permission, registrationId, recordId ?? null]);
}

/** Decoder of what `keepKeys` wrote. */
function keptKeysFrom(text: string): KeptKeys {
  return JSON.parse(text) as KeptKeys;
}

/** Other members are passed over. @throws {Refusal} 422 */
function acquireRequestFrom(body: unknown): AcquireRequest {
  const value = decode(body);
  if (!(value instanceof Misfit)) return value;
  const { pointer, complaint } = value;
  throw new Refusal(422, `${pointer === '' ? 'The body' : pointer} ${complaint}.`, { pointer });
}
