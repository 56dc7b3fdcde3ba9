import { withoutSlash } from '../../contract/address.ts';
import { instancesPerMultiCreate } from '../../contract/limits.ts';
import type { Profile } from '../../contract/profile.ts';
import type { CaseContext } from '../case.ts';
import { unlessCut } from '../client/failure.ts';
import { marksIn, mostMarks } from '../client/receive.ts';
import { isSuccess, type Changes, type Reply, type RequestSpec } from '../exchange.ts';
import { isObject, objectsIn, pointer } from '../json.ts';
import { aside } from '../case/part.ts';
import { goStraight } from '../case/straight.ts';
import { item } from './referrers.ts';
import type { Thing } from '../things.ts';
import { assertInRole, PreconditionFailed } from '../violation.ts';
import { anyEdit, asOperation, editRoutes, makeEditable } from './writes.ts';

/** One result of a batch as read; each of its members may be missing or of another type. */
export type BatchResult = Readonly<Record<string, unknown>>;

type HrefForm = NonNullable<NonNullable<Profile['batch']>['hrefForm']>;

const forms = new WeakMap<Profile, Promise<readonly HrefForm[]>>();

/** Sends these requests as one batch. */
export async function sendBatch(
  context: CaseContext,
  requests: readonly RequestSpec[],
  changes: Changes = {},
): Promise<Reply> {
  return context.service.batch(await operationsOf(context, requests), changes);
}

/** The same with each `href` in another form, where the target takes more than one. */
export async function sendOtherwise(context: CaseContext, requests: readonly RequestSpec[]): Promise<Reply> {
  const form = (await hrefForms(context)).at(-1) ?? 'absolute';
  return context.service.batch(requests.map((request) => inForm(asOperation(request), form, context.profile.all)));
}

/** The requests as operations, each `href` in the form that the target takes. */
export async function operationsOf(
  context: CaseContext,
  requests: readonly RequestSpec[],
): Promise<readonly Operation[]> {
  const [form = 'absolute'] = await hrefForms(context);
  return requests.map((request) => inForm(asOperation(request), form, context.profile.all));
}

/** Whether a batch of the first operation alone is refused as well when it has as many bytes, which are blanks, be it by an end of the connection. */
export async function isTooLong({ service }: CaseContext, operations: readonly Operation[]): Promise<boolean> {
  const body = JSON.stringify(operations.slice(0, 1)).padEnd(JSON.stringify(operations).length, ' ');
  const reply = await unlessCut(() => service.send({ ...service.requests.batch([]), body }));
  return reply === undefined || reply.status >= 400;
}

/** Whether the suite reads an answer of so many results like those of this one. */
export function canReadMany({ bytes }: Reply, count: number): boolean {
  return count * marksIn([bytes]) < mostMarks;
}

type Operation = Readonly<Record<string, unknown>>;

/** "Full API URI" can be read with or without scheme, host and the path of a gateway: the forms are tried out once, unless the profile names one. */
async function hrefForms(context: CaseContext): Promise<readonly HrefForm[]> {
  const { all } = context.profile;
  if (all.batch?.hrefForm !== undefined) return [all.batch.hrefForm];
  const { promise, resolve, reject } = Promise.withResolvers<readonly HrefForm[]>();
  // which case comes first is chance, and a case that is played alone has to know what another one found out
  const isFirst = await aside('whether forms of href are to be tried', async () => {
    if (forms.has(all)) return false;
    forms.set(all, promise);
    return true;
  });
  if (!isFirst) return aside('forms of href', async () => forms.get(all) ?? tryForms(context));
  // what did not come to its end, such as a lost connection, is tried again by the next one who asks
  promise.catch(() => forms.delete(all));
  tryForms(context).then(resolve, reject);
  return promise;
}

function tryForms({ given, service, profile }: CaseContext): Promise<readonly HrefForm[]> {
  return goStraight(async () => {
    const read = asOperation(service.requests.read(await given.object()));
    const taken: HrefForm[] = [];
    for (const form of ['absolute', 'path', 'fromBaseUrl'] as const) {
      const reply = await service.batch([inForm(read, form, profile.all)]);
      if (reply.status === 200) taken.push(form);
    }
    return taken;
  });
}

