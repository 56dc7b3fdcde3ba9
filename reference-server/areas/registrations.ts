import { Area } from '../area.ts';
import { randomUUID } from 'node:crypto';
import { base64 } from '../../contract/base64.ts';
import { defaultExecutionsPerMinute, defaultRequestTimeoutSeconds } from '../../contract/limits.ts';
import { mediaTypes } from '../../contract/names.ts';
import type { Answer, Call, UserCall } from '../http/call.ts';
import { Refusal } from '../http/refusal.ts';
import { type FoundContent, type Route, callingRoute, readingRoute, writingRoute } from '../http/route.ts';
import type { Clock } from '../../clock/clock.ts';
import type { Reading, Store, Writing } from '../ports/store.ts';
import type { Caching } from './caching.ts';
import type { DeliveryLog } from './delivery-log.ts';
import type { DeliveryQueue } from './delivery-queue.ts';
import type { Metadata, MetadataAnswer } from './metadata.ts';
import {
  type Decoder,
  type EndpointBody,
  type EndpointFields,
  type Extension,
  type ExtensionBody,
  type ExtensionFields,
  type Header,
  Misfit,
  type Registration,
  type RegistrationKind,
  type SimpleEndpoint,
  type TrustedEndpoint,
  type TrustedEndpointBody,
  type TrustedEndpointFields,
  decoderOf,
  endpointSchema,
  extensionSchema,
  trustedEndpointSchema,
} from './records.ts';
import { dropRegistration, keepRegistration, registrationOf, registrationsOf } from './registry.ts';

type EndpointKind = Exclude<RegistrationKind, 'svcExtension'>;

type Endpoint = SimpleEndpoint | TrustedEndpoint;

type ExtensionCall = UserCall & { readonly json: ExtensionFields };

const decodeEndpoint = decoderOf<EndpointBody>(endpointSchema);

const decodeTrustedEndpoint = decoderOf<TrustedEndpointBody>(trustedEndpointSchema);

const decodeExtension = decoderOf<ExtensionBody>(extensionSchema);

/** Fewer bytes are guessed too easily. Source: ledger signature-key-format */
const fewestKeyBytes = 16;

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** Those that a connection sets for itself; RFC 9110 sections 7.6.1 and 8.6 */
const headersOfTheConnection = [
  'connection',
  'content-length',
  'expect',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];

/** A header that may well be a key is named without its value. */
const secretHeader = /auth|cookie|key|token|secret|password|signature|credential/i;

interface Needs {
  readonly clock: Clock;
  readonly store: Store;
  readonly caching: Caching;
  readonly deliveryLog: DeliveryLog;
  readonly metadata: Metadata;
  readonly queue: DeliveryQueue;
}

/** Registrations of extensions and endpoints. */
export class Registrations extends Area<Needs> {
  routes(): readonly Route[] {
    return [
      ...this.routesOfEndpoints('externalEndpoint'),
      ...this.routesOfEndpoints('trustedExternalEndpoint'),
      ...this.routesOfAll('svcExtension'),
      callingRoute({
        method: 'POST',
        path: registrationPath('svcExtension'),
        access: 'collection',
        effect: 'outside',
        needs: { mediaTypes: [mediaTypes.json], json: (json) => this.extensionFrom(json) },
        handle: (call) => this.createExtension(call),
      }),
      callingRoute({
        method: 'PUT',
        path: `${registrationPath('svcExtension')}/{id}`,
        access: 'collection',
        effect: 'outside',
        needs: {
          place: (call: Call, reading) => locateRegistration(call, reading, 'svcExtension'),
          mediaTypes: [mediaTypes.json],
          json: (json) => this.extensionFrom(json),
        },
        handle: (call) => this.putExtension(call),
      }),
    ];
  }

