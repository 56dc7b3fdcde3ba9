import { isUtf8 } from 'node:buffer';
import { extensionTypes, permissionNames } from '../../contract/names.ts';
import { isObject } from '../../judge/json.ts';
import type { Reply } from '../../judge/exchange.ts';
import { unlessCut } from '../../judge/client/failure.ts';
import { hostScenario } from '../../judge/host/host-case.ts';
import { tellMark } from './json-notation.ts';
import type { HostContext } from '../../judge/host/context.ts';
import {
  type AnnouncedRecord,
  announcedRecords,
  type HostRecord,
  nullMembers,
  type optionalMembers,
} from '../../judge/host/records.ts';
import { rules } from '../../judge/rule.ts';
import { Undecidable } from '../../judge/violation.ts';

const requiredFields = ['id', 'version', 'name', 'endpoint', 'extensionType', 'category'];

const optionalTypes = {
  description: 'string',
  requestTimeout: 'number',
  rateLimitNumberOfExecutions: 'number',
  retryForever: 'boolean',
} as const satisfies Record<(typeof optionalMembers)[number], string>;

const documentedFields = [...requiredFields, ...Object.keys(optionalTypes), 'capabilities', 'permissions'];

const capabilityTypes = ['SoftType', 'MimeType', 'BaseType'];

/** SemVer 2.0.0. */
const semVer =
  /^(?:0|[1-9]\d*)(?:\.(?:0|[1-9]\d*)){2}(?:-(?:0|[1-9]\d*|\d*[a-zA-Z-][\da-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][\da-zA-Z-]*))*)?(?:\+[\da-zA-Z-]+(?:\.[\da-zA-Z-]+)*)?$/;

