import { createHmac } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ControlledClock, controlledClock } from '../../clock/controlled.ts';
import type { Variant } from '../breaks.ts';
import { createVariant } from '../create-variant.ts';
import { restartServer } from '../restart.ts';

/** What a host answers; 200 with an empty object unless given. */
export interface HostAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Whether it never comes. */
  readonly never?: true;
}

/** A request at a host. */
interface Arrived {
  readonly method: string;
  /** Path with query. */
  readonly target: string;
  readonly body: string;
}

/** A service with a change, and hosts outside of which all is heard: who asks or is asked, when, and what is said. */
export interface Scene {
  readonly clock: ControlledClock;
  /** Address of the hosts; each is a path below it. */
  readonly hosts: string;
  /** A directory on the disk of the service. */
  readonly source: string;
  /** How hosts answer what is no metadata, from now on. */
  answer: (arrived: Arrived, count: number) => HostAnswer;
  /** What is answered for the metadata of a host, by its path. */
  readonly metadata: Map<string, HostAnswer>;
  /** A request of somebody of the seed; resolves with the body of the answer. A body that is no text is sent as JSON. */
  ask(
    who: string,
    method: string,
    path: string,
    body?: unknown,
    headers?: Headers,
  ): Promise<Readonly<Record<string, unknown>>>;
  /** Lets what was set off come, and time pass. */
  pass(seconds: number): Promise<void>;
  restart(): Promise<void>;
  /** Puts something down that no request shows. */
  note(what: string): void;
  /** Location of the last answer that had one. */
  lastLocation(): string;
}

type Headers = Readonly<Record<string, string>>;

interface Heard {
  readonly at: number;
  readonly path: string;
  readonly line: string;
}

export const administrationKey = Buffer.alloc(64, 9).toString('base64');

const startAt = Date.UTC(2030, 0, 1, 12);

const pats: Headers = {
  edda: 'svcpat-edda-7d1c0b9e5a',
  emil: 'svcpat-emil-2f8a6c4d1b',
  rita: 'svcpat-rita-9b3e7f5a2c',
  cora: 'svcpat-cora-6f8b0d2e4a',
};

/** How long what comes at once may take, in ms of real time. */
const soonMs = 5;

/** All that is heard while the scene is played to a service with the change. What is random has its number in the order of its coming. */
export async function heardIn(change: Variant, play: (scene: Scene) => Promise<void>): Promise<readonly string[]> {
  const clock = controlledClock({ startAt });
  const answers: string[] = [];
  const calls: Heard[] = [];
  const source = await mkdtemp(join(tmpdir(), 'svc-conformance-scene-'));
  const server = createVariant({ faults: [change], clock, control: true, administrationKey });
  const metadata = new Map<string, HostAnswer>();
  let count = 0;
  let location = '';
  const host = createServer((request, response) => void receive(request, response));
  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = '', url: target = '' } = request;
    const arrived = { method, target, body: await text(request) };
    const line = said(['called', at(clock), method, target, headersOf(request.rawHeaders), arrived.body]);
    calls.push({ at: at(clock), path: target.split('?', 1)[0] ?? '', line });
    const base = /^(.*)\/svc\/extension$/.exec(target)?.[1];
    const {
      status = 200,
      headers = {},
      body = '{}',
      never,
    } = base === undefined ? scene.answer(arrived, (count += 1)) : (metadata.get(base) ?? { body: '[]' });
    if (never !== true) response.writeHead(status, headers).end(body);
  };
  await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
  const hosts = `http://127.0.0.1:${(host.address() as AddressInfo).port}`;
  const url = await server.listen();
  const scene: Scene = {
    clock,
    hosts,
    source,
    metadata,
    answer: () => ({}),
    ask: async (who, method, path, body, more = {}) => {
      const headers = {
        authorization: `Bearer ${pats[who]}`,
        'content-type': 'application/json',
        'svc-informationfilter': 'e30=',
        ...more,
      };
      const sent = typeof body === 'string' || body instanceof FormData ? body : JSON.stringify(body);
      if (body instanceof FormData) Reflect.deleteProperty(headers, 'content-type');
      const answer = await fetch(url + path, { method, headers, ...(sent !== undefined && { body: sent }) });
      const content = await answer.text();
      location = answer.headers.get('location') ?? location;
      answers.push(said(['answered', method, path, answer.status, tellingOf(answer.headers), content]));
      return Object(jsonOf(content));
    },
    pass: async (seconds) => {
      await sleep(soonMs);
      await clock.advanceBy(0);
      await clock.advanceBy(seconds * 1000);
      await sleep(soonMs);
      await clock.advanceBy(0);
    },
    restart: async () => void (await restartServer(url, { authorization: `Bearer ${server.controlToken}` })),
    lastLocation: () => location,
    note: (what) => void answers.push(said(['noted', what])),
  };
  try {
    await play(scene);
    // calls of one moment come in any order
    const called = calls.toSorted((one, other) => one.at - other.at || one.path.localeCompare(other.path));
    const heard = [...called.map(({ line }) => line), ...answers];
    return numbered(
      heard.map((line) => line.replaceAll(url, 'service').replaceAll(hosts, 'hosts').replaceAll(source, 'source')),
    );
  } finally {
    host.close();
    host.closeAllConnections();
    await server.close();
    await rm(source, { recursive: true });
  }
}