  private routesOfEndpoints(kind: EndpointKind): readonly Route[] {
    return [
      ...this.routesOfAll(kind),
      writingRoute({
        method: 'POST',
        path: registrationPath(kind),
        access: 'collection',
        effect: 'write',
        needs: { mediaTypes: [mediaTypes.json], json: (json) => this.endpointOf(json, kind) },
        handle: (call, writing) => this.createEndpoint(call, writing),
      }),
      writingRoute({
        method: 'PUT',
        path: `${registrationPath(kind)}/{id}`,
        access: 'collection',
        effect: 'write',
        needs: {
          place: (call: Call, reading) => locateRegistration(call, reading, kind),
          mediaTypes: [mediaTypes.json],
          json: (json) => this.endpointOf(json, kind),
        },
        handle: (call, writing) => this.putEndpoint(call, writing),
      }),
    ];
  }

  private routesOfAll(kind: RegistrationKind): readonly Route[] {
    return [
      readingRoute({
        method: 'GET',
        path: registrationPath(kind),
        access: 'collection',
        effect: 'read',
        needs: {},
        handle: (call, reading) => this.listRegistrations(call, reading, kind),
      }),
      readingRoute({
        method: 'GET',
        path: `${registrationPath(kind)}/{id}`,
        access: 'collection',
        effect: 'read',
        needs: { place: (call: Call, reading) => locateRegistration(call, reading, kind) },
        handle: (call) => this.readRegistration(call),
      }),
      writingRoute({
        method: 'DELETE',
        path: `${registrationPath(kind)}/{id}`,
        access: 'collection',
        effect: 'write',
        needs: { place: (call: Call, reading) => locateRegistration(call, reading, kind) },
        handle: (call, writing) => this.deleteRegistration(call, writing),
      }),
    ];
  }

  /** POST of an endpoint. @throws {Refusal} 409 for an id that is taken */
  async createEndpoint({ json: endpoint }: { readonly json: Endpoint }, writing: Writing): Promise<Answer> {
    await this.assertFreeId(writing, endpoint.id);
    await keepRegistration(writing, endpoint);
    return createdAnswer(endpoint.kind, endpoint.id);
  }

  /** @throws {Refusal} 409. Source: ledger registration-duplicates */
  private async assertFreeId(reading: Reading, id: string): Promise<void> {
    if ((await registrationOf(reading, id)) === undefined) return;
    throw new Refusal(409, `There is an endpoint ${id} already: change that one, or choose another id.`, {
      pointer: '/id',
    });
  }

  /** PUT of a whole endpoint; its id stays. */
  private async putEndpoint(
    { place: former, json: endpoint }: FoundContent<Registration, Endpoint>,
    writing: Writing,
  ): Promise<Answer> {
    if (endpoint.id !== former.id) throw invalid('/id', `must be that of the path, ${former.id}`);
    await keepRegistration(writing, { ...endpoint, registeredAt: former.registeredAt });
    await this.needs.queue.resumeDeliveries(writing, former.id);
    return { status: 200, body: { id: endpoint.id } };
  }

  /** As it would be registered now. */
  private endpointOf(body: unknown, kind: EndpointKind): Endpoint {
    const registeredAt = this.needs.clock.now();
    if (kind === 'externalEndpoint') return { ...this.endpointFrom(body), kind, registeredAt };
    return { ...this.trustedEndpointFrom(body), kind, registeredAt };
  }

  private async readRegistration(call: Call & { readonly place: Registration }): Promise<Answer> {
    return this.needs.caching.conditional(call, { status: 200, body: registrationOut(call.place) });
  }

  private async listRegistrations(call: Call, reading: Reading, kind: RegistrationKind): Promise<Answer> {
    const registrations = await registrationsOf(reading, kind);
    const data = registrations.map((registration) => registrationOut(registration));
    return this.needs.caching.conditional(call, { status: 200, body: { href: registrationPath(kind), data } });
  }

  private async deleteRegistration(
    { place: former }: { readonly place: Registration },
    writing: Writing,
  ): Promise<Answer> {
    await dropRegistration(writing, former);
    await this.needs.queue.resumeDeliveries(writing, former.id);
    return { status: 204 };
  }