export const hostMetadataRules = rules('metadata', {
  'metadata.host.array-response': {
    source: 'extensions: Metadata exchange',
    statement:
      'The host answers the signed `GET {hostUri}/svc/extension` with 2xx and a JSON array of objects; an array without a record that a service could call is remarked on.',
    fault: 'Host wraps the array in an object.',
    needs: ['extension-host'],
    after: ['signing.extension-host.right-signature-accepted'],
    test: hostScenario(async ({ host, expect, notes }) => {
      const reply = await host.metadata();
      expect(reply).toSucceed();
      if (reply.status !== 200) notes.remark(`the metadata were served with status ${reply.status}; 200 is usual`);
      expect(reply.json, 'the metadata', reply).toBeAnArray();
      const items = Array.isArray(reply.json) ? (reply.json as readonly unknown[]) : [];
      items.forEach((item, index) => expect(item, `item ${index + 1} of the metadata`, reply).toBeAnObject());
      const known = items.filter((item) => isObject(item) && isOneOf(extensionTypes, item['extensionType']));
      if (known.length === 0)
        notes.remark('no record of the host has a type that a service knows: it will never be called');
      notes.observe('records', items.length);
      const nulls = nullMembers(items);
      if (nulls.length > 0) notes.observe('optional members that are null', nulls.join(', '));
    }),
  },
  'metadata.host.content-type-json': {
    level: 'should',
    source: 'extensions: Metadata exchange (JSON array)',
    statement:
      'The metadata response is labelled `application/json`, or as a kind of JSON (`+json`), and encoded in UTF-8. That it begins with a byte order mark is remarked on.',
    fault: 'Metadata is sent as text/html.',
    needs: ['extension-host'],
    after: ['metadata.host.array-response'],
    test: hostScenario(async (context) => {
      const { host, expect } = context;
      const reply = await host.metadata();
      const [type = '', ...parameters] = expect(reply)
        .toCarry('Content-Type')
        .split(';')
        .map((part) => part.trim().toLowerCase());
      expect(type, 'Content-Type of the metadata', reply).toSatisfy(
        'application/json or a kind of it (+json)',
        (text) => /^application\/(?:json|[^\s/]+\+json)$/.test(text),
      );
      const charset = parameters
        .find((parameter) => parameter.startsWith('charset='))
        ?.slice('charset='.length)
        .replaceAll('"', '');
      expect(charset ?? 'utf-8', 'charset of the metadata', reply).toBeOneOf(['utf-8', 'utf8']);
      tellMark(context, reply, 'the metadata response');
      expect(isUtf8(reply.bytes) ? 'UTF-8' : 'other bytes', 'encoding of the metadata', reply).toEqual('UTF-8');
    }),
  },
  'metadata.host.required-fields': {
    source: 'extensions: Extension metadata record, Required column',
    statement:
      'Every record has id, version, name, endpoint, extensionType and category as strings, also when all were called.',
    fault: '`category` is left out of one record.',
    needs: ['extension-host', 'extension-record'],
    after: ['metadata.host.array-response'],
    test: hostScenario(async (context) => {
      await eachRecordAlsoCalled(context, (record, which, reply) => {
        for (const name of requiredFields) {
          context.expect(record[name], `${name} of ${which}`, reply).toBeAString();
          if (record[name] === '') context.notes.observe(`${name} of ${which}`, 'empty');
        }
      });
    }),
  },
  'metadata.host.no-additional-properties': {
    source: 'extensions: Extension metadata record, heading',
    statement: 'No record has a property outside the documented twelve, also when all were called.',
    fault: 'A record carries `vendor`.',
    needs: ['extension-host', 'extension-record'],
    after: ['metadata.host.array-response'],
    test: hostScenario(async (context) => {
      await eachRecordAlsoCalled(context, (record, which, reply) => {
        context
          .expect(namesBeyond(record, documentedFields), `members of ${which} beyond the documented ones`, reply)
          .toEqual([]);
        const nested = namesBeyond(record['permissions'], ['tokenCallback', 'permissions']);
        if (nested.length > 0) context.notes.observe(`further members in permissions of ${which}`, nested.join(', '));
      });
    }),
  },
  'metadata.host.optional-field-types': {
    source:
      'extensions: Extension metadata record, rows description, requestTimeout, retryForever and rateLimitNumberOfExecutions',
    statement:
      'Optional fields, where they have a value, have their types: description string, requestTimeout and rateLimitNumberOfExecutions number, retryForever boolean.',
    fault: 'requestTimeout is sent as text.',
    needs: ['extension-host', 'extension-options'],
    after: ['metadata.host.array-response'],
    test: hostScenario(async (context) => {
      await eachRecord(
        context,
        (record, which, reply) => {
          for (const [name, type] of Object.entries(optionalTypes)) {
            const value = record[name];
            if (value !== undefined)
              context
                .expect(value, `${name} of ${which}`, reply)
                .toSatisfy(`a ${type}`, (found) => typeof found === type);
            if (typeof value === 'number' && value <= 0) context.notes.observe(`${name} of ${which}`, value);
            if (typeof value === 'number' && value < 0)
              context.notes.remark(`${name} of ${which} is ${value}, which is no time and no number of calls`);
          }
        },
        Object.keys(optionalTypes),
      );
    }),
  },
  'metadata.host.version-semver': {
    source: 'extensions: Extension metadata record, row version; Versioning',
    statement: 'The version of each record is valid SemVer.',
    fault: 'version is `1.0`.',
    needs: ['extension-host', 'extension-record'],
    after: ['metadata.host.required-fields'],
    test: hostScenario(async (context) => {
      await eachRecord(context, ({ version }, which, reply) =>
        context
          .expect(version, `version of ${which}`, reply)
          .toSatisfy('a version by SemVer 2.0.0', (text) => semVer.test(String(text))),
      );
    }),
  },
  'metadata.host.extension-type-known': {
    level: 'should',
    source: 'extensions: Extension metadata record, row extensionType',
    statement: 'extensionType is one of the thirteen documented names, as a service ignores others.',
    fault: '`externalEvent` in camel case.',
    needs: ['extension-host', 'extension-record'],
    after: ['metadata.host.required-fields'],
    test: hostScenario(async (context) => {
      await eachRecord(context, ({ extensionType }, which, reply) =>
        context.expect(extensionType, `extensionType of ${which}`, reply).toBeOneOf(extensionTypes),
      );
    }),
  },
  'metadata.host.endpoint-relative': {
    source: 'extensions: Extension metadata record, row endpoint',
    statement: 'endpoint is a route relative to hostUri, not an absolute URL.',
    fault: 'endpoint holds the full URL.',
    needs: ['extension-host', 'extension-record'],
    after: ['metadata.host.required-fields'],
    test: hostScenario(async (context) => {
      const endpoints: unknown[] = [];
      await eachRecord(context, ({ endpoint }, which, reply) => {
        // a colon alone makes no scheme: a segment may have one
        const isRelative = (text: unknown): boolean => !/^\s*(?:[a-z][a-z\d+.-]*:)?\/\//i.test(String(text));
        context
          .expect(endpoint, `endpoint of ${which}`, reply)
          .toSatisfy('a route from hostUri on, without scheme or host', isRelative);
        endpoints.push(endpoint);
      });
      context.notes.observe(
        'endpoints that start with a slash',
        endpoints.filter((endpoint) => String(endpoint).startsWith('/')).length,
      );
      context.notes.observe('records that share an endpoint with another', endpoints.length - new Set(endpoints).size);
    }),
  },
  'metadata.host.endpoint-served': {
    source: 'extensions: Extension metadata record, row endpoint; Calls to extensions',
    statement:
      'A signed POST with a matching envelope to hostUri joined with each announced endpoint reaches a handler: neither 404 nor 405.',
    fault: 'One announced endpoint is not routed.',
    needs: ['extension-host', 'extension-call'],
    after: ['metadata.host.endpoint-relative', 'signing.extension-host.right-signature-accepted'],
    test: hostScenario(async ({ host, records, stage, given, samples, expect, notes }) => {
      const installation = await stage.installation();
      const elsewhere = given.unique('not-announced');
      // whoever is let in nowhere else may meet the end of the connection there
      const sibling = await unlessCut(() =>
        host.send('POST', `${host.hostUri}/${elsewhere}`, { body: '{}', fresh: true }),
      );
      notes.observe('status of a path that no record announces', sibling?.status ?? 'the end of the connection');
      const unknown: HostRecord[] = [];
      for (const record of records.all) {
        const reply = await host.call(installation.call(record));
        // of an object that the suite makes up a handler may say that it is not there
        const isOfHandler = reply.status === 404 && reply.text !== sibling?.text;
        if (isOfHandler && isObjectMadeUp(record, samples.all)) unknown.push(record);
        else
          expect(
            reply.status,
            `status of a call to record ${JSON.stringify(record.id)} at its endpoint`,
            reply,
          ).toSatisfy('neither 404 nor 405', (status) => status !== 404 && status !== 405);
      }
      for (const { id, type } of unknown)
        given.inconclusive(
          `record ${JSON.stringify(id)} answers 404 to a payload that the suite makes up, which may be about what is called: add extensionHost.samples.${type === 'ExternalAction' ? 'action' : 'validation'} to the profile`,
        );
    }),
  },
  'metadata.host.capabilities-shape': {
    source: 'extensions: Extension metadata record, row capabilities',
    statement:
      'capabilities, where it has a value, is an array whose items have capabilityType (string) and capabilities (array of strings).',
    fault: 'capabilities of an item is a single string.',
    needs: ['extension-host', 'extension-capabilities'],
    after: ['metadata.host.array-response'],
    test: hostScenario(async (context) => {
      await eachRecord(
        context,
        ({ capabilities }, which, reply) => {
          context.expect(capabilities, `capabilities of ${which}`, reply).toBeAnArray();
          for (const item of itemsOf(capabilities)) {
            context
              .expect(item, `a capability of ${which}`, reply)
              .toSatisfy('an object with capabilityType (string) and capabilities (array of strings)', isCapability);
            const type = isObject(item) ? item['capabilityType'] : undefined;
            if (!isOneOf(capabilityTypes, type)) context.notes.observe(`capabilityType of ${which}`, String(type));
          }
        },
        ['capabilities'],
      );
    }),
  },
  'metadata.host.permissions-shape': {
    source: 'extensions: Extension metadata record, row permissions; Permission names',
    statement:
      'permissions, where it has a value, has tokenCallback (string) and permissions, an array of the five documented names.',
    fault: 'tokenCallback is left out.',
    needs: ['extension-host', 'extension-permissions-member'],
    after: ['metadata.host.array-response'],
    test: hostScenario(async (context) => {
      await eachRecord(
        context,
        ({ permissions }, which, reply) => {
          context.expect(permissions, `permissions of ${which}`, reply).toBeAnObject();
          const { tokenCallback, permissions: names } = isObject(permissions) ? permissions : {};
          context.expect(tokenCallback, `tokenCallback of ${which}`, reply).toBeAString();
          context.expect(names, `names in permissions of ${which}`, reply).toBeAnArray();
          for (const name of itemsOf(names))
            context.expect(name, `a name in permissions of ${which}`, reply).toBeOneOf(permissionNames);
        },
        ['permissions'],
      );
    }),
  },
  'metadata.host.ids-unique': {
    level: 'should',
    source: 'extensions: Extension metadata record, row id; Acquiring API keys (id used as path segment)',
    statement:
      'Record ids are unique within one host; ids that cannot be a segment of a path are recorded, and remarked on where they are others at the next reading, as those that a service knows lead nowhere then.',
    fault: 'Two records share an id.',
    needs: ['extension-host', 'extension-record'],
    after: ['metadata.host.required-fields'],
    test: hostScenario(async (context) => {
      const { reply, records } = await readRecords(context);
      const ids = records.map(({ id }) => id);
      const repeated = [...Map.groupBy(ids, (id) => id)].filter(([, same]) => same.length > 1).map(([id]) => id);
      context.expect(repeated, 'ids that more than one record has', reply).toEqual([]);
      const odd = ids.filter((id) => /^\.{0,2}$|[/\\\u0000-\u001f]/.test(String(id)));
      if (odd.length > 0) context.notes.observe('ids that make no path segment', odd.join(', '));
      await tellOtherIds(context, ids);
    }),
  },
});

