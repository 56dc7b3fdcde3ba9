import { permissionNames } from '../../../contract/names.ts';
import type { IdentityName } from '../../../contract/profile.ts';
import { tellingContent } from '../../../fixtures/values.ts';
import { comparableId } from '../../../judge/service/guid.ts';
import type { Version } from '../../../judge/model/call-history/due.ts';
import type {
  Answer,
  CalleeKind,
  CalleePlan,
  CallPlan,
  KeysStated,
  Stated,
} from '../../../judge/model/call-history/history.ts';
import type { KeyHolder } from '../../../judge/extension/api-keys.ts';
import type { CaseContext } from '../../../judge/case.ts';
import type { Changes, Reply } from '../../../judge/exchange.ts';
import { type Call, type CalledType, holdsWhole } from '../../../judge/extension/call.ts';
import type { Endpoint, Extension, MetadataRecord, Reached, Script, Step } from '../../../judge/extension/extension.ts';
import type { Registration } from '../../../judge/extension/registrations.ts';
import type { Triggered } from '../../../judge/extension/triggers.ts';
import { isObject } from '../../../judge/json.ts';
import type { Thing } from '../../../judge/things.ts';
import { unlessRefused } from '../../../judge/violation.ts';
import { hasPlaceFor } from '../checks/triggered-calls.ts';

/** What a registration says, and with which key, from one step on. */
export interface StatedVersion extends Version {
  readonly stated: Stated;
  /** Of an extension, in Base64. */
  readonly apiKey: string;
}

/** A trigger. Times in ms of the clock. */
export interface Sent {
  readonly plan: CallPlan;
  readonly step: number;
  /** Stands in what is sent. */
  readonly marker: string;
  /** What an endpoint is to be called with, once that is sent. */
  body?: unknown;
  readonly as: IdentityName;
  readonly correlationId: string | undefined;
  readonly filter: Readonly<Record<string, unknown>>;
  /** What a validation or an action is about, at the version that it had. */
  readonly thing: Thing | undefined;
  /** In whose context object module that is. */
  readonly owner: Thing | undefined;
  space: string;
  readonly sentAt: number;
  /** Infinity until it is answered. */
  answeredAt: number;
  /** Undefined until then, and where it was refused. */
  triggered: Triggered | undefined;
  /** Comes when a validation is answered. */
  outcome?: Promise<Reply | undefined>;
  deletion?: { readonly from: number; readonly since: number; readonly isTaken: boolean };
}

/** Triggers that were sent together. */
export interface Burst {
  readonly step: number;
  readonly since: number;
  readonly until: number;
  readonly sent: readonly Sent[];
}

/** What is called, and what happened to it. */
export interface Callee {
  readonly plan: CalleePlan;
  readonly reached: Reached;
  readonly versions: StatedVersion[];
  readonly sent: Sent[];
  readonly bursts: Burst[];
  readonly trigger: (sent: Sent, changes: Changes, registration: Registration | undefined) => Promise<Triggered>;
  /** Has the next update say so; returns the members of the registration that it changes. */
  readonly restate: (stated: Stated) => Readonly<Record<string, unknown>>;
  /** Members of the registration by which it is known, whatever else it says. */
  readonly known: Readonly<Record<string, unknown>>;
  /** Gives the record of an extension another id: that of a removed one may be spent. */
  readonly renew?: () => void;
  /** Who may ask for these keys; undefined for a simple endpoint. */
  readonly holder?: (keys: KeysStated, apiKey: string) => KeyHolder;
  /** As it was made last. */
  registration: Registration | undefined;
  readonly concern?: (thing: Thing) => void;
  /** What the next validation or action is about, and in whose context object module. */
  thing?: Thing;
  owner?: Thing;
  /** The other one at the same address. */
  neighbour?: Callee;
}

/** Answers one request after the other. */
type Answering = Extract<Script, (...args: never[]) => unknown>;

/** A request as a script sees it. */
type Request = Parameters<Answering>[0];

type Opened = Pick<Callee, 'reached' | 'trigger' | 'restate' | 'concern' | 'known' | 'renew' | 'holder'> & {
  readonly apiKey: string;
};

/** What paths begin with that keys are brought to. */
export const keysPath = '/keys';

const typeOf = {
  event: 'ExternalEvent',
  mail: 'Email',
  task: 'ExternalTask',
  validation: 'ExternalValidation',
  action: 'ExternalAction',
} as const satisfies Partial<Record<CalleeKind, CalledType>>;

