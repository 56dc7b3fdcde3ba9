import { loadConfiguration } from '../../reference-server/load-configuration.ts';
import { headerNames, mediaTypes } from '../../contract/names.ts';
import { routes } from '../../contract/routes.ts';

const userName = 'edda';
/** Tokens of the bundled identities that are known beforehand. */
export const administrator = { authorization: 'Bearer svcpat-cora-6f8b0d2e4a' };
export const editor = { authorization: 'Bearer svcpat-edda-7d1c0b9e5a' };
/** Base path of the files of a space. */
export const fileArea = '/api/space/main/fs/file';
/** Where documents of the bundled template are made. */
export const document = { spaceId: 'main', definitionId: 'Document', inputSchemaId: 'documentInput' };

/** What makes objects before the load starts, and knows the headers that every request needs. */
export class Client {
  readonly #url: string;
  readonly headers: Readonly<Record<string, string>>;

  private constructor(url: string, token: string) {
    this.#url = url;
    this.headers = {
      authorization: `Bearer ${token}`,
      [headerNames.informationFilter]: btoa('{}'),
    };
  }

  static async of(url: string): Promise<Client> {
    const { auth, users } = loadConfiguration();
    const password = users.get(userName)?.password ?? '';
    const response = await fetch(`${url}/auth/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`${auth.clientId}:${auth.clientSecret}`)}` },
      body: new URLSearchParams({ grant_type: 'password', username: userName, password }),
    });
    const { access_token } = (await response.json()) as { readonly access_token: string };
    return new Client(url, access_token);
  }

  /** A document with that many entries in `files`. Resolves with its id. */
  async createDocument(entries: number): Promise<string> {
    const files = Array.from({ length: entries }, (_, index) => ({ name: `file ${index}`, comment: 'as delivered' }));
    const answer = await this.send('POST', path(routes.create, document), { title: 'Measured', note: 'a note', files });
    return answer.headers.get('location')?.split('/').at(-1) ?? '';
  }

  /** @throws {Error} an answer other than 2xx */
  async send(
    method: string,
    target: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Response> {
    const answer = await fetch(this.#url + target, {
      method,
      headers: { ...this.headers, ...(body !== undefined && { 'content-type': mediaTypes.json }), ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${method} ${target}: ${answer.status} ${await answer.text()}`);
    return answer;
  }
}

/** A path template with its names filled in. */
export function path(template: string, values: Readonly<Record<string, string | number>>): string {
  return template.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ''));
}
