import { metadataPath } from '../../contract/names.ts';
import { joinUrl } from '../../simulator/extension/call.ts';
import { CallbackError } from '../../simulator/extension/client.ts';
import { type HostClock, machineClock } from '../../simulator/extension/clock.ts';
import type { Entry } from '../../simulator/extension/entry.ts';
import { type HostAreas, type HostFaultChoice, rightAreas } from '../../simulator/extension/host.ts';
import type { MetadataRecord } from '../../simulator/extension/metadata.ts';
import { signatureOf } from '../../simulator/extension/signature.ts';
import type { Surroundings } from '../../simulator/extension/surroundings.ts';
import { breaking, together, type Variant } from './breaks.ts';

/** A wrong extension host. */
type HostVariant = Variant<HostAreas>;

const breaks = breaking<HostAreas>();
const announcedTimeoutSeconds = 0.5;
const heldMs = 800;
/** Longest time of the machine that it takes, where nobody moves the host's clock. */
const mostHeldMs = 2000;
const slowAnswerMs = 40;
const unheard = new AbortController().signal;
const endlessMs = 2 ** 31 - 1;

/** Wrong extension hosts by the rule each one breaks, and the control, which differs in nothing that can be seen from outside. */
export const extensionFaults = {
  control: (areas) => ({ ...areas }),

  'metadata.host.array-response': breaks('metadata', 'answer', (right) => () => {
    const { json, ...answer } = right();
    return { ...answer, json: { extensions: json } };
  }),
  'metadata.host.content-type-json': breaks('metadata', 'answer', (right) => () => ({
    ...right(),
    headers: { 'Content-Type': 'text/html; charset=utf-8' },
  })),
  'metadata.host.required-fields': announceOne('Email', ({ category: _left, ...record }) => record),
  'metadata.host.no-additional-properties': announceOne('Email', (record) => ({ ...record, vendor: 'simulator' })),
  'metadata.host.optional-field-types': announceOne('Email', (record) => ({ ...record, requestTimeout: '600' })),
  'metadata.host.version-semver': announceOne('Email', (record) => ({ ...record, version: '1.0' })),
  'metadata.host.extension-type-known': announceAnother('ExternalEvent', (record) => ({
    ...record,
    extensionType: 'externalEvent',
  })),
  'metadata.host.endpoint-relative': announceOne('Email', (record, hostUri) => ({
    ...record,
    endpoint: hostUri + record.endpoint,
  })),
  'metadata.host.endpoint-served': announceAnother('Email', (record) => ({ ...record, endpoint: '/not-routed' })),
  'metadata.host.capabilities-shape': announceOne('ExternalValidation', (record) => ({
    ...record,
    capabilities: [{ capabilityType: 'SoftType', capabilities: 'Document' }],
  })),
  'metadata.host.permissions-shape': announceOne('Email', (record) => ({
    ...record,
    permissions: { permissions: ['AdministrationAPI'] },
  })),
  'metadata.host.ids-unique': breaks('metadata', 'announcedRecords', (right) => (records) => {
    const shared = records.find(({ extensionType }) => extensionType === 'ExternalValidation')?.id ?? '';
    const announced: readonly unknown[] = right(records);
    return announced.map((record, index) =>
      records[index]?.extensionType === 'Email' ? { ...records[index], id: shared } : record,
    );
  }),

  'signing.extension-host.right-signature-accepted': breaks(
    'signing',
    'isAdmitted',
    (right, { surroundings }) =>
      (entry) =>
        entry.kind === 'email' && surroundings.apiKey !== undefined
          ? bearerOf(entry) === padBase64(signatureOf(surroundings.apiKey, pathOf(entry)))
          : right(entry),
  ),
  'signing.extension-host.missing-signature-refused': breaks(
    'signing',
    'isAdmitted',
    (right) => (entry) => (entry.method === 'POST' && entry.signature?.presented === undefined) || right(entry),
  ),
  'signing.extension-host.wrong-key-refused': breaks(
    'signing',
    'isAdmitted',
    (right, { surroundings }) =>
      (entry) =>
        (looksSigned(entry) && !isOverAnotherPath(surroundings, entry)) || right(entry),
  ),
  'signing.extension-host.wrong-path-refused': breaks(
    'signing',
    'isAdmitted',
    (right, { surroundings }) =>
      (entry) =>
        (surroundings.apiKey !== undefined && bearerOf(entry) === signatureOf(surroundings.apiKey, metadataPath)) ||
        right(entry),
  ),
  'signing.extension-host.refusal-is-final': breaks('signing', 'refusal', () => () => ({ status: 503 })),
  'signing.extension-host.query-ignored': breaks(
    'signing',
    'isAdmitted',
    (right) => (entry) => (isWithOtherQuery(entry) ? entry.signature?.over.includes('target') === true : right(entry)),
  ),

  'calls.host.event-acknowledged': breaks('calls', 'answerEvent', (right) => async (call) => ({
    ...(await right(call)),
    status: 202,
  })),
  'calls.host.event-acknowledged-first': breaks(
    'background',
    'start',
    (right, background) => (call, work) => (call.kind === 'event' ? background.run(call, work) : right(call, work)),
  ),
  'calls.host.answers-within-timeout': together(
    breaks('metadata', 'announcedRecords', (right) => (records) => {
      const hasted = records.map((record) =>
        record.extensionType === 'ExternalEvent' ? { ...record, requestTimeout: announcedTimeoutSeconds } : record,
      );
      return right(hasted);
    }),
    breaks('calls', 'answerEvent', (right, { surroundings }) => async (call) => {
      await holdBack(surroundings.clock);
      return right(call);
    }),
  ),
  'calls.host.email-acknowledged': breaks(
    'calls',
    'answerEmail',
    (right) => (call) =>
      /<[a-z!]/i.test(String(call.payload['body']))
        ? { status: 400, json: { message: 'Expected a plain text.' } }
        : right(call),
  ),
  'calls.host.validation-object': breaks(
    'calls',
    'validationBody',
    (right) => (objectId, isValid) => (isValid ? { isValid } : right(objectId, isValid)),
  ),
  'calls.host.validation-outcome': breaks('calls', 'isValid', () => () => true),
  'calls.host.action-success-body': breaks('calls', 'successBody', (right) => (result) => {
    const { statusCode, ...body } = Object.assign({ statusCode: 0 }, right(result));
    return { statusCode: String(statusCode), ...body };
  }),
  'calls.host.action-error-body': breaks('calls', 'errorBody', () => (message) => ({ error: message })),
  'calls.host.action-batch-body': breaks('calls', 'batchResults', () => (results) => results[0]),
  'calls.host.uses-envelope-token': breaks('calls', 'tokenOf', (right) => {
    let first: string | undefined;
    return (call) => (first ??= right(call));
  }),
  'calls.host.uses-core-headers': breaks('calls', 'filterHeader', () => () => ({})),
  'calls.host.uses-base-address': breaks('calls', 'workOnEvent', (right) => {
    let first: string | undefined;
    return async (call, signal) => {
      first ??= call.baseAddress;
      await right({ ...call, baseAddress: first }, signal).catch((error: unknown) => {
        if (!(error instanceof CallbackError) || error.status !== undefined) throw error;
        // a configuration that leads nowhere would be corrected
        first = call.baseAddress;
        return right(call, signal);
      });
    };
  }),
  'calls.host.redelivery': breaks(
    'calls',
    'answerEvent',
    (right, { background }) =>
      async (call) =>
        background.knows(call) ? { status: 409 } : right(call),
  ),
  'calls.host.concurrent-calls': breaks('calls', 'answerEvent', (right) => {
    let running = 0;
    return async (call) => {
      if (running > 0) return { status: 503 };
      running += 1;
      const answer = await right(call);
      await machineClock.sleep(slowAnswerMs, unheard);
      running -= 1;
      return answer;
    };
  }),

  'tasks.host.acknowledged-first': breaks(
    'background',
    'start',
    (right, background) => (call, work) => (call.kind === 'task' ? background.run(call, work) : right(call, work)),
  ),
  'tasks.host.final-status': breaks(
    'reports',
    'statusWord',
    (right) => (status) => (status === 'Completed' ? 'completed' : right(status)),
  ),
  'tasks.host.end-is-last': breaks('reports', 'reportEnd', (right, reports) => async (task, status, paths, signal) => {
    await right(task, status, paths, signal);
    await reports.reportProgress(task, 'The task has ended.', signal);
  }),
  'tasks.host.failure-named': breaks(
    'reports',
    'reportFailure',
    (_right, reports) => (task, _outcome, paths, signal) => reports.reportEnd(task, 'Canceled', paths, signal),
  ),
  'tasks.host.status-body': breaks(
    'reports',
    'statusBody',
    () => (paths) => Object.fromEntries(Object.entries(paths).map(([name, path]) => [name, [path]])),
  ),
  'tasks.host.failure-reported': breaks(
    'reports',
    'reportFailure',
    (right, { surroundings }) =>
      async (task, outcome, paths, signal) => {
        if (outcome.isLate) await right(task, outcome, paths, signal);
        else surroundings.say(`Task ${task.id} failed: ${outcome.problem ?? ''}`);
      },
  ),
  'tasks.host.uploads-well-formed': breaks('uploads', 'checksumHeader', () => () => ({})),
  'tasks.host.downloads-input': breaks('uploads', 'deletePart', () => async () => undefined),
  'tasks.host.progress': breaks('reports', 'progressBody', () => (message) => ({ message: message.length })),
  'tasks.host.callback-token': breaks('reports', 'statusHeaders', (right) => (task, status) => {
    const { Authorization: _left, ...headers } = right(task, status);
    return headers;
  }),
  'tasks.host.right-throughout': breaks('reports', 'statusHeaders', (right) => (task, status) => {
    const { Authorization: _left, ...headers } = right(task, status);
    return status === 'Failed' ? headers : right(task, status);
  }),
  'tasks.host.follows-links': breaks('reports', 'statusUrl', () => ({ id, baseAddress, links }, word) => {
    const spaceId =
      links.map(({ url }) => /\/api\/space\/([^/?]+)\//.exec(url)?.[1]).find((found) => found !== undefined) ?? 'main';
    return joinUrl(baseAddress, `/api/space/${spaceId}/dx/${encodeURIComponent(id)}/status/${word}`);
  }),
  'tasks.host.within-timeout': breaks('tasks', 'timeLimitMs', () => () => endlessMs),

  'api-keys.host.request-matches-metadata': breaks('keys', 'permissionsAsked', (right) => (asking) => {
    const names = right(asking);
    return [...names, names.includes('SnapshotAPI') ? 'LicenseCommunicationAPI' : 'SnapshotAPI'];
  }),
  'api-keys.host.callback-accepted': breaks('keys', 'answerCallback', (right) => (entry) => {
    if (entry.method !== 'PUT') return { status: 405, headers: { Allow: 'PUT' } };
    return right({ ...entry, method: 'POST' });
  }),
  'api-keys.host.rotation-handled': together(
    breaks('keys', 'keyLifetimeMs', () => () => Infinity),
    breaks('keys', 'isKeyRefused', () => () => false),
  ),
} satisfies Readonly<Record<string, HostVariant>>;

export type HostFaultId = keyof typeof extensionFaults;

/** Whether there is a fault of that id. */
export function hasHostFault(id: string): id is HostFaultId {
  return Object.hasOwn(extensionFaults, id);
}

/** A host with these faults, which may be given any others. */
export function hostFaults(initial: readonly HostFaultId[] = []): HostFaultChoice {
  return {
    initial,
    known: () => Object.keys(extensionFaults),
    areasWith: (ids) => areasWith(ids.filter(hasHostFault)),
  };
}

function areasWith(faults: readonly HostFaultId[]): HostAreas {
  const variants: Readonly<Record<HostFaultId, HostVariant>> = extensionFaults;
  return faults.reduce((areas: HostAreas, id) => variants[id](areas), rightAreas);
}

/** The first record of a type is announced otherwise than it is; what the host does with calls stays. */
function announceOne(extensionType: string, wrong: (record: MetadataRecord, hostUri: string) => unknown): HostVariant {
  return breaks('metadata', 'announcedRecords', (right, { surroundings }) => (records) => {
    const index = records.findIndex((record) => record.extensionType === extensionType);
    return right(records).map((announced, place) => {
      const record = place === index ? records[index] : undefined;
      return record === undefined ? announced : wrong(record, surroundings.hostUri);
    });
  });
}

/** A further record is announced, made from one of that type. */
function announceAnother(extensionType: string, make: (record: MetadataRecord) => MetadataRecord): HostVariant {
  return breaks('metadata', 'announcedRecords', (right) => (records) => {
    const models = records.filter((record) => record.extensionType === extensionType).slice(0, 1);
    return [...right(records), ...models.map((record) => make({ ...record, id: `${record.id}-2` }))];
  });
}

function bearerOf({ signature }: Entry): string | undefined {
  return signature?.presented;
}

/** Beside the one parameter that this host knows. */
function isWithOtherQuery({ target }: Entry): boolean {
  const query = new URLSearchParams(target.split('?')[1] ?? '');
  return [...query.keys()].some((name) => name !== 'access_token');
}

function looksSigned(entry: Entry): boolean {
  return /^[\w-]{86}$/.test(bearerOf(entry) ?? '');
}

/** Made with the right key, for another address of this host. */
function isOverAnotherPath({ apiKey, records }: Surroundings, entry: Entry): boolean {
  const paths = [metadataPath, ...records().map(({ endpoint }) => endpoint)].filter((path) => path !== pathOf(entry));
  return apiKey !== undefined && paths.some((path) => bearerOf(entry) === signatureOf(apiKey, path));
}

function pathOf({ target }: Entry): string {
  return target.split('?')[0] ?? '';
}

function padBase64(signature: string): string {
  return signature.padEnd(Math.ceil(signature.length / 4) * 4, '=');
}

async function holdBack(clock: HostClock): Promise<void> {
  const over = new AbortController();
  const times = [clock.sleep(heldMs, over.signal, 'held answer'), machineClock.sleep(mostHeldMs, over.signal)];
  await Promise.race(times);
  over.abort();
  await Promise.allSettled(times);
}