/** What is sent where the kind of the callee has a place for it. */
const contents: readonly Readonly<Record<string, unknown>>[] = [
  tellingContent,
  { nothing: null, empty: '', none: [], bare: {}, no: false, zero: 0, list: [null, '', 0, false, [], {}] },
  { text: '\r\none\r\ntwo\rthree\n\nfour \t\r\n', html: '<p class="a">Grüße &amp; <b>more</b></p>' },
  { number: 1e21, small: 2.5e-7, deep: [[[{ a: [{ b: null }] }]]] },
];

const texts: readonly string[] = [
  'Grüße &amp; <b>שלום</b> "quoted" 👩‍👩‍👧',
  'line\r\nline\n\ttab\r\n',
  'x'.repeat(600),
  '0 < 1',
];

/** Contents of an endpoint that show no trigger. */
const bareContents: readonly unknown[] = [false, 0, [], 'false', '007.50'];

/** What decides nothing, whatever it says. */
const words: readonly string[] = ['', 'false', 'Invalid.', 'accepted, thank you', ' ', 'true', 'x'.repeat(5000)];

/** JSON that says something elsewhere, and decides nothing here either. */
const members: readonly object[] = [
  {},
  { statusCode: 503, errors: [{ message: 'told by the extension' }] },
  { isValid: false, message: 'told by the extension' },
  { status: 'Failed', retry: true },
];

/** As SemVer has them. */
const versions: readonly string[] = ['1.0.0', '1.2.3-alpha.1', '0.0.1+001.b-5', '2.10.0-rc.1.x-y+exp.sha.5114f85'];

/** Records of one host, by the way. */
const many = 24;

/** Any text, and none. */
const descriptions: readonly (string | undefined)[] = [
  '',
  'Conformance.',
  undefined,
  'Grüße & <b>more</b> '.repeat(40),
];

/** Verdicts that are none. Source: extensions, Errors 5 */
const malformed: readonly string[] = [
  '{"isValid":"true","message":""}',
  '[{"isValid":true,"message":""}]',
  '{"isValid":"false","message":""}',
  '{"message":"fine"}',
  '',
];

/** The JSON of a trigger. */
export function contentOf({ marker, plan }: Sent): Readonly<Record<string, unknown>> {
  return { ...contents[plan.content % contents.length], marker };
}

/** What an endpoint is configured to be called with. */
function bodyOf({ bare }: CalleePlan, sent: Sent, isText: boolean): unknown {
  if (bare !== undefined) return bareContents[bare];
  return isText ? textOf(sent) : contentOf(sent);
}

/** The text of a trigger. */
export function textOf({ marker, plan }: Sent): string {
  return `${texts[plan.content % texts.length] ?? ''} ${marker}`;
}

/** The subject of a mail, now and then a long one. */
export function subjectOf({ marker, plan }: Sent): string {
  return `${marker} ä & <b>${plan.content % 3 === 0 ? ' x'.repeat(300) : ''}`;
}

/** Registers what a plan describes. @param index decides what an endpoint takes. @param before the callee that was opened before */
export async function openCallee(
  context: CaseContext,
  plan: CalleePlan,
  index: number,
  before?: Callee,
): Promise<Callee> {
  const own: { callee?: Callee } = {};
  const script: Answering = (request) => own.callee && answers(own.callee, request);
  const answers = answering();
  const { apiKey, ...opened } = plan.kind.endsWith('endpoint')
    ? await openEndpoint(context, plan, { script, isJson: isJson(plan, index), before })
    : await openExtension(context, plan, { script, index });
  own.callee = {
    ...opened,
    plan,
    registration: opened.reached.registration,
    versions: [{ step: -1, from: -Infinity, stated: plan.stated, apiKey }],
    sent: [],
    bursts: [],
  };
  if (before !== undefined && opened.reached.url === before.reached.url) {
    own.callee.neighbour = before;
    before.neighbour = own.callee;
  }
  return own.callee;
}

function isJson({ bare, isNeighbour }: CalleePlan, index: number): boolean {
  if (bare !== undefined) return typeof bareContents[bare] !== 'string';
  return (isNeighbour === true ? index - 1 : index) % 2 === 0;
}

