import { Area } from '../area.ts';
import { randomUUID } from 'node:crypto';
import { posix } from 'node:path';
import { headerNames, mediaTypes } from '../../contract/names.ts';
import type { Configuration } from '../configuration.ts';
import type { CallKind, Delivery, OutgoingRequest } from '../ports/deliveries.ts';
import { type Callee, type EndpointCallee, type ExtensionCallee, withParameter } from './callees.ts';
import type { Header } from './records.ts';
import type { Signing } from './signing.ts';
import type { Tokens } from './tokens.ts';

const methodsWithBody = ['POST', 'PUT', 'PATCH'];

/** Body of every call to an extension. Source: extensions, Call envelope */
interface Envelope {
  readonly id: string;
  readonly accessToken: string;
  readonly baseAddress: string;
  /** Base64 of a JSON object. */
  readonly informationFilter: string;
  readonly payload: unknown;
}

/** What marks a token that was issued for a call to the outside. */
const impersonation = 'impersonation';

/** What a task delivery holds; its links are made anew for each attempt, as one of them holds the token. */
export interface TaskPayload {
  /** In seconds. */
  readonly timeout: number;
  readonly jobSettings: object;
  readonly taskSettings: object;
  /** In the unmanaged files of the space. */
  readonly inputPath: string;
}

export interface TaskLink {
  readonly id: string;
  readonly method: string;
  readonly url: string;
}

interface Needs {
  readonly configuration: Configuration;
  readonly signing: Signing;
  readonly tokens: Tokens;
  readonly baseAddress?: () => string;
}

/** Requests to extensions and endpoints. */
export class Requests extends Area<Needs> {
  /** One attempt of a delivery. The token in it is issued for this attempt. Source: ledger token-on-retry */
  async requestFor(delivery: Delivery, callee: Callee, _attempt: number): Promise<OutgoingRequest> {
    if ('endpoint' in callee) return this.endpointRequest(delivery, callee);
    return this.extensionRequest(delivery, callee);
  }

  /** Signed, with the envelope. Source: extensions, Calls to extensions; Authentication 3 and 4 */
  async extensionRequest(delivery: Delivery, callee: ExtensionCallee): Promise<OutgoingRequest> {
    const token = await this.impersonationToken(delivery.userName, callee.extension.tokenLifeTime);
    const payload = this.payloadOf(delivery, token);
    const url = this.hasTokenQuery(delivery.kind)
      ? withParameter(callee.url, this.tokenParameter(delivery.kind), token)
      : callee.url;
    const headers = {
      ...this.needs.signing.signatureHeaders(callee.extension.apiKey, url),
      'Content-Type': `${mediaTypes.json}; charset=utf-8`,
      [headerNames.correlationId]: delivery.envelopeId,
    };
    const body = JSON.stringify(this.envelopeOf(delivery, token, payload));
    return { method: 'POST', url, headers, body, timeoutMs: callee.timeoutMs };
  }

  /** As configured; trusted ones get a token in the query. Source: extensions, Registered external endpoint and Registered trusted external endpoint */
  async endpointRequest(delivery: Delivery, callee: EndpointCallee): Promise<OutgoingRequest> {
    const method = callee.endpoint.method.toUpperCase();
    const body = endpointBody(method, delivery.payload);
    return {
      method,
      url: await this.endpointUrl(delivery, callee),
      headers: endpointHeaders(callee.endpoint.headers),
      ...(body === undefined ? {} : { body }),
      timeoutMs: callee.timeoutMs,
    };
  }

  async endpointUrl(delivery: Delivery, { endpoint }: EndpointCallee): Promise<string> {
    const [bare = ''] = endpoint.url.split('#', 1);
    if (endpoint.kind === 'externalEndpoint') return bare;
    const token = await this.impersonationToken(delivery.userName, endpoint.tokenLifeTime);
    return withParameter(bare, this.tokenParameter(delivery.kind), token);
  }

  private envelopeOf(delivery: Delivery, accessToken: string, payload: unknown): Envelope {
    const { envelopeId: id, informationFilter } = delivery;
    return { id, accessToken, baseAddress: this.baseAddressOf(), informationFilter, payload };
  }

