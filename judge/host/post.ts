import type { ExtensionHostProfile } from '../../contract/profile/extension-host.ts';
import type { HttpClient, Sender } from '../client.ts';
import { TargetUnreachable } from '../client/failure.ts';
import { replyOf } from '../client/reply.ts';
import type { WireRequest } from '../client/wire.ts';
import type { Reply } from '../exchange.ts';
import type { Secrets } from '../redact.ts';
import type { HostChanges } from './host.ts';
import { joined } from './records.ts';
import { signatureOver } from './signature.ts';

/** Path of the metadata exchange below hostUri. Source: extensions, Metadata exchange */
export const metadataPath = 'svc/extension';

interface PostParts {
  readonly binding: ExtensionHostProfile;
  readonly client: HttpClient;
  /** Waits longer for answers. */
  readonly patient: HttpClient;
  readonly secrets: Secrets;
}

export interface PostOptions extends HostChanges {
  readonly patient?: boolean;
}

/** Makes and sends the requests to the host. */
export class Post {
  readonly #parts: PostParts;
  /** Whether the signed path holds the path of hostUri. */
  #withBasePath: boolean;

  constructor(parts: PostParts) {
    this.#parts = parts;
    this.#withBasePath = parts.binding.signatureIncludesBasePath ?? true;
  }

  get hostUri(): string {
    return this.#parts.binding.hostUri.replace(/\/+$/, '');
  }

  get metadataUrl(): string {
    return joined(this.hostUri, metadataPath);
  }

  /** The metadata exchange. Where hostUri has a path and the profile does not say whether it is signed, both forms are tried. */
  async discover(sender: Sender): Promise<Reply> {
    const reply = await this.send('GET', this.metadataUrl, {}, sender);
    const isTold =
      this.#parts.binding.signatureIncludesBasePath !== undefined || new URL(this.hostUri).pathname === '/';
    if (reply.status < 400 || isTold) return reply;
    this.#withBasePath = false;
    const other = await this.send('GET', this.metadataUrl, {}, sender);
    if (other.status >= 400) this.#withBasePath = true;
    return other.status < 400 ? other : reply;
  }

  signatureFor(url: string, apiKey: string = this.#parts.binding.apiKey): string {
    const signature = signatureOver(apiKey, this.#signedPath(url));
    if (apiKey === this.#parts.binding.apiKey) this.#parts.secrets.add('SIGNATURE', signature);
    return signature;
  }

  /** @throws {TargetUnreachable | ConnectionLost | NoAnswer} */
  async send(method: string, url: string, changes: PostOptions, sender: Sender): Promise<Reply> {
    const request = this.request(method, url, changes);
    const { client, patient } = this.#parts;
    const answer = await (changes.patient === true ? patient : client)
      .send(request, changes.fresh === true ? freshly(sender) : sender)
      .catch(told(this.hostUri));
    return replyOf(answer, url);
  }

  async sendAndLeave(url: string, body: string, sender: Sender): Promise<void> {
    await this.#parts.client.sendAndLeave(this.request('POST', url, { body }), sender);
  }

  request(method: string, url: string, { signature, scheme = 'Bearer', query, body }: HostChanges): WireRequest {
    const value = signature === undefined ? this.signatureFor(url) : signature;
    const headers: (readonly [string, string])[] = value === null ? [] : [['Authorization', `${scheme} ${value}`]];
    if (body !== undefined) headers.push(['Content-Type', 'application/json']);
    const separator = url.includes('?') ? '&' : '?';
    return {
      method,
      headers,
      url: query === undefined || query === null ? url : `${url}${separator}${query}`,
      ...(body !== undefined && { body: Buffer.from(body) }),
      signedPath: this.#signedPath(url),
    };
  }

  #signedPath(url: string): string {
    const [, path = '/'] = /^https?:\/\/[^/?#]+([^?#]*)/i.exec(url) ?? [];
    const base = new URL(this.hostUri).pathname.replace(/\/$/, '');
    return this.#withBasePath || !path.startsWith(`${base}/`) ? path : path.slice(base.length);
  }
}

function freshly(sender: Sender): Sender {
  return { ...sender, reuse: false, add: (sent) => sender.add(sent), retries: sender.retries };
}

function told(hostUri: string): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof TargetUnreachable)) throw error;
    const code = /\((\w+)\)/.exec(error.message)?.[1] ?? 'no connection';
    throw new TargetUnreachable(
      `nothing answers at ${hostUri} (${code}): start the extension host, or correct its address (--url, or extensionHost.hostUri of the profile)`,
    );
  };
}
