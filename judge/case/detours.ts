import { headerNames, mediaTypes } from '../../contract/names.ts';
import type { CaseContext } from '../case.ts';
import { isSuccess, type Reply, type RequestSpec, statedHeader } from '../exchange.ts';
import { isObject } from '../json.ts';
import { versionOf } from '../service/answers.ts';
import { operationsOf, resultsOf } from '../service/batch.ts';
import { readCreated } from '../service/multi-create.ts';
import type { BoundProfile } from '../profile.ts';
import type { Thing } from '../things.ts';
import { mayReaderWrite } from '../service/roles.ts';
import { PreconditionFailed } from '../violation.ts';
import { lastSegment } from '../service/requests.ts';
import { typeOfContent } from '../service/writes.ts';
import { type Draw, openDraw } from './draw.ts';
import type { DetourLog, Detouring, Send } from './detour-log.ts';
import { reading } from './part.ts';
import { goStraight, isGoingStraight } from './straight.ts';

/** One of so many reads takes a detour, and one of so many writes. */
const oneReadIn = 16;
const oneWriteIn = 4;

interface Detour {
  /** Whether it is drawn less often than others. */
  readonly isRare?: true;
  readonly isOpenTo: (spec: RequestSpec, context: CaseContext) => boolean;
  readonly take: (spec: RequestSpec, send: Send, context: CaseContext, draw: Draw) => Promise<Reply>;
}

/** A detour does not come to the same here: what had to be refused was not, or what it is told by is missing. */
class NoDetour extends Error {}

/**
 * Sends some requests of a case, chosen by lot, another way that comes to the same: behind one like it that is refused, which changes nothing,
 * and as an operation of a batch. Source: core, Errors rules 1 and 2; Access levels; Batch rules; Batch result
 */
export class Detours implements Detouring {
  readonly #context: () => CaseContext;
  readonly #log: DetourLog;
  readonly #closed: number;
  readonly #draw: Draw;

  /** @param log where those are known that this service, or its profile, has something against */
  constructor(context: () => CaseContext, log: DetourLog, seed: number, name: string) {
    this.#context = context;
    this.#log = log;
    // the same where the run is played again
    this.#closed = reading('closed detours', () => log.closed);
    this.#draw = openDraw(seed, `${name} detours`);
  }