/** By the id of a record its extension asks for keys, long after the metadata were read. Records may come and go meanwhile. Source: extensions, Acquiring API keys */
async function tellOtherIds(context: HostContext, ids: readonly unknown[]): Promise<void> {
  const { reply, records } = await readRecords(context);
  if (records.length > 0 && ids.length > 0 && records.every(({ id }) => !ids.includes(id)))
    context.notes.remark('every record has an id that it had not when the metadata were read before', reply);
}

/** Whether a call of the record is about an object of which only the suite knows. */
function isObjectMadeUp({ type }: HostRecord, { validation, action }: HostContext['samples']['all']): boolean {
  return (
    (type === 'ExternalValidation' && validation === undefined) ||
    (type === 'ExternalAction' && action?.success === undefined)
  );
}

function isOneOf(words: readonly string[], value: unknown): boolean {
  return typeof value === 'string' && words.includes(value);
}

/**
 * Checks each record of a fresh metadata answer. @param check gets the record and which one it is, in words
 * @param about members of which a record has to have one to be checked; any record is unless given
 * @throws {Inconclusive} there is none
 */
async function eachRecord(
  context: HostContext,
  check: (record: AnnouncedRecord, name: string, reply: Reply) => void,
  about: readonly string[] = [],
): Promise<void> {
  const { reply, records } = await readRecords(context);
  let checked = 0;
  for (const [index, record] of records.entries()) {
    if (about.length > 0 && !about.some((name) => record[name] !== undefined)) continue;
    check(record, nameOf(record, index), reply);
    checked += 1;
  }
  const what = about.length === 0 ? 'record' : `record with ${about.join(' or ')}`;
  if (checked === 0) context.given.notExercised(`the host announces no ${what}`);
}