  /** Where the outside reaches this service, without a slash at its end. Source: extensions, Call envelope, row baseAddress */
  private baseAddressOf(): string {
    const { configuration, baseAddress } = this.needs;
    const address = configuration.baseAddress ?? baseAddress?.();
    if (address === undefined)
      throw new Error('No base address: neither is one configured, nor does the server listen.');
    return address.replace(/\/+$/, '');
  }

  /**
   * A token that speaks for the user, with the rights of the user. Source: extensions, Authentication 4; ledger token-claims
   * @param lifeTimeMinutes tokenLifeTime of the registration
   */
  impersonationToken(userName: string, lifeTimeMinutes: number): Promise<string> {
    const iat = this.needs.tokens.secondsNow();
    const exp = iat + lifeTimeMinutes * 60;
    return this.needs.tokens.signClaims({ sub: userName, iat, exp, jti: randomUUID(), scope: impersonation });
  }

  /** Calls to extensions whose query has the token as well. Source: extensions, Calls to extensions; ledger token-query-other-types */
  hasTokenQuery(kind: CallKind): boolean {
    return kind === 'validation' || kind === 'task' || kind === 'email';
  }

  /** Name of the parameter that holds it. Source: ledger token-query-names */
  tokenParameter(_kind: CallKind): string {
    return 'access_token';
  }

  /** The payload as an attempt carries it. Source: extensions, Payloads by extension type */
  payloadOf(delivery: Delivery, token: string): unknown {
    if (delivery.kind !== 'task') return delivery.payload;
    const { inputPath, ...payload } = taskPayloadOf(delivery);
    return {
      ...payload,
      links: this.taskLinks(delivery.spaceId, delivery.envelopeId, inputPath, token),
    };
  }

  /**
   * What a task may call, absolute; `{path}` and `{status}` are for it to fill in.
   * Source: extensions, External task links; ledger task-link-templates
   */
  taskLinks(spaceId: string, jobId: string, inputPath: string, token: string): readonly TaskLink[] {
    const space = `${this.baseAddressOf()}/api/space/${encodeURIComponent(spaceId)}`;
    const files = `${space}/fs/file`;
    const job = `${space}/dx/${encodeURIComponent(jobId)}`;
    const file = inputPath.split('/').filter(Boolean).map(encodeURIComponent).join('/');
    const directory = posix.dirname(file) === '.' ? '' : `/${posix.dirname(file)}`;
    return [
      { id: 'inputDir', method: 'GET', url: `${space}/fs/dir${directory}` },
      { id: 'inputFile', method: 'GET', url: `${files}/${file}?token=${token}` },
      { id: 'taskStatus', method: 'PUT', url: `${job}/status/{status}` },
      { id: 'taskProgress', method: 'PUT', url: `${job}/progress` },
      { id: 'uploadFileStream', method: 'POST', url: `${files}/stream${directory}` },
      { id: 'uploadFile', method: 'POST', url: files },
      { id: 'content', method: 'GET', url: `${files}/{path}` },
      { id: 'downloadFile', method: 'GET', url: `${files}/{path}?token=` },
    ];
  }
}

/** Names that are given twice are joined as HTTP does. Source: RFC 9110 section 5.3 */
function endpointHeaders(configured: readonly Header[]): Readonly<Record<string, string>> {
  const headers = new Map<string, Header>();
  for (const { name, value } of configured) {
    const former = headers.get(name.toLowerCase());
    headers.set(
      name.toLowerCase(),
      former === undefined ? { name, value } : { name: former.name, value: `${former.value}, ${value}` },
    );
  }
  return Object.fromEntries(headers.values().map(({ name, value }) => [name, value]));
}

/** The configured content and nothing else, a text as it is. Source: extensions, text below Registered external endpoint; ledger endpoint-body-and-query */
function endpointBody(method: string, content: unknown): string | undefined {
  if (!methodsWithBody.includes(method) || content === undefined) return undefined;
  return typeof content === 'string' ? content : JSON.stringify(content);
}

/** Decoder of what the trigger of a task put into its delivery. */
function taskPayloadOf({ payload }: Delivery): TaskPayload {
  return payload as TaskPayload;
}