  async send(spec: RequestSpec, send: Send): Promise<Reply> {
    const detour = isGoingStraight() ? undefined : this.#drawFor(spec);
    if (detour === undefined) return send(spec);
    try {
      return await goStraight(() => detour.take(spec, send, this.#context(), this.#draw));
    } catch (error) {
      if (!(error instanceof NoDetour || error instanceof PreconditionFailed)) throw error;
      this.#log.closed |= 1 << detours.indexOf(detour);
      throw new NoDetour(error.message);
    }
  }

  #drawFor(spec: RequestSpec): Detour | undefined {
    if (!isOfData(spec) || hasFurtherHeaders(spec)) return undefined;
    const open = detours.filter(
      (one, index) => (this.#closed & (1 << index)) === 0 && one.isOpenTo(spec, this.#context()),
    );
    const [first, ...others] = open.flatMap((one) => (one.isRare === true ? [one] : [one, one, one]));
    if (first === undefined) return undefined;
    const oneIn = spec.method === 'GET' ? oneReadIn : oneWriteIn;
    const straight = Array.from({ length: oneIn - 1 }, () => undefined);
    return this.#draw<Detour | undefined>([this.#draw([first, ...others]), ...straight]);
  }
}

const editing: ReadonlySet<string> = new Set(['PUT', 'PATCH']);

const detours: readonly Detour[] = [
  {
    // who meets too many of them may be locked out
    isRare: true,
    ...behindRefused(
      ({ as }) => as !== null,
      (spec) => ({ ...spec, headers: { ...spec.headers, Authorization: 'Bearer of.no.one' } }),
    ),
  },
  behindRefused(
    ({ method, as }, { profile }) =>
      method !== 'GET' &&
      as === 'editor' &&
      profile.all.identities.reader !== undefined &&
      !mayReaderWrite(profile.all),
    (spec) => ({ ...spec, as: 'reader' }),
  ),
  behindRefused(isEdit, (spec) => ({ ...spec, version: Number(spec.version) + 1000 })),
  behindRefused(isEdit, (spec) => ({ ...spec, version: null })),
  behindRefused(
    ({ body }) => isObject(body) || Array.isArray(body),
    (spec) => ({ ...spec, body: JSON.stringify(spec.body).slice(0, -1) }),
  ),
  behindRefused(
    ({ method, body }) => method === 'PATCH' && Array.isArray(body),
    (spec) => ({ ...spec, body: [...(spec.body as readonly unknown[]), { op: 'none', path: '/none' }] }),
  ),
  {
    isOpenTo: isOfBatch,
    take: async (spec, send, context) => {
      const operations = await operationsOf(context, [spec, ...readsOf(spec, context), noneOf(context)]);
      const reply = await send(askedAs(spec, context.service.requests.batch(operations)));
      if (reply.status !== 500) throw new NoDetour();
      return send(spec);
    },
  },
  { isOpenTo: isOfBatchAlone, take: (spec, send, context) => inBatch([spec], 0, send, context) },
  {
    isOpenTo: isOfBatchAlone,
    take: async (spec, send, context, draw) => {
      const { given, service } = context;
      const [beside = service.requests.read(await given.object())] = draw([readsOf(spec, context), []]);
      const place = draw([0, 1]);
      return inBatch(place === 0 ? [spec, beside] : [beside, spec], place, send, context);
    },
  },
  {
    isOpenTo: isOfMultiCreate,
    take: async (spec, send, context) => {
      const { profile, service } = context;
      const $softType = profile.primary.definitionId;
      const items = [{ $id: 'one', $softType, data: spec.body as Readonly<Record<string, unknown>> }];
      const reply = await send(askedAs(spec, service.requests.multiCreate(items)));
      // what it is refused for has to be told by the create itself
      if (!isSuccess(reply.status)) return send(spec);
      const [read] = await readCreated(context, reply, items);
      const version = read && versionOf(read);
      if (read === undefined || typeof version !== 'number') throw new NoDetour();
      return { ...reply, ...written({ status: 201, href: read.url, version }), isOfBatch: true };
    },
  },
];

/** @param refused what is sent before: the same, but for what it has to be refused for */
function behindRefused(isOpenTo: Detour['isOpenTo'], refused: (spec: RequestSpec) => RequestSpec): Detour {
  return {
    isOpenTo,
    take: async (spec, send) => {
      const { status } = await send(refused(spec));
      if (status < 400) throw new NoDetour();
      return send(spec);
    },
  };
}

async function inBatch(specs: readonly RequestSpec[], place: number, send: Send, context: CaseContext): Promise<Reply> {
  const [spec = noneOf(context)] = specs.slice(place);
  const operations = await operationsOf(context, specs);
  const reply = await send(askedAs(spec, context.service.requests.batch(operations)));
  const result = resultsOf(reply)[place] ?? {};
  // it was rolled back for what stands beside it
  if (reply.status !== 200 && isSuccess(Number(result['statusCode']))) throw new NoDetour();
  return replyOfOperation(spec, reply, result);
}

/** The request by who asks for the first, and under its filter. */
function askedAs({ as, filter }: RequestSpec, request: RequestSpec): RequestSpec {
  return { ...request, as, ...(filter !== undefined && { filter }) };
}

const usual: Readonly<Partial<Record<string, number>>> = { POST: 201, PUT: 204, PATCH: 204 };

/** The answer that a write would have had as a request. Source: core, Batch result */
function replyOfOperation(
  { method }: RequestSpec,
  { url, exchange, missingMethod }: Reply,
  { statusCode, body }: Readonly<Record<string, unknown>>,
): Reply {
  if (typeof statusCode !== 'number') throw new PreconditionFailed('a statusCode of each operation');
  // which of the codes of a success it has is the business of other rules
  const status = isSuccess(statusCode) ? (usual[method] ?? statusCode) : statusCode;
  const told = isSuccess(status) ? written({ status, ...(isObject(body) && body) }) : refusal(status, body);
  return { ...told, url, exchange, missingMethod, isOfBatch: true };
}

type Told = Pick<Reply, 'status' | 'headers' | 'text' | 'bytes' | 'json'>;

function written({ status, href, version }: { status: number; href?: unknown; version?: unknown }): Told {
  const location = typeof href === 'string' ? { location: href } : {};
  const told = version === undefined ? {} : { [headerNames.version.toLowerCase()]: String(version) };
  return { status, headers: { ...location, ...told }, text: '', bytes: Buffer.of(), json: undefined };
}

function refusal(status: number, json: unknown): Told {
  const text = json === undefined ? '' : JSON.stringify(json);
  return { status, headers: {}, text, bytes: Buffer.from(text), json };
}

/** A read of the object that is edited. */
function readsOf({ method, url }: RequestSpec, { profile, service }: CaseContext): readonly RequestSpec[] {
  const oid = lastSegment(url);
  if (method !== 'PATCH' || oid === undefined) return [];
  return [service.requests.readShort(thingOf(profile, oid))];
}

function thingOf({ primary, all }: BoundProfile, oid: string): Thing {
  return { type: primary, space: all.space, oid, location: '', version: 1, body: {} };
}

/** A read of what is not there, which lets its batch fail. */
function noneOf({ given, profile, service }: CaseContext): RequestSpec {
  return service.requests.readShort(thingOf(profile, given.unique('none')));
}

/** A create of the primary SoftType by the schema that a multi-create takes as well. */
function isOfMultiCreate(spec: RequestSpec, { profile, service }: CaseContext): boolean {
  const { method, url, as, body } = spec;
  return (
    profile.offers('multi-create') &&
    isOfUsualType(spec) &&
    as === 'editor' &&
    method === 'POST' &&
    isObject(body) &&
    url === service.requests.create({}).url
  );
}

function isOfBatch(spec: RequestSpec, { profile }: CaseContext): boolean {
  const { method, url, as, body } = spec;
  return (
    profile.offers('batch') &&
    as === 'editor' &&
    method !== 'DELETE' &&
    url.includes(`/space/${encodeURIComponent(profile.all.space)}/`) &&
    !/\/page\/|\/batch$/.test(url) &&
    isOfUsualType(spec) &&
    (body === undefined || typeof body === 'object') &&
    !(body instanceof Uint8Array)
  );
}

/** An operation, or an item, goes by the type of what it does: what is sent by another one is another request there. */
function isOfUsualType(spec: RequestSpec): boolean {
  const stated = statedHeader(spec.headers, 'content-type');
  return (stated === undefined ? mediaTypes.json : stated) === typeOfContent(spec);
}

/** A write of one object: what an operation tells of several stands elsewhere than in the answer to a request, and what it shows may be told in other words. */
function isOfBatchAlone(spec: RequestSpec, context: CaseContext): boolean {
  return spec.method !== 'GET' && isOfBatch(spec, context) && !(spec.method === 'POST' && Array.isArray(spec.body));
}

/** Of the data of an object, by its version. */
function isEdit({ method, url, version }: RequestSpec): boolean {
  return editing.has(method) && typeof version === 'number' && !/\/maturityAction\//i.test(url);
}

/** Of an object, of several, or of its state. */
function isOfData({ url }: RequestSpec): boolean {
  return /\/softtype(\/|$)|\/maturityAction\//i.test(url) && !/openapi/i.test(url);
}

function hasFurtherHeaders({ headers = {} }: RequestSpec): boolean {
  return Object.keys(headers).some((name) => name.toLowerCase() !== 'content-type');
}
