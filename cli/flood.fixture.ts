import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { listen, type Listening } from '../fixtures/listening.fixture.ts';
import { jsonOf } from '../contract/json.ts';
import { everyForm } from '../judge/redact/redact.fixture.ts';

/** What a terminal would act upon, in front of what is sent back. */
const controls = '\u009b31m\u001b[2J\u001b]0;title\u0007';

/** So much of it in one answer: what is shown of one is cut. */
const atOnce = 8;

const between = ' | ';

const mostInHeader = 2000;

/** Length of the text by whose first characters a place is looked up. */
const beginning = 6;

/** What was sent back and may not be seen. */
interface Sent {
  readonly secret: string;
  readonly form: string;
  readonly text: string;
}

/** Everything that a hostile target knows, sent back a piece at a time, so that each piece stands where nothing is cut off. */
export class Flood {
  readonly #sent: Sent[] = [];
  readonly #secrets = new Set<string>();
  #next = 0;
  #grants = 0;

  readonly #own: readonly string[];

  constructor(secrets: readonly string[]) {
    this.#own = secrets;
    this.forget();
  }

  /** Leaves what was given since: a run that begins was never told of it. */
  forget(): void {
    this.#sent.length = 0;
    this.#next = 0;
    this.#secrets.clear();
    for (const secret of this.#own) this.know(secret);
  }

  /** What is known now is sent back next. */
  know(secret: string): string {
    if (this.#secrets.has(secret)) return secret;
    this.#secrets.add(secret);
    this.#sent.splice(this.#next, 0, ...everyForm(secret).map((written) => ({ secret, ...written })));
    return secret;
  }

  /** A secret of its own for each, as long as there are not too many to look for. */
  given(kind: string): string {
    this.#grants = (this.#grants + 1) % 12;
    return this.know(`${kind}-5ecret/${this.#grants}-${kind.length * 7919}`);
  }

  /** The next pieces. */
  piece(): string {
    const texts = Array.from(
      { length: atOnce },
      (_, further) => this.#sent[(this.#next + further) % this.#sent.length]?.text ?? '',
    );
    this.#next = (this.#next + atOnce) % this.#sent.length;
    return `${controls}${texts.join(between)}`;
  }

  /** What of all that stands in what has left the process; of long secrets the beginning counts as well, which a cut leaves. */
  leaksIn(left: ReadonlyMap<string, string>): readonly string[] {
    const cuts = [...this.#secrets].flatMap((secret) =>
      secret.length < 16 || secret.startsWith('eyJ')
        ? []
        : [{ secret, form: 'cut', text: secret.slice(0, Math.ceil(secret.length * 0.7)) }],
    );
    const byBeginning = Map.groupBy([...this.#sent, ...cuts], ({ text }) => text.slice(0, beginning));
    return [...left].flatMap(([name, text]) => {
      const found = new Set<string>();
      for (let at = 0; at < text.length; at += 1)
        for (const sent of byBeginning.get(text.slice(at, at + beginning)) ?? [])
          if (text.startsWith(sent.text, at)) found.add(`${name}: ${sent.secret}, ${sent.form}`);
      return [...found];
    });
  }
}

/** A target that answers nothing but what it was told. */
export async function startReflecting(flood: Flood, refusesGrants: () => boolean): Promise<Listening> {
  return listen(
    createServer((incoming, outgoing) => {
      incoming.resume();
      const cookies = { 'set-cookie': `sid=${flood.given('c00kie')}; HttpOnly` };
      if (incoming.url?.includes('token') === true && !refusesGrants()) {
        outgoing.writeHead(200, { 'content-type': 'application/json', ...cookies });
        const granted = { access_token: flood.given('acce55'), refresh_token: flood.given('refre5h') };
        outgoing.end(JSON.stringify({ ...granted, expires_in: 300 }));
        return;
      }
      outgoing.writeHead(500, { 'content-type': 'text/plain', ...cookies });
      outgoing.end(flood.piece());
    }),
  );
}

/** Stands in front of a target that is right, and sends back what it was told beside, and now and then in the place of, what that answers. */
export async function startReflectingBefore(target: string, flood: Flood): Promise<Listening> {
  const { hostname, port } = new URL(target);
  let asked = 0;
  return listen(
    createServer((incoming, outgoing) => {
      const { method, url = '', headers } = incoming;
      const onwards = request(
        { hostname, port, method, path: url, headers: { ...headers, connection: 'close' } },
        (answer) => void answered(answer, outgoing, url),
      );
      onwards.on('error', () => outgoing.destroy());
      incoming.pipe(onwards);
    }),
  );

  async function answered(answer: IncomingMessage, outgoing: ServerResponse, url: string): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of answer) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    asked += 1;
    const {
      'content-length': _length,
      'transfer-encoding': _chunked,
      connection: _connection,
      ...headers
    } = answer.headers;
    const further = { 'set-cookie': `sid=${flood.given('c00kie')}`, 'x-told': headerText(flood.piece()) };
    const json = jsonOf(body.toString());
    for (const name of ['access_token', 'refresh_token', 'apiKey', 'apiSecret', 'key', 'secret']) {
      const value: unknown = typeof json === 'object' && json !== null ? Reflect.get(json, name) : undefined;
      if (typeof value === 'string' && value.length > 8) flood.know(value);
    }
    const status = answer.statusCode ?? 500;
    if (!url.startsWith('/_') && (status >= 400 || (asked > 200 && asked % 5 === 0 && !url.includes('token')))) {
      outgoing.writeHead(status >= 400 ? status : 500, { 'content-type': 'text/plain; charset=utf-8', ...further });
      outgoing.end(flood.piece());
      return;
    }
    outgoing.writeHead(status, { ...headers, ...further, 'content-length': String(body.byteLength) });
    outgoing.end(body);
  }
}

/** As many whole texts as a header has room for: half a secret is none that anybody could know again. */
function headerText(piece: string): string {
  const texts = piece.replaceAll(/[^\x20-\x7e]/g, '').split(between);
  let length = 0;
  return texts.filter((text) => (length += text.length + between.length) <= mostInHeader).join(between);
}

/** Every file below a folder, and under a name of its own what it says once it is decoded. */
export function textsIn(folder: string, inputs: readonly string[] = []): ReadonlyMap<string, string> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (name) => !inputs.includes(name) && statSync(join(folder, name)).isFile(),
  );
  return new Map(
    files.flatMap((name) => {
      const text = readFileSync(join(folder, name), 'utf8');
      return [[name, text] as const, [`${name}, decoded`, decoded(text)] as const];
    }),
  );
}

/** The texts of JSON, or of lines of JSON, and what stands in a page. */
function decoded(text: string): string {
  const whole = jsonOf(text);
  const values = whole === undefined ? text.split('\n').map(jsonOf) : [whole];
  return [
    text.replaceAll(/&(?:amp|lt|gt|quot|#39);/g, (entity) => entities[entity] ?? entity),
    ...values.flatMap(stringsIn),
  ].join('\n');
}

const entities: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
};

function stringsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => [name, ...stringsIn(member)]);
}