async function openExtension(
  context: CaseContext,
  { kind, stated, isAlone }: CalleePlan,
  { script, index }: { readonly script: Answering; readonly index: number },
): Promise<Opened> {
  const { given, triggers, profile } = context;
  // a trigger that names no record may reach any of its type
  const neighbourType = hasPlaceFor(context, 'event', 'recordId') ? 'ExternalEvent' : 'NameValue';
  const type = typeOf[kind as keyof typeof typeOf];
  let id = given.unique('record');
  const recordOf = ({ settings, target, name, keys, look }: Stated, url: string): MetadataRecord => ({
    id,
    version: versions[(look ?? index) % versions.length] ?? '1.0.0',
    name: name ?? `Conformance ${kind}`,
    endpoint: `H/${id}/${target}`,
    extensionType: type,
    category: 'conformance',
    ...settings,
    ...describedBy(look),
    ...(kind === 'validation' && { capabilities: capabilitiesFor(profile.primary.definitionId) }),
    ...(keys && { permissions: { permissions: keys.permissions, tokenCallback: url + keys.path } }),
  });
  const { tokenLifeTime } = stated;
  const shown = (next: Stated, url: string): readonly MetadataRecord[] => {
    const record = recordOf(next, url);
    const own = next.isLeftOut === true ? [] : [record];
    return next.look === undefined && index % 2 === 1 ? own : besides(record, next, own, neighbourType);
  };
  const extension = await given.extension({
    records: (url) => shown(stated, url),
    tokenLifeTime,
    script,
    ownListener: isAlone,
  });
  return {
    reached: extension,
    apiKey: extension.apiKey,
    concern: (thing) => extension.concern(thing),
    trigger: (sent, changes, registration) => {
      const named = { ...extension, registration, record: () => recordOf(stated, extension.url) };
      return triggerOf(triggers, kind, named)(sent, changes, registration);
    },
    known: { hostUri: extension.url },
    restate: (next) => {
      extension.setRecords(shown(next, extension.url));
      return { tokenLifeTime: next.tokenLifeTime, active: next.active };
    },
    renew: () => {
      id = given.unique('record');
    },
    holder: ({ permissions, path }, apiKey) => ({
      id,
      permissions,
      tokenCallback: extension.url + path,
      reached: extension,
      extension: { ...extension, apiKey },
      registration: extension.registration,
    }),
  };
}

function numbered(record: MetadataRecord, index: number): MetadataRecord {
  return { ...record, id: `${record.id}-${index}`, endpoint: `${record.endpoint}-${index}` };
}

function describedBy(look: number | undefined): { readonly description?: string } {
  const description = look === undefined ? undefined : descriptions[look % descriptions.length];
  return description === undefined ? {} : { description };
}

/** What stands in the metadata with a record: what nobody knows, and is passed over, before or behind it, or one that may ask for what that may not. */
function besides(
  record: MetadataRecord,
  { look = 0, keys }: Stated,
  own: readonly MetadataRecord[],
  neighbourType: string,
): readonly MetadataRecord[] {
  const { permissions: _own, capabilities: _listed, ...plain } = record;
  const stranger = {
    ...plain,
    id: `${record.id}-none`,
    extensionType: 'ConformanceNone',
    endpoint: `H/${record.id}/none`,
  };
  const neighbour = {
    ...plain,
    id: `${record.id}-beside`,
    extensionType: neighbourType,
    endpoint: `H/${record.id}/beside`,
    ...(keys && {
      permissions: {
        permissions: permissionNames.filter((name) => !keys.permissions.includes(name)),
        tokenCallback: String(Object(record.permissions)['tokenCallback']),
      },
    }),
  };
  const lists = [
    [stranger, ...own],
    [...own, stranger],
    [neighbour, ...own],
    [...own, neighbour, stranger],
    [...Array.from({ length: many }, (_record, index) => numbered(neighbour, index)), ...own],
  ];
  return lists[look % lists.length] ?? own;
}

/** The last of several lists names the type. Source: extensions, Extension metadata record, capability use */
function capabilitiesFor(definitionId: string): NonNullable<MetadataRecord['capabilities']> {
  return [['conformance-none'], ['conformance-other', definitionId]].map((capabilities) => ({
    capabilityType: 'SoftType',
    capabilities,
  }));
}

function triggerOf(triggers: CaseContext['triggers'], kind: CalleeKind, extension: Extension): Callee['trigger'] {
  return (sent, changes) => {
    switch (kind) {
      case 'mail':
        return triggers.email(extension, { subject: subjectOf(sent), body: textOf(sent) }, changes);
      case 'task':
        return triggers.task(extension, { taskSettings: contentOf(sent) }, changes);
      case 'validation': {
        const inContext = sent.owner && { contextObjectId: sent.owner.oid };
        return triggers.validation(thingOf(sent), { ...changes, ...inContext, extension });
      }
      case 'action':
        return triggers.actionRibbon(extension, selectionOf(sent), changes);
      default:
        return triggers.event(extension, contentOf(sent), changes);
    }
  };
}