  /** POST of an extension, answered when its metadata is there, or is known not to be had. Source: extensions, Metadata exchange; ledger metadata-fetch-timing */
  async createExtension(call: ExtensionCall): Promise<Answer> {
    const { json: fields } = call;
    const metadata = await this.needs.metadata.fetchMetadata(fields, call.correlationId);
    const fresh: Extension = {
      ...fields,
      kind: 'svcExtension',
      id: randomUUID(),
      registeredAt: this.needs.clock.now(),
      records: [],
    };
    await this.needs.store.change(async (writing) => {
      await keepRegistration(writing, this.informExtension(fresh, metadata));
      await this.logComplaints(call, writing, fields, metadata);
    });
    return { ...createdAnswer('svcExtension', fresh.id), body: withWarning({ id: fresh.id }, metadata) };
  }

  /** PUT of an extension; the records that it had stay when the metadata cannot be had. */
  async putExtension(call: ExtensionCall): Promise<Answer> {
    const { json: fields } = call;
    const metadata = await this.needs.metadata.fetchMetadata(fields, call.correlationId);
    const id = await this.needs.store.change(async (writing) => {
      // it may be gone since it was asked about its metadata
      const former = await locateRegistration(call, writing, 'svcExtension');
      const next = this.informExtension({ ...former, ...fields }, metadata);
      await keepRegistration(writing, next);
      await this.logComplaints(call, writing, fields, metadata);
      await this.needs.queue.resumeDeliveries(writing, former.id);
      return former.id;
    });
    return { status: 200, body: withWarning({ id }, metadata) };
  }

  private informExtension(extension: Extension, metadata: MetadataAnswer): Extension {
    if ('warning' in metadata) return extension;
    return { ...extension, records: this.needs.metadata.recordsInForce(extension.records, metadata.records) };
  }

  /** Source: ledger metadata-invalid-record */
  private async logComplaints(
    call: Call,
    writing: Writing,
    { hostUri: endpoint }: ExtensionFields,
    metadata: MetadataAnswer,
  ): Promise<void> {
    const messages = 'warning' in metadata ? [metadata.warning] : metadata.complaints;
    for (const message of messages) {
      const entry = {
        at: this.needs.clock.now(),
        kind: 'metadata',
        envelopeId: call.correlationId,
        endpoint,
        message,
      } as const;
      await this.needs.deliveryLog.logEntry(writing, entry);
    }
  }

  /** Source: extensions, Registered external endpoint (simple). @throws {Refusal} 400 */
  endpointFrom(body: unknown): EndpointFields {
    return this.withDefaults(this.checked(decoded(decodeEndpoint, body)));
  }

  /** Source: extensions, Registered trusted external endpoint. @throws {Refusal} 400 */
  trustedEndpointFrom(body: unknown): TrustedEndpointFields {
    const { tokenLifeTime, permissions, ...endpoint } = this.checked(decoded(decodeTrustedEndpoint, body));
    return { ...this.withDefaults(endpoint), tokenLifeTime, ...(permissions === undefined ? {} : { permissions }) };
  }

  /** Source: extensions, Registered extension. @throws {Refusal} 400 */
  extensionFrom(body: unknown): ExtensionFields {
    const { hostUri, apiKey, tokenLifeTime, active } = decoded(decodeExtension, body);
    const url = requireUrl(hostUri, '/hostUri');
    if (url.search !== '' || url.hash !== '')
      throw invalid('/hostUri', 'must be a base URL, without query and fragment');
    requireKey(apiKey);
    return { hostUri, apiKey, tokenLifeTime, active: active ?? activeByDefault('svcExtension') };
  }

  /** What the schema cannot say about an endpoint. */
  private checked<B extends EndpointBody>(body: B): B {
    requireUrl(body.url, '/url');
    requireMethod(body.method);
    this.requireHeaders(body.headers);
    return body;
  }

  /** Fields that the document does not name end here. */
  private withDefaults(body: EndpointBody): EndpointFields {
    const { id, url, method, category, headers, name, description } = body;
    return {
      id,
      url,
      method,
      category,
      headers: headers.map((header) => ({ name: header.name, value: header.value })),
      active: body.active ?? activeByDefault('externalEndpoint'),
      requestTimeout: body.requestTimeout ?? defaultRequestTimeoutSeconds,
      retryForever: body.retryForever ?? false,
      rateLimitNumberOfExecutions: body.rateLimitNumberOfExecutions ?? defaultExecutionsPerMinute,
      ...(name === undefined ? {} : { name }),
      ...(description === undefined ? {} : { description }),
    };
  }