/** The same, and once more when all were called: what becomes of a call is the business of other rules, but it may leave something in the metadata. */
async function eachRecordAlsoCalled(context: HostContext, check: Parameters<typeof eachRecord>[1]): Promise<void> {
  await eachRecord(context, check);
  const { stage, host, records } = context;
  const installation = await stage.installation().catch((error: unknown) => {
    // the host cannot reach the suite, and need not for this
    if (error instanceof Undecidable) return undefined;
    throw error;
  });
  if (installation === undefined) return;
  await Promise.allSettled(records.all.map((record) => host.call(installation.call(record))));
  await eachRecord(context, (record, which, reply) => check(record, `${which}, when all were called`, reply));
}

/** The items of a fresh metadata answer that are objects; that it is an array of them is the business of another rule. */
async function readRecords({
  host,
  given,
}: HostContext): Promise<{ readonly reply: Reply; readonly records: readonly AnnouncedRecord[] }> {
  const reply = await host.metadata();
  given.succeeded(reply, 'the metadata are served', ['metadata.host.array-response']);
  const items = given.present(
    Array.isArray(reply.json) ? (reply.json as readonly unknown[]) : undefined,
    'a metadata array',
    ['metadata.host.array-response'],
  );
  return { reply, records: announcedRecords(items) };
}

function nameOf({ id }: AnnouncedRecord, index: number): string {
  return typeof id === 'string' ? `record ${JSON.stringify(id)}` : `record ${index + 1}`;
}

function namesBeyond(value: unknown, known: readonly string[]): readonly string[] {
  return isObject(value) ? Object.keys(value).filter((name) => !known.includes(name)) : [];
}

function itemsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function isCapability(item: unknown): boolean {
  return (
    isObject(item) &&
    typeof item['capabilityType'] === 'string' &&
    Array.isArray(item['capabilities']) &&
    item['capabilities'].every((text) => typeof text === 'string')
  );
}