function inForm(operation: object, form: HrefForm, { baseUrl }: Profile): Operation {
  const href = 'href' in operation ? String(operation.href) : '';
  const base = withoutSlash(baseUrl);
  if (form === 'fromBaseUrl' && href.startsWith(base)) return { ...operation, href: href.slice(base.length) };
  return { ...operation, href: form === 'absolute' ? href : href.replace(/^https?:\/\/[^/]+/i, '') };
}

/** The results, one an operation; where the body is no such array the rule about it judges that. */
export function resultsOf(reply: Reply): readonly BatchResult[] {
  if (!Array.isArray(reply.json))
    throw new PreconditionFailed('an array of batch results', reply, ['batch.result.one-per-operation']);
  return reply.json.map((item: unknown) => (isObject(item) ? item : {}));
}

export function statusesOf(reply: Reply): readonly unknown[] {
  return resultsOf(reply).map((result) => result['statusCode']);
}

/** Whether every result has the status of a success. Throws PreconditionFailed where there are no results. */
export function areAllCarriedOut(reply: Reply): boolean {
  return statusesOf(reply).every((status) => isSuccess(Number(status)));
}

export function bodyOfResult(result: BatchResult | undefined): BatchResult {
  const body = result?.['body'];
  return isObject(body) ? body : {};
}

/** A batch that has to pass for the case to go on. */
export function assumePassed({ given }: CaseContext, reply: Reply): readonly BatchResult[] {
  if (reply.status !== 200)
    given.succeeded({ ...reply, status: isSuccess(reply.status) ? 500 : reply.status }, 'a batch passes', [
      'batch.success.status-200',
    ]);
  return resultsOf(reply);
}

/** A batch that has to fail as a whole for the case to go on. */
export function assumeFailed(reply: Reply): void {
  if (reply.status !== 500)
    throw new PreconditionFailed('a batch that fails', reply, ['batch.success.status-200', 'batch.failure.status-500']);
}

/** An edit, of the first scalar where the text matters. */
export function editRequest(context: CaseContext, thing: Thing, text?: string): RequestSpec {
  const { service, profile } = context;
  return service.requests.edit(thing, text === undefined ? anyEdit(context) : { [profile.textMember]: text });
}

/** An edit that cannot pass, because somebody would have to have edited in between. */
export function staleEditRequest(context: CaseContext, thing: Thing): RequestSpec {
  return { ...editRequest(context, thing), version: thing.version + 7 };
}

/** An operation that cannot pass, and how it fails: with the status that the documents name, where they do. */
interface FailingOperation {
  readonly what: string;
  readonly status: number | undefined;
  /** Makes a fresh one, of objects of its own. */
  readonly make: () => Promise<RequestSpec>;
}

/** One of each kind that fails for sure, as far as the deployment has the route. */
export function failingOperations(context: CaseContext): readonly FailingOperation[] {
  const { given, service, profile } = context;
  const { requests } = service;
  const [scalar = '', second = scalar] = profile.primary.scalars ?? [];
  type Kind = readonly [what: string, status: number | undefined, make: (thing: Thing) => RequestSpec];
  const path = pointer(scalar);
  const refused: Readonly<Record<string, object>> = {
    'an add on a member that has a value': { op: 'add', path, value: given.unique() },
    'an operation that nobody knows': { op: 'move', from: path, path },
    'an add to the whole document': { op: 'add', path: '', value: { [second]: given.unique() } },
    'a remove with a value': { op: 'remove', path, value: given.unique() },
    'a replace without a value': { op: 'replace', path },
    'a replace by an object': { op: 'replace', path, value: { [second]: given.unique() } },
  };
  const ofOperations = Object.entries(refused).map(([what, operation]): Kind => [
    what,
    undefined,
    (thing) => requests.operations(thing, [operation]),
  ]);
  const stale = editRoutes(context).map(({ name, request }): Kind => [
    `a ${name} for another version`,
    409,
    (thing) => ({ ...request(thing), version: thing.version + 7 }),
  ]);
  const kinds: readonly Kind[] = [
    ...stale,
    ['an edit without version', 412, (thing) => withoutVersion(editRequest(context, thing))],
    ['an edit of no object', 404, (thing) => editRequest(context, { ...thing, oid: given.unknownOid(thing) })],
    ['a read of no object', 404, (thing) => requests.read({ ...thing, oid: given.unknownOid(thing) })],
    ...(profile.offers('operations') && scalar !== '' ? ofOperations : []),
    ...(profile.offers('multi-create')
      ? [['a multi-create that is too long', undefined, () => tooLongMultiCreate(context)] as const]
      : []),
  ];
  return kinds.map(([what, status, make]) => ({
    what,
    status,
    make: async () => make(await makeEditable(context)),
  }));
}

