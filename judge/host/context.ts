import type { ExtensionHostProfile } from '../../contract/profile/extension-host.ts';
import type { RuleId } from '../../contract/rule.ts';
import type { Sender } from '../client/client.ts';
import { ConnectionLost, NoAnswer } from '../client/failure.ts';
import { senderFor } from '../client/post.ts';
import { isSuccess, type Reply } from '../exchange.ts';
import { type Expect, openExpect } from '../expect.ts';
import { uniqueTexts } from '../given.ts';
import type { Arrival } from './arrival.ts';
import type { EveryRequest, GivenOut } from './every-request.ts';
import type { HostSession } from './host-session.ts';
import { type Host, type HostCall, type HostChanges, isOfRate, type Post, type Samples } from './host.ts';
import { Patience } from './queue.ts';
import { askingRecords, type AskingRecord, type HostCalledType, type HostRecord, withQueryToken } from './records.ts';
import { ArrivedReply } from './stage-server.ts';
import { openStage, type Stage } from './stage.ts';
import { type Notes, openNotes } from '../notes.ts';
import { reading } from '../case/part.ts';
import type { ContextOptions } from '../case/open-context.ts';
import type { Session } from '../run/session.ts';
import { Clock } from '../time/clock.ts';
import { sleep } from '../time/real-time.ts';
import { Inconclusive, PreconditionFailed, Undecidable } from '../violation.ts';

/** What a case about an extension host is given: the suite plays the service. */
export interface HostContext {
  readonly host: Host;
  readonly records: Records;
  readonly stage: Stage;
  readonly given: HostGiven;
  readonly samples: Samples;
  readonly expect: Expect;
  readonly notes: Notes;
  readonly clock: Clock;
  readonly binding: ExtensionHostProfile;
  /** What came to all cases of the run. */
  readonly everyRequest: EveryRequest;
}

/** The records of the host, as the metadata exchange showed them before the case. */
interface Records {
  readonly all: readonly HostRecord[];
  /** The first of that type, unless the samples of the profile name one. */
  of(type: HostCalledType): HostRecord;
  /** A record of that id, else the first of the type. */
  named(id: string | undefined, type: HostCalledType): HostRecord;
  /** The rest of that type: whether they take a payload of their type nobody told, unlike of the one that `named` gives. */
  besides(record: HostRecord): readonly HostRecord[];
  /** Those that ask for API keys, also such as nobody calls. */
  readonly asking: readonly AskingRecord[];
}

interface HostGiven {
  unique(prefix?: string): string;
  assume(condition: boolean, sentence: string): void;
  present<T>(value: T | null | undefined, what: string, standsOn?: readonly RuleId[]): T;
  succeeded(reply: Reply, step: string, standsOn?: readonly RuleId[]): void;
  inconclusive(sentence: string): never;
  /** Ends the case as blocked: the host never does what the rule is about. */
  notExercised(what: string): never;
}

interface HostOptions {
  readonly post: Post;
  readonly sender: Sender;
  /** Told the status for which the metadata were asked again. */
  readonly askedAgain: (status: number) => void;
  /** Told when a call has a query, so that what comes of it stands on how the host takes queries. */
  readonly hasQuery: () => void;
  /** Told the token of each call. Returns what is told of its answer. */
  readonly calling: (token: string) => () => void;
  /** Told the call that had no answer, where it went as calls do, and whether its connection was lost. */
  readonly unanswered: (call: HostCall, isLost: boolean) => void;
  /** Told the task that was acknowledged. */
  readonly taken: (call: HostCall) => void;
  /** Told the call that went as calls do, and its answer. */
  readonly answered: (call: HostCall, reply: Reply) => void;
  /** Told the validation that was answered. */
  readonly validated: (call: HostCall, reply: Reply) => void;
  readonly isPatient?: boolean;
}

