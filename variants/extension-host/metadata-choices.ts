import type { RuleId } from '../../contract/rule.ts';
import { together } from './breaks.ts';
import { breaks, type Freedom, type HostVariant, recordsWith } from './choice.ts';

const optional = ['description', 'requestTimeout', 'retryForever', 'rateLimitNumberOfExecutions', 'capabilities'];
const undocumentedTypes = ['FilePreview', 'FullTextIndexing', 'EventLogging', 'ExternalView', 'NameValue', 'Identity'];
const [soonMs, laterMs] = [50, 700];
const viewRecord = {
  id: 'view-with-keys',
  version: '1.0.0',
  name: 'View',
  endpoint: '/view',
  extensionType: 'ExternalView',
  category: 'view',
};
/** Rules about what the bundled host does because of events alone. */
const byEvents: readonly RuleId[] = ['api-keys.host.rotation-handled', 'calls.host.uses-core-headers'];
/** Rules about what it does because of events and tasks. */
const byWork: readonly RuleId[] = [
  'calls.host.uses-envelope-token',
  'calls.host.uses-base-address',
  'calls.host.correlation-id-used',
];

/** What metadata may look like. */
export const metadataFreedoms: readonly Freedom[] = [
  {
    open: 'extensions: Extension metadata record, Required column: how an optional member looks that has no value',
    choices: [
      {
        meets: 'optional members without a value are null',
        by: breaks('metadata', 'announcedRecords', (right) => (records) => {
          const nulls = Object.fromEntries([...optional, 'permissions'].map((name) => [name, null]));
          return right(records).map((record) => ({ ...nulls, ...Object(record) }));
        }),
      },
      {
        meets: 'no optional member but permissions is announced',
        by: breaks('metadata', 'announcedRecords', (right) => (records) => {
          const isKept = ([name]: [string, unknown]): boolean => !optional.includes(name);
          return right(records).map((record) => Object.fromEntries(Object.entries(Object(record)).filter(isKept)));
        }),
      },
      {
        meets: 'every record has every optional member, and numbers are no integers',
        records: recordsWith((record) => ({
          description: 'Much to say. '.repeat(10_000),
          requestTimeout: 12.5,
          retryForever: true,
          rateLimitNumberOfExecutions: 7.5,
          capabilities: [],
          ...(record.capabilities && { capabilities: record.capabilities }),
        })),
      },
    ],
  },
  {
    open: 'extensions: Metadata exchange: which kind of JSON it is called',
    choices: [
      {
        meets: 'metadata go by a JSON type of their own',
        by: breaks('metadata', 'answer', (right) => () => ({
          ...right(),
          headers: { 'Content-Type': 'application/vnd.example.extensions+json' },
        })),
      },
    ],
  },
  {
    open: 'extensions: Extension metadata record, row extensionType: how many records of which types there are',
    choices: [
      {
        meets: 'each type has two records, whose endpoints differ in their query',
        records: (records) =>
          records.flatMap((record) => [
            record,
            { ...record, id: `${record.id}-other`, name: record.name, endpoint: `${record.endpoint}?of=other` },
          ]),
      },
      {
        meets: 'events and actions are all that it takes',
        records: (records) => records.filter(({ extensionType }) => /Event|Action/.test(extensionType)),
      },
      {
        meets: 'tasks and mails are all that it takes',
        records: (records) => records.filter(({ extensionType }) => /Task|Email/.test(extensionType)),
        mayNotShow: [...byEvents],
      },
      {
        meets: 'validations are all that it takes',
        records: (records) => records.filter(({ extensionType }) => extensionType.includes('Validation')),
        mayNotShow: [...byEvents, ...byWork],
      },
      {
        meets: 'a mail handler alone is announced',
        records: (records) => records.filter(({ extensionType }) => extensionType === 'Email'),
        mayNotShow: [...byEvents, ...byWork],
      },
      {
        meets: 'records whose calls no document shows stand before the others',
        records: (records) => [
          ...undocumentedTypes.map((extensionType) => ({
            id: `further-${extensionType}`,
            version: '0.0.1',
            name: extensionType,
            endpoint: `/further/${extensionType}`,
            extensionType,
            category: '',
          })),
          ...records,
        ],
      },
    ],
  },
  {
    open: 'extensions: Metadata exchange: the order of the records',
    choices: [{ meets: 'the records come in the opposite order', records: (records) => records.toReversed() }],
  },
  {
    open: 'endpoint-joining',
    choices: [
      {
        meets: 'endpoints have no slash in front',
        records: recordsWith(({ endpoint }) => ({ endpoint: endpoint.replace(/^\/+/, '') })),
      },
      {
        meets: 'endpoints lie deep and end in a slash',
        records: recordsWith(({ endpoint: place }) => ({ endpoint: `/api/v2/hooks${endingInSlash(place)}` })),
      },
      {
        meets: 'endpoints have a query of their own',
        records: recordsWith(({ endpoint }) => ({
          endpoint: `${endpoint}${endpoint.includes('?') ? '&' : '?'}code=A%2Bb%3D%3D&api-version=2`,
        })),
      },
      {
        meets: 'endpoints have a colon in their first segment',
        records: recordsWith(({ endpoint }) => ({
          endpoint: endpoint.replace(/^\.?\/*/, '').replace(/^[^/?]*/, (segment) => `${segment}:run`),
        })),
      },
      {
        meets: 'endpoints begin with a dot',
        by: breaks(
          'metadata',
          'announcedRecords',
          (right) => (records) =>
            right(records.map((record) => ({ ...record, endpoint: `./${record.endpoint.replace(/^\/+/, '')}` }))),
        ),
      },
    ],
  },
  {
    open: 'signature-path-encoding',
    choices: [
      {
        meets: 'endpoints have encoded signs, which are signed as they stand',
        records: recordsWith(({ endpoint }) => ({
          endpoint: `/h%C3%B6r%20zu/(a,b;c=1)/~x%2e${endpoint.replace(/^\.?\/*/, '/')}`,
        })),
      },
    ],
  },
  {
    open: 'extensions: Extension metadata record, row version: which versions',
    choices: [
      {
        meets: 'versions have pre-release and build',
        records: recordsWith((_record, index) => ({ version: `0.${index}.10-rc.1.x-y.7+build.05.sha-1f` })),
      },
      { meets: 'versions are long', records: recordsWith(() => ({ version: '20261125.0.99999999999999999999' })) },
    ],
  },
  {
    open: 'extensions: Extension metadata record, rows id, name and category: which texts',
    choices: [
      {
        meets: 'ids are URNs, names and categories have every letter',
        records: recordsWith(({ id }) => ({
          id: `urn:company:${id}`,
          name: 'Prüfung "Größe" \u{1F600} <b>&amp;</b>',
          category: 'Kategorie / ä',
        })),
      },
      {
        meets: 'ids have spaces, signs and letters of other scripts',
        records: recordsWith(({ id }) => ({ id: `${id} №1 100% (a+b) ?#&`, name: '', category: ' ' })),
      },
    ],
  },
  {
    open: 'metadata-capability-type',
    choices: [
      {
        meets: 'capabilities of types of its own, and of none',
        records: recordsWith(() => ({
          capabilities: [
            { capabilityType: 'SoftType', capabilities: [] },
            { capabilityType: 'Vendor.Own', capabilities: ['', 'x', 'x'] },
            { capabilityType: 'BaseType', capabilities: ['Document'] },
          ],
        })),
      },
    ],
  },
  {
    open: 'extensions: Acquiring API keys: which of the permissions are asked for',
    choices: [
      {
        meets: 'one of its permissions is all that it asks for',
        by: breaks('keys', 'permissionsAsked', (right) => (asking) => right(asking).slice(0, 1)),
      },
    ],
  },
  {
    open: 'other-extension-payloads',
    choices: [
      {
        meets: 'a record that nobody calls asks for keys as well',
        by: together(
          breaks('metadata', 'announcedRecords', (right) => (records) => {
            const asking = records.find(({ permissions }) => permissions !== undefined);
            const { tokenCallback = '' } = asking?.permissions ?? {};
            const view = { ...viewRecord, permissions: { tokenCallback, permissions: ['SnapshotAPI'] } };
            return right(asking === undefined ? records : [view, ...records]);
          }),
          breaks('keys', 'asking', (right) => () => {
            const [first] = right();
            const view = first && { ...first, id: viewRecord.id, permissions: ['SnapshotAPI'] };
            return view === undefined ? [] : [...right(), view];
          }),
        ),
      },
    ],
  },
  {
    open: 'key-rotation-overlap',
    choices: [
      {
        meets: 'other keys are asked for each day, and not because one is refused',
        by: breaks('keys', 'isKeyRefused', () => () => false),
      },
    ],
  },
  {
    open: 'extensions: Acquiring API keys: when they are asked for',
    choices: [
      { meets: 'keys are asked for some time after the first call', by: askingAfter(laterMs) },
      {
        meets: 'keys are never asked for',
        by: breaks('keys', 'learn', () => () => undefined),
        mayNotShow: [
          'api-keys.host.request-matches-metadata',
          'api-keys.host.callback-accepted',
          'api-keys.host.rotation-handled',
        ],
      },
      { meets: 'keys are asked for right after the first call', by: askingAfter(soonMs) },
    ],
  },
  {
    open: 'acquire-callback-details',
    choices: [
      {
        meets: 'keys are taken with 204',
        by: breaks('keys', 'answerCallback', (right) => (entry) => {
          const step = right(entry);
          return step.status === 200 ? { status: 204 } : step;
        }),
      },
      {
        meets: 'keys are brought to an address below hostUri, which is told without it, and taken with 202 and a body',
        by: together(
          breaks(
            'keys',
            'asking',
            (right, { surroundings }) =>
              () =>
                right().map((asking) => ({
                  ...asking,
                  tokenCallback: asking.tokenCallback.replace(surroundings.hostUri, ''),
                })),
          ),
          breaks(
            'keys',
            'isCallback',
            (_right, keys) =>
              ({ path }) =>
                keys.asking().some(({ tokenCallback }) => tokenCallback === path),
          ),
          breaks(
            'metadata',
            'announcedRecords',
            (right, { surroundings }) =>
              (records) =>
                right(
                  records.map(({ permissions, ...record }) => ({
                    ...record,
                    ...(permissions && {
                      permissions: {
                        ...permissions,
                        tokenCallback: permissions.tokenCallback.replace(surroundings.hostUri, ''),
                      },
                    }),
                  })),
                ),
          ),
          breaks('keys', 'answerCallback', (right) => (entry) => {
            const step = right(entry);
            return step.status === 200 ? { status: 202, json: { taken: true } } : step;
          }),
        ),
      },
    ],
  },
];

function askingAfter(delayMs: number): HostVariant {
  return breaks('keys', 'learn', (right, { surroundings: { clock } }) => (baseAddress) => {
    clock.sleep(delayMs, new AbortController().signal, 'keys later').then(
      () => right(baseAddress),
      () => undefined,
    );
  });
}

function endingInSlash(place: string): string {
  const [path = '', ...query] = place.replace(/^\.?\/*/, '/').split('?');
  return [`${path}/`, ...query].join('?');
}