/** What is selected where an action is run, and in whose module. */
export function selectionOf(sent: Sent): { readonly thing?: Thing; readonly context?: Thing } {
  const { owner, plan } = sent;
  if (owner === undefined) return { thing: thingOf(sent) };
  return { context: owner, ...(plan.module === 'with selection' && { thing: thingOf(sent) }) };
}

function thingOf({ thing }: Sent): Thing {
  if (thing === undefined) throw new Error('a validation or an action is about an object');
  return thing;
}

async function openEndpoint(
  { given, triggers }: CaseContext,
  plan: CalleePlan,
  {
    script,
    isJson,
    before,
  }: { readonly script: Answering; readonly isJson: boolean; readonly before?: Callee | undefined },
): Promise<Opened> {
  const { kind, stated, isNeighbour } = plan;
  const trusted = kind === 'trusted endpoint';
  const callbacks = trusted ? await given.endpoint({ unregistered: true, target: '' }) : undefined;
  const membersOf = ({ settings, active, method, header, tokenLifeTime, name, keys, look, isTrusted }: Stated) => ({
    ...(name !== undefined && { name }),
    ...describedBy(look),
    active,
    method,
    headers: [
      { name: 'content-type', value: isJson ? 'application/json' : 'text/html; charset=utf-8' },
      { name: headerName, value: header },
    ],
    ...((isTrusted ?? trusted) && { tokenLifeTime }),
    ...(callbacks &&
      keys && { permissions: { permissions: keys.permissions, tokenCallback: callbacks.url + keys.path } }),
    requestTimeout: settings.requestTimeout,
    retryForever: settings.retryForever,
    rateLimitNumberOfExecutions: settings.rateLimitNumberOfExecutions,
  });
  // who is active need not say so
  const { method, headers, active: _active, ...registration } = membersOf(stated);
  const open = (further: { readonly url?: string }) =>
    given.endpoint({
      trusted,
      method,
      headers,
      target: stated.target,
      script,
      registration: { ...registration, ...further },
    });
  const shared = isNeighbour === true ? before?.reached : undefined;
  const neighbour = shared && (await unlessRefused(() => open({ url: shared.url })));
  const endpoint = neighbour ?? (await open({}));
  const base = endpoint.url.slice(0, endpoint.url.length - stated.target.length);
  return {
    // what comes to an address comes to the first who has it
    reached: neighbour && shared ? shared : endpoint,
    apiKey: '',
    trigger: triggerWithBody(triggers, endpoint, plan, isJson),
    known: { id: endpoint.id, category: 'conformance' },
    restate: (next) => ({ ...membersOf(next), url: base + next.target }),
    ...(callbacks && {
      holder: ({ permissions, path }) => ({
        id: endpoint.id,
        permissions,
        tokenCallback: callbacks.url + path,
        reached: callbacks,
        extension: undefined,
        registration: endpoint.registration,
      }),
    }),
  };
}

/** A trigger may take JSON alone: where the first text is refused, and JSON is not, there are no further ones. */
function triggerWithBody(
  triggers: CaseContext['triggers'],
  endpoint: Endpoint,
  plan: CalleePlan,
  isJson: boolean,
): Callee['trigger'] {
  let isText = isJson || plan.bare !== undefined ? !isJson : undefined;
  return async (sent, changes) => {
    const send = (asText: boolean) => {
      sent.body = bodyOf(plan, sent, asText);
      return triggers.endpoint(endpoint, sent.body, changes);
    };
    if (isText !== undefined) return send(isText);
    const taken = await unlessRefused(() => send(true));
    const triggered = taken ?? (await send(false));
    isText = taken !== undefined;
    return triggered;
  };
}

/** The header of an endpoint that shows which of its registrations a call is made by. */
export const headerName = 'X-Conformance-Turn';

/** What a request shows of the trigger that it came of. */
interface Shown {
  readonly text: string;
  readonly objectId: unknown;
  readonly id: string | undefined;
  readonly arrivedAt: number;
}