/** What a case about the extension host is given: everything sent and received is recorded in `record`. @throws {Undecidable} no host is bound */
export async function openHostContext(session: Session, options: ContextOptions): Promise<HostContext> {
  const { host: own } = session;
  if (own === undefined) throw new Undecidable('the profile does not bind an extension host: add extensionHost');
  const { records, announced, wallNow } = await own.discovery();
  const asking = askingRecords(announced);
  const { record, name, seed, signal, attempt = 0 } = options;
  const unique = uniqueTexts(seed, name, attempt, session.mark);
  const sender = senderFor(record, signal);
  const notes = openNotes(record, session.profile.all);
  const host = openHost({
    post: own.post,
    sender,
    askedAgain: (status) => notes.remark(`a rightly signed metadata request was answered ${status} and sent again`),
    hasQuery: () => record.leansOn.add('signing.extension-host.query-ignored'),
    calling: (token) => own.addresses.calling(token),
    unanswered: (call, isLost) => own.everyRequest.noteUnanswered({ call, isLost, cameFor: name }),
    taken: (call) =>
      own.everyRequest.noteTaken({
        call,
        cameFor: name,
        takenAt: clock.now(),
        course: () => own.addresses.courseOf(call.envelope.accessToken),
      }),
    answered: (call, reply) => {
      // what was refused to the host may be why it refuses
      if (isSuccess(reply.status) || !own.addresses.isDisturbed(call.envelope.accessToken))
        own.everyRequest.noteAnswered({ call, reply, cameFor: name });
    },
    validated: (call, reply) => {
      const { accessToken } = call.envelope;
      // what objects hold that the profile does not tell the suite makes up, and what was not read was read before, or could not be
      const isOfObject = own.addresses.hasRead(accessToken) === (own.binding.objects !== undefined);
      if (isOfObject && !own.addresses.isDisturbed(accessToken))
        own.everyRequest.noteValidated({ call, reply, cameFor: name });
    },
  });
  const clock = new Clock(own.time, record, { signal, machine: session.machine });
  return {
    host,
    records: openRecords(records, asking, own.binding.samples),
    stage: openStage(
      own.addresses,
      stageParts(session, own, { host, asking, unique, clock, record, name, wallNow, signal }),
      (end) => record.atEnd(async () => end()),
    ),
    given: openHostGiven(unique),
    samples: openSamples(own.binding.samples),
    expect: openExpect(record),
    notes,
    clock,
    binding: own.binding,
    everyRequest: own.everyRequest,
  };
}

function stageParts(
  { profile }: Session,
  own: HostSession,
  {
    host,
    asking,
    unique,
    clock,
    record,
    name,
    wallNow,
    signal,
  }: Pick<HostContext, 'host' | 'clock'> & {
    readonly asking: readonly AskingRecord[];
    readonly unique: HostGiven['unique'];
    readonly record: ContextOptions['record'];
    readonly name: string;
    readonly wallNow: () => number;
    readonly signal: ContextOptions['signal'];
  },
) {
  return {
    keys: own.keys,
    asking,
    unique,
    samples: own.binding.samples ?? {},
    objects: own.binding.objects,
    jobSettings: own.binding.jobSettings,
    informationFilter: Buffer.from(JSON.stringify(profile.all.informationFilter?.default ?? {})).toString('base64'),
    deliver: (url: string, keys: object) =>
      host.send('POST', /^https?:/i.test(url) ? url : `${host.hostUri}/${url.replace(/^\/+/, '')}`, {
        body: JSON.stringify(keys),
        // it is sent once: a kept connection may have ended meanwhile
        fresh: true,
      }),
    arrivedHere: (arrival: Arrival, givenOut: GivenOut) => {
      own.everyRequest.note(arrival, givenOut, name);
      if (arrival.seen instanceof ArrivedReply)
        record.add({ request: arrival.seen.request, exchange: arrival.seen.exchange });
    },
    until: <T>(promise: Promise<T>, withinMs: number) => clock.until(promise, withinMs),
    patience: new Patience(clock.controlled ? 'moved' : 'real'),
    // time in which the host is at work on what others gave it to do is none of the case
    untilInTurn: <T>(promise: Promise<T>, withinMs: number) =>
      clock.controlled
        ? clock.until(promise, withinMs)
        : record.waits.heldBack('the host to come to its last call', unlessLater(promise, withinMs, signal)),
    wallNow: () => reading('wall', () => (own.time.controlled ? own.time.now() : wallNow())),
  };
}

/** Undefined where that much real time passes first. */
async function unlessLater<T>(promise: Promise<T>, ms: number, signal?: AbortSignal): Promise<T | undefined> {
  const over = new AbortController();
  const ends = signal === undefined ? over.signal : AbortSignal.any([over.signal, signal]);
  try {
    return await Promise.race([promise, sleep(ms, ends).then(() => undefined)]);
  } finally {
    over.abort(new Error('it is not waited for any more'));
  }
}

function openRecords(
  all: readonly HostRecord[],
  asking: readonly AskingRecord[],
  { eventRecord, emailRecord }: Samples['all'] = {},
): Records {
  const present = (record: HostRecord | undefined, what: string): HostRecord => {
    if (record === undefined)
      throw new PreconditionFailed(what, undefined, ['metadata.host.array-response', 'metadata.host.required-fields']);
    return record;
  };
  const first = (type: HostCalledType): HostRecord =>
    present(
      all.find((record) => record.type === type),
      `a record of type ${type}`,
    );
  const stated: Partial<Record<HostCalledType, string | undefined>> = {
    ExternalEvent: eventRecord,
    Email: emailRecord,
  };
  const of: Records['of'] = (type) => {
    const id = stated[type];
    return id === undefined ? first(type) : named(all, id, type);
  };
  return {
    all,
    of,
    named: (id, type) => (id === undefined ? of(type) : named(all, id, type)),
    besides: (record) => all.filter((other) => other !== record && other.type === record.type),
    asking,
  };
}