export function signatureOver(path: string): string {
  return createHmac('sha512', Buffer.from(administrationKey, 'base64')).update(path).digest('base64url');
}

/** Names and contents of the files in a directory. */
export async function filesIn(directory: string): Promise<string> {
  const names = (await readdir(directory)).toSorted();
  return JSON.stringify(
    await Promise.all(names.map(async (name) => [name, await readFile(join(directory, name), 'utf8')])),
  );
}

export async function putFiles(directory: string, files: Headers): Promise<void> {
  for (const [name, content] of Object.entries(files)) await writeFile(join(directory, name), content);
}

/** Headers but those of the connection; of a tag, that there is one. */
function tellingOf(headers: Iterable<[string, string]>): readonly (readonly [string, string])[] {
  const telling = [...headers].filter(([name]) => !/^(?:date|connection|keep-alive|content-length)$/.test(name));
  return telling.map(([name, value]) => [name, name === 'etag' ? 'there' : value]);
}

function said(parts: readonly unknown[]): string {
  return JSON.stringify(parts);
}

/** In seconds from the start. */
function at(clock: ControlledClock): number {
  return (clock.now() - startAt) / 1000;
}

function headersOf(raw: readonly string[]): Headers {
  const pairs = raw.flatMap((name, index) => (index % 2 === 0 ? [[name, raw[index + 1] ?? ''] as const] : []));
  return Object.fromEntries(pairs.filter(([name]) => !/^(?:host|content-length)$/i.test(name)));
}

/** What is made up at random gets the number of its first coming; a token also tells the names of its claims. */
function numbered(lines: readonly string[]): readonly string[] {
  const known = new Map<string, number>();
  const numberOf = (random: string): number => known.get(random) ?? known.set(random, known.size).size - 1;
  return lines.map((line) =>
    line
      // the disk has a time of its own
      .replaceAll(/202\d-\d\d-\d\dT[\d:.]+Z/g, 'some time')
      .replaceAll(
        /eyJ[\w-]+\.([\w-]+)\.[\w-]+/g,
        (token, claims: string) => `token ${numberOf(token)} of ${namesIn(claims)}`,
      )
      .replaceAll(
        /[\dA-Fa-f]{8}(?:-[\dA-Fa-f]{4}){3}-[\dA-Fa-f]{12}/g,
        (id) => `${id === id.toLowerCase() ? 'id' : 'ID'} ${numberOf(id)}`,
      )
      .replaceAll(/[\w+/]{86}==/g, (key) => `key ${numberOf(key)}`),
  );
}

function namesIn(claims: string): string {
  return Object.keys(JSON.parse(Buffer.from(claims, 'base64url').toString())).join(', ');
}

function jsonOf(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    return content;
  }
}
