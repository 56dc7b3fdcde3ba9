import fc from 'fast-check';
import { extensionTypes, permissionNames } from '../../contract/names.ts';

/** The smallest record. */
export const smallest = {
  id: 'event',
  version: '1.0.0',
  name: 'Event',
  endpoint: 'events/one',
  extensionType: 'ExternalEvent',
  category: 'tests',
} as const;

const number = fc.nat(999).map(String);
const part = fc.stringMatching(/^(?:0|[1-9][0-9]{0,3}|[a-z-][0-9a-z-]{0,5})$/);
const dotted = fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('.'));
const semVer = fc
  .record({ core: fc.tuple(number, number, number), pre: fc.option(dotted), build: fc.option(dotted) })
  .map(
    ({ core, pre, build }) => `${core.join('.')}${pre === null ? '' : `-${pre}`}${build === null ? '' : `+${build}`}`,
  );

const text = fc.string({ unit: 'grapheme' });
const filled = fc.string({ unit: 'grapheme', minLength: 1 });

/** Records that fit the schema, with and without what may be left out. */
export const recordArbitrary = fc.record(
  {
    id: filled,
    version: semVer,
    name: text,
    endpoint: fc.stringMatching(/^\/?[a-z0-9]{1,8}(?:\/[a-z0-9]{1,8}){0,2}$/),
    extensionType: fc.constantFrom(...extensionTypes),
    category: text,
    description: text,
    requestTimeout: fc.double({ min: 0.1, max: 1e6, noNaN: true }),
    retryForever: fc.boolean(),
    rateLimitNumberOfExecutions: fc.integer({ min: 1 }),
    capabilities: fc.array(
      fc.record({ capabilityType: filled, capabilities: fc.array(text) }, { noNullPrototype: true }),
    ),
    permissions: fc.record(
      { tokenCallback: filled, permissions: fc.subarray([...permissionNames]) },
      { noNullPrototype: true },
    ),
  },
  { requiredKeys: ['id', 'version', 'name', 'endpoint', 'extensionType', 'category'], noNullPrototype: true },
);
