/** A document as it was read. */
export interface Document {
  readonly data: { readonly $oid: string; readonly title: string };
  readonly version: number;
}

/** An answer that is no success. */
export class ServiceError extends Error {
  readonly status: number;

  constructor(status: number, text: string) {
    super(`The service answered ${status}: ${text}`);
    this.status = status;
  }
}

/** A small client of the service: reads documents and renames them, whoever else edits them meanwhile. */
export class Client {
  readonly #space: string;
  readonly #logIn: () => Promise<string>;
  #token: string | undefined;

  constructor(url: string, logIn: () => Promise<string>) {
    this.#space = `${url}/api/space/main`;
    this.#logIn = logIn;
  }

  async read(oid: string): Promise<Document> {
    const answer = await this.#send('GET', `/softtype/${oid}`);
    return (await answer.json()) as Document;
  }

  /** Sets the title of a document that was read; reads it again where somebody was quicker. @throws {ServiceError} */
  async rename({ data, version }: Document, title: string, tries = 3): Promise<void> {
    const path = `/softtype/Document/documentInput/${data.$oid}`;
    try {
      await this.#send('PATCH', path, { title }, { 'Svc-UOIVersion': String(version) });
    } catch (error) {
      if (!(error instanceof ServiceError && error.status === 409 && tries > 1)) throw error;
      await this.rename(await this.read(data.$oid), title, tries - 1);
    }
  }

  async #send(method: string, path: string, body?: object, more: Record<string, string> = {}): Promise<Response> {
    const ask = async (): Promise<Response> => {
      this.#token ??= await this.#logIn();
      return fetch(this.#space + path, {
        method,
        headers: {
          Authorization: `Bearer ${this.#token}`,
          'Svc-InformationFilter': btoa('{}'),
          'Content-Type': 'application/json',
          ...more,
        },
        ...(body && { body: JSON.stringify(body) }),
      });
    };
    let answer = await ask();
    if (answer.status === 401) {
      this.#token = undefined;
      answer = await ask();
    }
    if (!answer.ok) throw new ServiceError(answer.status, await answer.text());
    return answer;
  }
}