export function tooLongMultiCreate(context: CaseContext): RequestSpec {
  return context.service.requests.multiCreate(Array.from({ length: instancesPerMultiCreate + 1 }, () => item(context)));
}

/** Whether a status is the refusal that the operation is sure to meet. */
export function isRefusal({ status }: FailingOperation, seen: number): boolean {
  return status === undefined ? seen >= 400 : seen === status;
}

/** Whether the operation is refused as a request by itself; where it is not, the rules of its own route have that, and a batch has nothing to undo. */
export async function isRefusedAlone({ service }: CaseContext, failing: FailingOperation): Promise<boolean> {
  const { status } = await service.send(await failing.make());
  return isRefusal(failing, status);
}

export function withoutVersion(request: RequestSpec): RequestSpec {
  return { ...request, version: null };
}

/**
 * Whether the role of the reader opens the batch at all. That of a reader allows GET only, the batch is a POST, and only the
 * operations of a batch are said to be judged one by one.
 */
export async function readerMayBatch(context: CaseContext): Promise<boolean> {
  return !isRefusedWhole(await readAsReader(context));
}

/** For a rule about the operations of a reader. @throws {Inconclusive} the role of the reader does not open the batch */
export async function givenReaderMayBatch(context: CaseContext): Promise<void> {
  const reply = await readAsReader(context);
  if (!isRefusedWhole(reply)) return;
  assertInRole(reply);
  context.given.inconclusive(
    'The reader was refused a batch of reads with 403, so that access to single operations does not show.',
  );
}

async function readAsReader(context: CaseContext): Promise<Reply> {
  return sendBatch(context, [context.service.requests.read(await context.given.object())], { as: 'reader' });
}

/** An error may be told as an array, too. Source: ledger error-body-shape */
function isRefusedWhole({ status, json }: Reply): boolean {
  return status === 403 && !objectsIn(json).some((item) => 'statusCode' in item);
}

/**
 * None of the objects that a batch that failed still names as created can be read. What the result of an edit names was there before, by whatever
 * address, and a create may name what it was sent to.
 * @param sent the operations
 * @param failing the place of the one that failed, where it may be a create
 */
export async function expectNothingBehind(
  { service, expect }: CaseContext,
  failed: Reply,
  sent: readonly RequestSpec[],
  failing?: number,
): Promise<void> {
  if (failed.status === 500)
    expect(failed.json, 'the body of a batch of which an operation failed', failed).toBeAnArray();
  for (const [place, result] of resultsOf(failed).entries()) {
    const { href } = bodyOfResult(result);
    if (sent[place]?.method !== 'POST' || place === failing) continue;
    if (typeof href !== 'string' || !URL.canParse(href, failed.url)) continue;
    const { origin, pathname } = new URL(href, failed.url);
    if (origin !== new URL(failed.url).origin || pathname === new URL(sent[place].url, failed.url).pathname) continue;
    const read = await service.get(href, { base: failed });
    expect(read.status, `status of a read of ${href}, which a batch that failed created`, read).toSatisfy(
      '400 or above',
      (status) => status >= 400,
    );
  }
}

export function withHeader(operation: Operation | undefined, name: string, value: string): Operation {
  const headers = operation?.['headers'];
  return { ...operation, headers: { ...(typeof headers === 'object' ? headers : {}), [name]: value } };
}