function named(all: readonly HostRecord[], id: string, type: HostCalledType): HostRecord {
  const found = all.find((record) => record.id === id && record.type === type);
  if (found !== undefined) return found;
  const ids = all.filter((record) => record.type === type).map((record) => record.id);
  throw new Undecidable(
    `the metadata of the host show no record ${JSON.stringify(id)} of type ${type}, which a sample of the profile names: correct record under extensionHost.samples (there are ${ids.join(', ') || 'none'})`,
  );
}

function openHostGiven(unique: HostGiven['unique']): HostGiven {
  return {
    unique,
    assume: (condition, sentence) => {
      if (!condition) throw new PreconditionFailed(sentence);
    },
    present: (value, what, standsOn = []) => {
      if (value === undefined || value === null) throw new PreconditionFailed(what, undefined, standsOn);
      return value;
    },
    succeeded: (reply, step, standsOn = []) => {
      if (reply.status < 200 || reply.status > 299) throw new PreconditionFailed(`that ${step}`, reply, standsOn);
    },
    inconclusive: (sentence) => {
      throw new Inconclusive(sentence);
    },
    notExercised: (what) => {
      throw new Inconclusive(
        `not exercised: ${what}; where the host never does that, say so for the rule under notSupported of the profile`,
      );
    },
  };
}

/** Samples whose absence is told. */
function openSamples(all: Samples['all'] = {}): Samples {
  return {
    all,
    get validation() {
      return present(all.validation, 'validation');
    },
    action: (name) => present(all.action?.[name], `action.${name}`),
    task: (name) => present(all.task?.[name], `task.${name}`),
  };
}

function present<T>(sample: T | undefined, key: string): T {
  if (sample === undefined)
    throw new Undecidable(`a payload with a known outcome is missing: add extensionHost.samples.${key} to the profile`);
  return sample;
}

/** Whether a call goes as calls do, but for its connection. */
function isUsual({ fresh: _fresh, ...changes }: HostChanges): boolean {
  return Object.keys(changes).length === 0;
}

/** The host as one case calls it. */
function openHost(own: HostOptions): Host {
  const { post, sender, isPatient = false } = own;
  const options = (changes: HostChanges = {}) => ({ ...changes, patient: isPatient });
  const tellUnanswered = (error: unknown, call: HostCall, changes: HostChanges): never => {
    const isLost = error instanceof ConnectionLost;
    if ((isLost || (error instanceof NoAnswer && !isOfRate(error))) && isUsual(changes)) own.unanswered(call, isLost);
    throw error;
  };
  return {
    hostUri: post.hostUri,
    get queryTokenName() {
      return post.queryTokenName;
    },
    metadata: (changes) => post.metadata(options(changes), sender, own.askedAgain),
    call: (call, changes = {}) => {
      const { record, envelope } = call;
      const hasToken = withQueryToken.includes(record.type);
      if (hasToken && changes.query !== null) own.hasQuery();
      const answered = own.calling(envelope.accessToken);
      const send = (further: HostChanges): Promise<Reply> =>
        post.send(
          changes.method ?? 'POST',
          record.url,
          options({ body: JSON.stringify(envelope), ...changes, ...further }),
          sender,
        );
      const sendCall = (): Promise<Reply> => {
        if (!hasToken || changes.query !== undefined) return send({});
        // what is not signed rightly is not let in by any name
        return changes.signature === undefined
          ? post.withQueryToken(envelope.accessToken, (query) => send({ query }))
          : send({ query: `${post.queryTokenName}=${envelope.accessToken}` });
      };
      return sendCall()
        .then((reply) => {
          if (!isUsual(changes)) return reply;
          own.answered(call, reply);
          if (!isSuccess(reply.status)) return reply;
          if (record.type === 'ExternalTask') own.taken(call);
          if (record.type === 'ExternalValidation') own.validated(call, reply);
          return reply;
        })
        .catch((error: unknown) => tellUnanswered(error, call, changes))
        .finally(answered);
    },
    callAndLeave: ({ record, envelope }) => {
      own.calling(envelope.accessToken);
      return post.sendAndLeave(record.url, JSON.stringify(envelope), sender);
    },
    send: (method, url, changes) => post.send(method, url, options(changes), sender),
    signatureFor: (url, apiKey) => post.signatureFor(url, apiKey),
    takenLately: (url) => post.takenLately(url),
    hurriedBack: () => sender.retries.filter((sentence) => sentence.includes(': 429,')).length,
    patiently: (run) => run(openHost({ ...own, isPatient: true })),
  };
}
