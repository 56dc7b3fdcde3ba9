import { randomBytes } from 'node:crypto';
import type { IdentityName, Profile } from '../../contract/profile.ts';
import type { Entry } from '../extension/entry.ts';
import { Listener } from '../extension/listener.ts';
import type { MetadataRecord } from '../extension/metadata.ts';
import type { ScriptFunction } from '../extension/script.ts';
import { Site } from '../extension/site.ts';
import type { Send } from './drive.ts';
import { fill, fillPath } from './fill.ts';
import type { Ground } from './ground.ts';
import { payload } from './journeys/extension-life.ts';
import { jsonHeaders } from './journeys/steps.ts';
import { PreparationFailed } from './preparation.ts';
import { jsonIn, lastSegment, objectIn, valueAt } from './results.ts';

/** The extension that events of the traffic are delivered to. */
export interface TrafficExtension extends AsyncDisposable {
  readonly trigger: NonNullable<Ground['trigger']>;
  /** Calls back with the marker of each event that arrives, and when it did. Returns what ends it. */
  watch(arrived: (marker: string, entry: Entry) => void): () => void;
}

/** An executions limit that traffic does not reach. */
const executionsPerMinute = 1_000_000;
const downStatuses = [501, 503, 500];
const record: MetadataRecord = {
  id: 'traffic-event',
  version: '1.0.0',
  name: 'Event of the traffic simulator',
  endpoint: '/event',
  extensionType: 'ExternalEvent',
  category: 'traffic',
  rateLimitNumberOfExecutions: executionsPerMinute,
};

/** Registers an extension of the simulator's own. Undefined where the profile does not say how, so that no events are triggered. @throws {PreparationFailed} */
export async function openTrafficExtension(profile: Profile, send: Send): Promise<TrafficExtension | undefined> {
  const { listener: place, triggers, space, identities } = profile;
  const bound = triggers?.event;
  // traffic plays a trigger as one step
  const template = Array.isArray(bound) ? undefined : bound;
  if (
    place === undefined ||
    template === undefined ||
    identities.administrator === undefined ||
    !isMethod(template.method)
  )
    return undefined;
  const { method } = template;
  const apiKey = randomBytes(64).toString('base64');
  const listener = await new Listener({ ...addressOf(place.bind), tls: place.tls }).listen();
  listener.mount(new Site('', { apiKey, records: [record], script: failNowAndThen() }));
  try {
    const registrationId = await register(profile, send, {
      hostUri: place.publicUrl.replace('{port}', String(listener.port)),
      apiKey,
      tokenLifeTime: 60,
    });
    const values = { spaceId: space, recordId: record.id, registrationId };
    const headers = Object.entries(template.headers ?? {}).map(([name, value]) => [name, fillPath(value, values)]);
    const as: IdentityName = template.as ?? 'editor';
    return {
      trigger: {
        method,
        path: fillPath(template.path, values),
        as,
        headers: Object.fromEntries(headers),
        body: fill(template.body ?? {}, { ...values, payload }),
      },
      watch: (arrived) => listener.journal.watch((entry) => tell(entry, arrived)),
      [Symbol.asyncDispose]: async () => {
        await unregister(profile, send, registrationId);
        await listener.close();
      },
    };
  } catch (error) {
    await listener.close();
    throw error;
  }
}

/** Every third event is refused when it first comes, as by an extension that is down for a moment: the service has to try again. Source: extensions, Errors 4 */
function failNowAndThen(): ScriptFunction {
  const known = new Set<string>();
  return (entry) => {
    const marker = markerOf(entry);
    if (marker === undefined || known.has(marker)) return undefined;
    known.add(marker);
    return known.size % 3 === 0 ? { status: downStatuses[(known.size / 3) % downStatuses.length] ?? 503 } : undefined;
  };
}

function isMethod(method: string): method is 'POST' | 'PUT' {
  return method === 'POST' || method === 'PUT';
}

function addressOf(bind: string): { readonly host: string; readonly port: number } {
  const colon = bind.lastIndexOf(':');
  return { host: bind.slice(0, colon), port: Number(bind.slice(colon + 1)) };
}

async function register({ routes }: Profile, send: Send, body: object): Promise<string> {
  const { result } = await send({
    kind: 'http',
    op: 'register',
    method: 'POST',
    path: '/api/admin/svcExtension',
    as: 'administrator',
    headers: jsonHeaders,
    body: JSON.stringify(body),
  });
  const { registrationIdPath = '/id' } = routes ?? {};
  const told = valueAt(objectIn(result), registrationIdPath);
  const id = typeof told === 'string' || typeof told === 'number' ? String(told) : undefined;
  const found = routes?.registrationIdPath === undefined ? (lastSegment(result.headers['location']) ?? id) : id;
  if (result.status < 300 && found !== undefined) return found;
  throw new PreparationFailed(
    `The extension of the traffic could not be registered: expected 2xx and an id, found ${result.status} ${result.body.slice(0, 300)}. Take extension-life out of the mix, or mend listener, routes.registrationIdPath and identities.administrator in the profile.`,
  );
}

async function unregister({ routes }: Profile, send: Send, registrationId: string): Promise<void> {
  const template = routes?.registrationDelete;
  if (template === undefined) return;
  const path = fillPath(template.path, { kind: 'svcExtension', registrationId });
  await send({ kind: 'http', op: 'unregister', method: 'DELETE', path, as: template.as ?? 'administrator' });
}

/** An entry is told twice: when it arrives and when it ends. */
function tell(entry: Entry, arrived: (marker: string, entry: Entry) => void): void {
  const marker = entry.endedAt === undefined ? markerOf(entry) : undefined;
  if (marker !== undefined) arrived(marker, entry);
}

function markerOf({ kind, envelope }: Entry): string | undefined {
  const content = kind === 'event' ? parseContent(envelope?.payload?.['contentPayload']) : undefined;
  const marker: unknown = typeof content === 'object' && content !== null ? Reflect.get(content, 'marker') : undefined;
  return typeof marker === 'string' ? marker : undefined;
}

/** The payload as JSON, where the trigger has it inside a text. */
function parseContent(content: unknown): unknown {
  return typeof content === 'string' ? jsonIn({ body: content, headers: {}, status: 200 }) : content;
}