  /** @throws {Refusal} 400 unless one of them is the content type */
  requireHeaders(headers: readonly Header[]): void {
    const names = headers.map(({ name }) => name.toLowerCase());
    const foreign = names.findIndex((name) => headersOfTheConnection.includes(name));
    if (foreign >= 0) throw invalid(`/headers/${foreign}/name`, 'must not be a header that the connection sets');
    const types = names.filter((name) => name === 'content-type').length;
    if (types !== 1) throw invalid('/headers', `must define content-type once, found it ${types} times`);
  }
}

/** The registration that the path names. @throws {Refusal} 404, also for one of another kind */
async function locateRegistration<K extends RegistrationKind>(
  { params: { id = '' } }: Call,
  reading: Reading,
  kind: K,
): Promise<Extract<Registration, { readonly kind: K }>> {
  const registration = await registrationOf(reading, id);
  if (registration !== undefined && isOf(registration, kind)) return registration;
  throw new Refusal(404, `There is no ${kind} ${id}.`, { pointer: 'id' });
}

/** Where registrations of a kind are. Source: extensions, Registration routes; ledger registration-read-update-delete */
function registrationPath(kind: RegistrationKind): string {
  return `/api/admin/${kind}`;
}

function createdAnswer(kind: RegistrationKind, id: string): Answer {
  return { status: 201, headers: { Location: `${registrationPath(kind)}/${encodeURIComponent(id)}` }, body: { id } };
}

function isOf<K extends RegistrationKind>(
  registration: Registration,
  kind: K,
): registration is Extract<Registration, { readonly kind: K }> {
  return registration.kind === kind;
}

function withWarning(body: object, metadata: MetadataAnswer): object {
  return 'warning' in metadata ? { ...body, warning: metadata.warning } : body;
}

function decoded<T>(decode: Decoder<T>, body: unknown): T {
  const value = decode(body);
  if (value instanceof Misfit) throw invalid(value.pointer, value.complaint);
  return value;
}

/** Source: extensions, Registered external endpoint and Registered extension, row active */
function activeByDefault(_kind: 'externalEndpoint' | 'svcExtension'): boolean {
  return true;
}

/** @throws {Refusal} 400 for what is no Base64, or a key too short */
function requireKey(apiKey: string): void {
  if (!base64.test(apiKey)) throw invalid('/apiKey', 'must be Base64 with padding');
  if (Buffer.from(apiKey, 'base64').length < fewestKeyBytes)
    throw invalid('/apiKey', `must be Base64 of ${fewestKeyBytes} bytes or more`);
}

/** @throws {Refusal} 400 */
function requireMethod(method: string): void {
  if (!methods.includes(method.toUpperCase())) throw invalid('/method', `must be one of ${methods.join(', ')}`);
}

function requireUrl(text: string, pointer: string): URL {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) throw invalid(pointer, 'must be an http or https URL');
  if (url.username !== '' || url.password !== '') throw invalid(pointer, 'must hold no user name and no password');
  return url;
}

/** @param pointer JSON Pointer to the culprit in the body */
function invalid(pointer: string, complaint: string): Refusal {
  return new Refusal(400, `${pointer === '' ? 'The body' : pointer} ${complaint}.`, { pointer });
}

/** A registration as it is read: without what only its registrar may know. Source: ledger registration-responses */
function registrationOut(registration: Registration): object {
  if (registration.kind === 'svcExtension') {
    const { kind: _kind, registeredAt: _at, apiKey: _secret, ...shown } = registration;
    return shown;
  }
  const { kind: _kind, registeredAt: _at, headers, ...shown } = registration;
  return {
    ...shown,
    headers: headers.map(({ name, value }) => (secretHeader.test(name) ? { name } : { name, value })),
  };
}