/** The trigger that a request came of; undefined where it came of none. */
function triggerBehind({ sent, plan }: Callee, { text, objectId, id, arrivedAt }: Shown): Sent | undefined {
  return sent.findLast(({ marker, thing, correlationId, sentAt }) => {
    if (sentAt > arrivedAt) return false;
    if (plan.kind === 'action') return comparableId(id) === comparableId(correlationId);
    if (plan.kind === 'validation') return thing?.oid === objectId;
    if (plan.bare !== undefined) return true;
    return holdsWhole(text, marker) || (id !== undefined && comparableId(id) === comparableId(correlationId));
  });
}

/** The calls that came of each trigger, oldest first, and under undefined those that came of none. */
export function attemptsAt(callee: Callee): ReadonlyMap<Sent | undefined, readonly Call[]> {
  const { reached, neighbour } = callee;
  const behind = (of: Callee, { text, payload, envelope, arrivedAt }: Call): Sent | undefined =>
    triggerBehind(of, { text, objectId: payload['objectId'], id: envelope.id, arrivedAt });
  const calls = reached
    .everything()
    .filter((call) => !isOfRegistration(call) && (neighbour === undefined || behind(neighbour, call) === undefined));
  return Map.groupBy(calls, (call) => behind(callee, call));
}

/** Whether it is about the registration, be it the metadata exchange or keys, and comes of no trigger. */
function isOfRegistration({ kind, path }: Call): boolean {
  return kind === 'metadata' || (kind === 'other' && path.startsWith(keysPath));
}

/** Answers each attempt as the history says. */
function answering(): (callee: Callee, request: Request) => Step | undefined {
  const counts = new Map<Sent, number>();
  return (callee, request) => {
    const headers: Pick<Step, 'headers'> = callee.plan.isAlone ? { headers: { Connection: 'close' } } : {};
    if (request.kind === 'metadata') return headers;
    if (request.kind === 'other' && request.path.startsWith(keysPath)) return { ...headers, status: 200 };
    const { payload } = request.envelope ?? {};
    const sent = triggerBehind(callee, {
      text: new TextDecoder().decode(request.body),
      objectId: isObject(payload) ? payload['objectId'] : undefined,
      id: request.envelope?.id,
      arrivedAt: request.arrivedAt,
    });
    if (sent === undefined) return headers;
    const count = counts.get(sent) ?? 0;
    counts.set(sent, count + 1);
    const { answers, content } = sent.plan;
    if (callee.plan.kind === 'action') return headers;
    return { ...headers, ...stepOf(answers[Math.min(count, answers.length - 1)] ?? {}, content) };
  };
}

/** @param turn chooses among words that say nothing */
function stepOf({ status, never, cut, isValid, isMalformed }: Answer, turn: number): Step {
  if (never === true) return { never };
  if (cut === true) return { cut: 'before-answer' };
  if (isValid !== undefined) return { status: 200, json: { isValid, message: words[turn % words.length] } };
  if (isMalformed === true) return { status: 200, text: malformed[turn % malformed.length] ?? '' };
  if (status === undefined) return {};
  const bodies: readonly Step[] = [
    {},
    { json: members[Math.floor(turn / 3) % members.length] },
    { text: words[turn % words.length] ?? '' },
  ];
  return { status, ...bodies[turn % bodies.length] };
}

/** Kinds that the profile can set off, by triggers whose calls show what they came of. */
export function kindsOf(context: CaseContext, types: readonly CalledType[]): ReadonlySet<CalleeKind> {
  const { triggers, softTypes } = context.profile.all;
  const hasType = softTypes?.primary !== undefined;
  const isEndpointShown = triggers?.endpoint !== undefined && hasPlaceFor(context, 'endpoint', 'payload');
  const shown: Readonly<Record<CalleeKind, boolean>> = {
    event: types.includes('ExternalEvent') && hasPlaceFor(context, 'event', 'payload'),
    mail: types.includes('Email') && hasPlaceFor(context, 'email', 'subject') && hasPlaceFor(context, 'email', 'body'),
    task: types.includes('ExternalTask') && hasPlaceFor(context, 'task', 'taskSettings'),
    'simple endpoint': isEndpointShown,
    'trusted endpoint': isEndpointShown,
    validation: types.includes('ExternalValidation') && hasType,
    action: types.includes('ExternalAction') && hasType && hasPlaceFor(context, 'actionRibbon', 'objectId'),
  };
  return new Set((Object.keys(shown) as CalleeKind[]).filter((kind) => shown[kind]));
}
