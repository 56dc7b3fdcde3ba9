import { extensionTypes, permissionNames } from '../../contract/names.ts';
import type { SomeCasesOf } from '../../judge/case.ts';
import { hostScenario } from '../../judge/host/host-case.ts';
import { isObject } from '../../judge/answer.ts';
import { hostServedCases } from './host-served.ts';
import { eachRecord, readRecords } from './host-words.ts';

const required = ['id', 'version', 'name', 'endpoint', 'extensionType', 'category'];
const optionalTypes = {
  description: 'string',
  requestTimeout: 'number',
  rateLimitNumberOfExecutions: 'number',
  retryForever: 'boolean',
} as const;
const documented = [...required, ...Object.keys(optionalTypes), 'capabilities', 'permissions'];
const capabilityTypes = ['SoftType', 'MimeType', 'BaseType'];
/** SemVer 2.0.0. */
const semVer =
  /^(?:0|[1-9]\d*)(?:\.(?:0|[1-9]\d*)){2}(?:-(?:0|[1-9]\d*|\d*[a-zA-Z-][\da-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][\da-zA-Z-]*))*)?(?:\+[\da-zA-Z-]+(?:\.[\da-zA-Z-]+)*)?$/;

export const hostCases = {
  ...hostServedCases,

  'metadata.host.array-response': hostScenario(async ({ host, expect, notes }) => {
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
  }),

  'metadata.host.content-type-json': hostScenario(async ({ host, expect }) => {
    const reply = await host.metadata();
    const [type = '', ...parameters] = expect(reply)
      .toCarry('Content-Type')
      .split(';')
      .map((part) => part.trim().toLowerCase());
    expect(type, 'Content-Type of the metadata', reply).toEqual('application/json');
    const charset = parameters
      .find((parameter) => parameter.startsWith('charset='))
      ?.slice('charset='.length)
      .replaceAll('"', '');
    expect(charset ?? 'utf-8', 'charset of the metadata', reply).toBeOneOf(['utf-8', 'utf8']);
  }),

  'metadata.host.required-fields': hostScenario(async (context) => {
    await eachRecord(context, (record, which, reply) => {
      for (const name of required) {
        context.expect(record[name], `${name} of ${which}`, reply).toBeAString();
        if (record[name] === '') context.notes.observe(`${name} of ${which}`, 'empty');
      }
    });
  }),

  'metadata.host.no-additional-properties': hostScenario(async (context) => {
    await eachRecord(context, (record, which, reply) => {
      context.expect(beyond(record, documented), `members of ${which} beyond the documented ones`, reply).toEqual([]);
      const nested = beyond(record['permissions'], ['tokenCallback', 'permissions']);
      if (nested.length > 0) context.notes.observe(`further members in permissions of ${which}`, nested.join(', '));
    });
  }),

  'metadata.host.optional-field-types': hostScenario(async (context) => {
    await eachRecord(context, (record, which, reply) => {
      for (const [name, type] of Object.entries(optionalTypes)) {
        const value = record[name];
        if (value !== undefined)
          context.expect(value, `${name} of ${which}`, reply).toSatisfy(`a ${type}`, (found) => typeof found === type);
        if (typeof value === 'number' && value <= 0) context.notes.observe(`${name} of ${which}`, value);
      }
    });
  }),

  'metadata.host.version-semver': hostScenario(async (context) => {
    await eachRecord(context, ({ version }, which, reply) =>
      context
        .expect(version, `version of ${which}`, reply)
        .toSatisfy('a version by SemVer 2.0.0', (text) => semVer.test(String(text))),
    );
  }),

  'metadata.host.extension-type-known': hostScenario(async (context) => {
    await eachRecord(context, ({ extensionType }, which, reply) =>
      context.expect(extensionType, `extensionType of ${which}`, reply).toBeOneOf(extensionTypes),
    );
  }),

  'metadata.host.capabilities-shape': hostScenario(async (context) => {
    await eachRecord(context, ({ capabilities }, which, reply) => {
      if (capabilities === undefined) return;
      context.expect(capabilities, `capabilities of ${which}`, reply).toBeAnArray();
      for (const item of itemsOf(capabilities)) {
        context
          .expect(item, `a capability of ${which}`, reply)
          .toSatisfy('an object with capabilityType (string) and capabilities (array of strings)', isCapability);
        const type = isObject(item) ? item['capabilityType'] : undefined;
        if (!isOneOf(capabilityTypes, type)) context.notes.observe(`capabilityType of ${which}`, String(type));
      }
    });
  }),

  'metadata.host.permissions-shape': hostScenario(async (context) => {
    await eachRecord(context, ({ permissions }, which, reply) => {
      if (permissions === undefined) return;
      context.expect(permissions, `permissions of ${which}`, reply).toBeAnObject();
      const { tokenCallback, permissions: names } = isObject(permissions) ? permissions : {};
      context.expect(tokenCallback, `tokenCallback of ${which}`, reply).toBeAString();
      context.expect(names, `names in permissions of ${which}`, reply).toBeAnArray();
      for (const name of itemsOf(names))
        context.expect(name, `a name in permissions of ${which}`, reply).toBeOneOf(permissionNames);
    });
  }),

  'metadata.host.ids-unique': hostScenario(async (context) => {
    const { reply, records } = await readRecords(context);
    const ids = records.map(({ id }) => id);
    const repeated = [...Map.groupBy(ids, (id) => id)].filter(([, same]) => same.length > 1).map(([id]) => id);
    context.expect(repeated, 'ids that more than one record has', reply).toEqual([]);
    const odd = ids.filter((id) => /^\.{0,2}$|[/\\\u0000-\u001f]/.test(String(id)));
    if (odd.length > 0) context.notes.observe('ids that make no path segment', odd.join(', '));
  }),
} satisfies SomeCasesOf<'metadata'>;

function beyond(value: unknown, known: readonly string[]): readonly string[] {
  return isObject(value) ? Object.keys(value).filter((name) => !known.includes(name)) : [];
}

function isCapability(item: unknown): boolean {
  return (
    isObject(item) &&
    typeof item['capabilityType'] === 'string' &&
    Array.isArray(item['capabilities']) &&
    item['capabilities'].every((text) => typeof text === 'string')
  );
}

function itemsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function isOneOf(words: readonly string[], value: unknown): boolean {
  return typeof value === 'string' && words.includes(value);
}
