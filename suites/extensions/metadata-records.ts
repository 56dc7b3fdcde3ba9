import { nowhere, permissionNames } from '../../contract/names.ts';
import { type CaseContext, scenario } from '../../judge/case.ts';
import { isSuccess, type Reply } from '../../judge/exchange.ts';
import type { Call, CalledType } from '../../judge/extension/call.ts';
import { type Extension, type MetadataRecord, plentyOfExecutions } from '../../judge/extension/extension.ts';
import {
  callsAt,
  callWaitMs,
  triggerEvent,
  expectCall,
  expectNoCall,
  triggerCall,
  stayQuiet,
  triggeredTypes,
} from '../../judge/extension/trigger-calls.ts';
import { unlessRefused } from '../../judge/violation.ts';
import { rules } from '../../judge/rule.ts';
import type { Thing } from '../../judge/things.ts';
import { eventRecord, oddRecord, offer } from './checks/extension-hosts.ts';
import { firstCallOf, expectTypesOfUpdate, inputOfType, managedTypes, withOtherSort } from './checks/managed-types.ts';
import { expectEachOfItsCategory } from './checks/record-categories.ts';
import { expectAnyIdCalled, expectEachAtItsHost, observeNearlySame, retire } from './checks/same-records.ts';
import { expectValidatedByTypeInBatch, observeEmptyList } from './checks/stopped-promotes.ts';
import { hasPlaceFor, nearlyOneId } from './checks/triggered-calls.ts';
import { updateTo } from './checks/updated-records.ts';

/** A record that has to be left alone, and the id by which it would be called. */
interface Suspect {
  readonly what: string;
  readonly record: MetadataRecord;
  readonly recordId: string;
}

const recordsOfOneType = 101;

const requiredFields = ['id', 'version', 'name', 'endpoint', 'extensionType', 'category'] as const;

const tokenCallback = `${nowhere}/keys`;

/** Source: Semantic Versioning 2.0.0, 2, 9 and 10 */
const versions = [
  '0.0.0',
  '10.20.30',
  '1.0.0-0',
  '1.0.0-x-y-z.--',
  '1.0.0-0a.b',
  '1.0.0+001',
  '0.2.13+1583426134.07-de632',
  '0.0.1-alpha.1+build.5',
];

/** Values that the table of fields allows and that nobody may expect: it calls for numbers, texts and arrays, whatever is in them. */
const unusualValues: Readonly<Record<string, Partial<MetadataRecord>>> = {
  'fractions as numbers': { requestTimeout: 2.5, rateLimitNumberOfExecutions: 7.5 },
  // no larger than the documents name and cases need, no longer than what stores take by habit: how much it may be is not said
  'large numbers and a long text': {
    requestTimeout: 600,
    rateLimitNumberOfExecutions: 1000,
    description: 'Conforms. '.repeat(25),
  },
  'lists that name nothing': {
    capabilities: [softTypes('anything', 'Conforms.to'), softTypes()],
    permissions: { tokenCallback, permissions: [] },
  },
  'an empty text and an empty array': { description: '', capabilities: [], retryForever: false },
};

/** Whether the record that is asked stands first, and what both records can do besides. */
const neighbourhoods = [
  [true, []],
  [false, []],
  [true, [{ capabilityType: 'Region', capabilities: ['north'] }]],
  [false, [{ capabilityType: 'MimeType', capabilities: ['text/csv'] }]],
] as const;

export const metadataRecordRules = rules('metadata', {
  'metadata.records.several-types-usable': {
    source: 'extensions: Metadata exchange (array of records); Extension metadata record',
    statement:
      'Each record of the array is put to use under its own type and endpoint: the first, those in the middle and the last, also where they are of one type and have nearly one id, or one that a language gives to all objects, where another host has records of the same routes, and where one is removed and another takes over its records.',
    fault: 'Only the first record of the array is used.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event', 'trigger-validation'],
    after: ['metadata.fetch.on-registration'],
    test: scenario(async (context) => {
      const { given, expect } = context;
      const types = await typesThatWork(context);
      given.assume(types.length > 1, 'triggers of two types that reach an extension of that type alone');
      const thing = await given.object();
      const extension = await given.extension({ types, concerns: [thing] });
      for (const type of types) {
        const call = await triggerCall(context, extension, type, thing);
        expectCall(context, call, `calls for the record of type ${type}`);
        expect(call?.recordId, `record whose endpoint was called for ${type}`).toEqual(extension.record(type).id);
      }
      await expectEachOfOneType(context);
      await expectEachAtItsHost(context, types);
      await expectSecondOfOneType(context, types);
      await expectEachOfItsCategory(context, types);
    }),
  },
  'metadata.records.optional-fields-omitted': {
    source: 'extensions: Extension metadata record, Required column',
    statement: 'A record with only id, version, name, endpoint, extensionType and category is accepted and used.',
    fault: '`description` is demanded of ExternalEvent records.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
    after: ['metadata.fetch.on-registration'],
    test: scenario(async (context) => {
      await expectUsed(context, eventRecord(context), 'only the required fields', {
        ...eventRecord(context),
        ...allOptional(context),
      });
    }),
  },
  'metadata.records.all-fields-accepted': {
    source: 'extensions: Extension metadata record, table',
    statement:
      'A record with every documented field, with capabilities of the types SoftType, MimeType and BaseType, with permissions and with any version that SemVer knows, is accepted and used, also where a number is a fraction or large, or a text or an array is empty.',
    fault: 'The capabilityType BaseType makes the record invalid.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
    after: ['metadata.records.optional-fields-omitted'],
    test: scenario(async (context) => {
      await expectUsed(context, { ...eventRecord(context), ...allOptional(context) }, 'every documented field');
      await Promise.all(
        versions.map((version) => expectUsed(context, { ...eventRecord(context), version }, `the version ${version}`)),
      );
      for (const [what, values] of Object.entries(unusualValues))
        await expectUsed(context, { ...eventRecord(context), ...values }, what);
    }),
  },
  'metadata.records.unsupported-type-ignored': {
    source: 'extensions: Extension metadata record, row extensionType',
    statement:
      'A record with an unsupported extensionType is skipped: the registration succeeds, the other records work, and the skipped endpoint is never called.',
    fault: 'An unknown extensionType fails the whole registration.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
    after: ['metadata.records.optional-fields-omitted'],
    test: scenario(async (context) => {
      const { expect } = context;
      for (const turn of ['before', 'behind']) {
        const [known, unknown] = [eventRecord(context), { ...eventRecord(context), extensionType: 'CoffeeBrewing' }];
        const { host, reply } = await offer(context, turn === 'before' ? [unknown, known] : [known, unknown]);
        await expectTaken(context, reply, eventRecord(context));
        expectCall(
          context,
          await eventCall(context, host),
          `calls of an ExternalEvent record with one of an unknown type ${turn} it`,
        );
        expect(
          callsAt(host).filter(({ recordId }) => recordId !== known.id).length,
          'calls of the record of unknown type',
        ).toEqual(0);
      }
    }),
  },
  'metadata.records.type-letter-case': {
    level: 'observe',
    source: 'extensions: Extension metadata record, row extensionType (spelling list)',
    statement: 'Whether `externalevent` counts as ExternalEvent or as unsupported is not said.',
    fault: 'Not applicable as a failure; recorded variant: compared without regard to case.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
    test: scenario(async (context) => {
      const record = { ...eventRecord(context), extensionType: 'externalevent' };
      await observeUse(context, [{ what: 'the type externalevent', record, recordId: record.id }]);
    }),
  },
  'metadata.records.missing-required-not-used': {
    level: 'should',
    source: 'extensions: Extension metadata record, Required column',
    statement: 'A record that lacks id, version, name, endpoint, extensionType or category is not put to use.',
    fault: 'A record without `category` is used.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
    after: ['metadata.records.optional-fields-omitted'],
    test: scenario(async (context) => {
      await expectNotUsed(
        context,
        requiredFields.map((field) => suspectWith(context, `no ${field}`, ({ [field]: _left, ...rest }) => rest)),
      );
    }),
  },
  'metadata.records.additional-property-not-used': {
    level: 'should',
    source: 'extensions: Extension metadata record, heading (no additional properties)',
    statement: 'A record with an undocumented property violates the schema and is not put to use.',
    fault: 'Additional properties are dropped silently.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
    after: ['metadata.records.optional-fields-omitted'],
    test: scenario(async (context) => {
      const inside = [{ capabilityType: 'SoftType', capabilities: [], extra: 1 }];
      await expectNotUsed(
        context,
        ['addition', 'extra', 'zone'].map((name) =>
          suspectWith(context, `the undocumented property ${name}`, (record) => ({ ...record, [name]: 1 })),
        ),
      );
      await observeUse(context, [
        suspectWith(context, 'an undocumented member in a capability', (record) => ({
          ...record,
          capabilities: inside,
        })),
      ]);
    }),
  },
  'metadata.records.version-semver': {
    level: 'should',
    source: 'extensions: Extension metadata record, row version; Versioning',
    statement:
      'Versions that do not follow SemVer, such as `1`, `01.0.0`, `1.0.0-01` and the empty string, are not put to use.',
    fault: 'version is an unchecked string.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
    after: ['metadata.records.optional-fields-omitted'],
    test: scenario(async (context) => {
      const withVersion = (version: string) =>
        suspectWith(context, `the version ${JSON.stringify(version)}`, (record) => ({ ...record, version }));
      await expectNotUsed(context, ['1', '01.0.0', '1.0.0-01', '1.0.0-', '1.0.0+', '1.0.0+a+b', ''].map(withVersion));
      // no number is too large for SemVer, though for many a library
      const large = withVersion('1.0.20261129031500');
      const unused = await observeUse(context, [...['1.0', 'v1.0.0'].map(withVersion), large]);
      if (unused.includes(large.what)) context.notes.remark(`a record with ${large.what} is not put to use`);
    }),
  },
  'metadata.records.capability-and-permission-shape': {
    level: 'should',
    source: 'extensions: Extension metadata record, rows capabilities and permissions',
    statement:
      'A record whose capabilities item lacks capabilityType or capabilities, or has one that is no text, or whose permissions object lacks tokenCallback or permissions, or names an unknown permission, is not put to use.',
    fault: 'The permissions object is not validated.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
    after: ['metadata.records.optional-fields-omitted'],
    test: scenario(async (context) => {
      const permissions = [permissionNames[0]];
      const broken = {
        'a capability without capabilityType': { capabilities: [{ capabilities: ['Document'] }] },
        'a capability without capabilities': { capabilities: [{ capabilityType: 'SoftType' }] },
        'a capability that is no text': { capabilities: [{ capabilityType: 'SoftType', capabilities: [7] }] },
        'permissions without tokenCallback': { permissions: { permissions } },
        'permissions without permissions': { permissions: { tokenCallback } },
        'an unknown permission': { permissions: { tokenCallback, permissions: [...permissions, 'CoffeeAPI'] } },
      };
      const suspects = Object.entries(broken).map(([what, members]) =>
        suspectWith(context, what, (record) => ({ ...record, ...members })),
      );
      await expectNotUsed(context, suspects);
      const capabilities = [{ capabilityType: 'Conformance', capabilities: [] }];
      await observeUse(context, [
        suspectWith(context, 'an unknown capabilityType', (record) => ({ ...record, capabilities })),
      ]);
    }),
  },
  'metadata.capability.soft-type-limits-validation': {
    source: 'extensions: Extension metadata record, paragraph on capability use',
    statement:
      'A validation extension is called for objects of the SoftTypes listed under the SoftType capability, wherever in the list and wherever among the capabilities, and not for others, be they those of another record of its host or moved by the same batch.',
    fault: 'SoftType capability is ignored, every validation extension is called.',
    needs: ['collection-admin', 'extension-listener', 'trigger-validation'],
    after: ['metadata.records.all-fields-accepted'],
    test: scenario(async (context) => {
      const { given, triggers, profile } = context;
      const thing = await given.object();
      const [{ definitionId }, second] = [profile.primary, profile.all.softTypes?.second];
      const [unknown, cut] = [given.unique('NoSuchType'), definitionId.slice(0, -1)];
      const concerned = await validatorFor(context, thing, [softTypes(definitionId)]);
      const elsewhere = [unknown, `${definitionId}${unknown}`, cut].concat(second?.definitionId ?? []);
      const others = await Promise.all(
        [elsewhere, elsewhere.slice(-1)].map((ids) => validatorFor(context, thing, [softTypes(...ids)])),
      );
      const ofOtherSort = await withOtherSort(context, 'ExternalValidation', [unknown, definitionId], [thing]);
      await triggers.validation(thing);
      await expectAsked(context, concerned, thing, 'the SoftType of the object');
      await stayQuiet(context);
      for (const other of [...others, ...ofOtherSort])
        expectNoCall(context, other, 'calls of a validation extension for another SoftType');
      if (profile.all.routes?.registrationUpdate !== undefined) await expectTakenAway(context, concerned);
      await retire(context, concerned);
      await observeEmptyList(context);
      for (const [what, capabilities] of Object.entries({
        'two SoftTypes, the second that of the object': [softTypes(unknown, definitionId)],
        'three SoftTypes, the middle one that of the object': [softTypes(unknown, definitionId, elsewhere[1] ?? '')],
        'many SoftTypes, the last that of the object': [
          softTypes(...elsewhere.slice(-1), ...Array.from({ length: 40 }, (_, n) => `${unknown}${n}`), definitionId),
        ],
        'another SoftType, then that of the object in an item of its own': [
          softTypes(unknown),
          softTypes(definitionId),
        ],
        'a file type, then the SoftType of the object, then another in an item of its own': [
          { capabilityType: 'MimeType', capabilities: ['text/csv'] },
          softTypes(definitionId),
          softTypes(unknown),
        ],
      })) {
        const another = await given.object();
        const asked = await validatorFor(context, another, capabilities);
        await triggers.validation(another);
        await expectAsked(context, asked, another, what);
        await retire(context, asked);
      }
      await expectNeighbourSpared(context, elsewhere);
      await expectValidatedByTypeInBatch(context);
    }),
  },
  'metadata.capability.mime-type-limits-task': {
    level: 'should',
    source: 'extensions: Extension metadata record, paragraph on capability use',
    statement:
      'The MimeType capability lists the file types an external task manages, be it in several items, and those of an update from then on, whether the version of the record is another one or not; a job with another file type is not given to it.',
    fault: 'MimeType capability is ignored.',
    needs: ['collection-admin', 'extension-listener', 'trigger-task'],
    after: ['metadata.records.all-fields-accepted'],
    test: scenario(async (context) => {
      const { given, triggers, notes } = context;
      const managing = {
        types: ['ExternalTask'],
        record: {
          capabilities: [Object.values(managedTypes).slice(0, 2), Object.values(managedTypes).slice(2)].map(
            (capabilities) => ({ capabilityType: 'MimeType', capabilities }),
          ),
        },
      } as const;
      const [taken, spared] = [await given.extension(managing), await given.extension(managing)];
      // a job that names the record has made its choice, and one that names none may be done by either
      const isNamed = hasPlaceFor(context, 'task', 'recordId');
      for (const [ending, type] of Object.entries(managedTypes)) {
        const inputPath = await inputOfType(context, ending, type);
        // one extension may be given its tasks one after the other
        const asked = isNamed ? await given.extension(managing) : taken;
        const takers = isNamed ? [asked] : [taken, spared];
        const task = await unlessRefused(() => triggers.task(asked, { inputPath }));
        // where a task that lists no types does not get the file either, its types are not why
        if (task === undefined) await triggers.task(await given.extension({ types: ['ExternalTask'] }), { inputPath });
        context.expect(task, `a task about a file of type ${type}, which is one of its own`).toBePresent();
        const call = task && (await firstCallOf(takers, task));
        expectCall(context, call, `a call of the task about a file of type ${type}, which is one of its own`);
      }
      const foreign = await inputOfType(context, 'pdf', 'application/pdf');
      const { length } = callsAt(spared);
      const otherSort = isNamed ? await withOtherSort(context, 'ExternalTask', ['text/csv', 'application/pdf']) : [];
      for (const one of [spared, ...otherSort]) await unlessRefused(() => triggers.task(one, { inputPath: foreign }));
      await stayQuiet(context);
      const after = callsAt(spared).length;
      for (const one of after === length ? otherSort : [])
        expectNoCall(context, one, 'calls about a file of another sort');
      if (isNamed) notes.bound('mimeTypeLimitsTask', 'a task for text/csv is kept from a PDF file', after === length);
      else context.expect(after, 'calls of a task for text/csv behind a job with a PDF file').toEqual(length);
      if (isNamed) await expectTypesOfUpdate(context, after === length);
    }),
  },
});

/** Asserts that the first and the last of many records of events are called at their own endpoints, where a trigger can name the record: their ids are nearly one. */
async function expectEachOfOneType(context: CaseContext): Promise<void> {
  const { given, notes, expect } = context;
  const isNamed = hasPlaceFor(context, 'event', 'recordId');
  notes.observe('events for one of several records are exercised', isNamed);
  if (!isNamed) return;
  const [first = '', ...near] = nearlyOneId(given.unique('record'));
  const others = Array.from({ length: recordsOfOneType - near.length - 1 }, () => eventRecord(context).id);
  const records = [first, ...others, ...near].map((id) => ({ ...eventRecord(context), id }));
  const extension = await given.extension({ records });
  for (const id of [first, ...near]) {
    const call = await triggerEvent(context, extension, { recordId: id });
    expectCall(context, call, `calls for record ${records.findIndex((record) => record.id === id) + 1} of one type`);
    expect(call?.recordId, 'record whose endpoint was called').toEqual(id);
  }
  await expectAnyIdCalled(context);
  await observeNearlySame(context);
}

/** Asserts that the second of two records of a type is called at its own endpoint, for other types whose trigger names the record. */
async function expectSecondOfOneType(context: CaseContext, types: readonly CalledType[]): Promise<void> {
  const { given, profile, notes, expect } = context;
  const { task, email, actionRibbon, actionForm } = profile.all.triggers ?? {};
  const others = { ExternalTask: task, Email: email, ExternalAction: actionRibbon ?? actionForm } as const;
  for (const type of ['ExternalTask', 'Email', 'ExternalAction'] as const) {
    const isNamed = types.includes(type) && JSON.stringify(others[type]).includes('{{recordId}}');
    notes.observe(`calls of type ${type} for one of several records are exercised`, isNamed);
    if (!isNamed) continue;
    const [first, second] = [eventRecord(context), eventRecord(context)].map((one) => ({
      ...one,
      extensionType: type,
    }));
    const record = given.present(second, 'a second record');
    const extension = await given.extension({ records: [first ?? record, record] });
    const call = await triggerCall(context, { ...extension, record: () => record }, type);
    expectCall(context, call, `calls for the second record of type ${type}`);
    expect(call?.recordId, `record whose endpoint was called for the second of type ${type}`).toEqual(record.id);
  }
}

/** Types whose trigger reaches an extension with a record of that type alone. */
async function typesThatWork(context: CaseContext): Promise<readonly CalledType[]> {
  const { given, notes } = context;
  const works = async (type: CalledType): Promise<boolean> => {
    const thing = await given.object();
    return (
      (await triggerCall(context, await given.extension({ types: [type], concerns: [thing] }), type, thing)) !==
      undefined
    );
  };
  const tried = await Promise.all(triggeredTypes(context).map(async (type) => ({ type, isUsable: await works(type) })));
  notes.observe(
    'types that were exercised',
    tried
      .filter(({ isUsable }) => isUsable)
      .map(({ type }) => type)
      .join(', ') || 'none',
  );
  return tried.filter(({ isUsable }) => isUsable).map(({ type }) => type);
}

/** Asserts that a host with this record is taken and that its event arrives. @param plain a record that shows that events arrive at all */
async function expectUsed(
  context: CaseContext,
  record: MetadataRecord,
  what: string,
  plain: MetadataRecord = eventRecord(context),
): Promise<void> {
  const { host, reply } = await offer(context, [record]);
  await expectTaken(context, reply, plain);
  expectCall(context, await eventCall(context, host, plain), `calls of a record with ${what}`);
}

/** Asserts that a registration was taken; where it was not, one with the plain record has to be. */
async function expectTaken(context: CaseContext, reply: Reply, plain: MetadataRecord): Promise<void> {
  const isRefused = !isSuccess(reply.status);
  const other = isRefused ? (await offer(context, [plain])).reply : reply;
  context.given.succeeded(other, 'a host with another record is registered', [
    'registration.extension.required-only-accepted',
  ]);
  context.expect(reply).toSucceed();
}

/** The call of an event; where none comes another record has to show that events arrive at all. */
async function eventCall(
  context: CaseContext,
  host: Extension,
  plain: MetadataRecord = eventRecord(context),
): Promise<Call | undefined> {
  const call = await triggerEvent(context, host);
  if (call !== undefined) return call;
  const { host: other } = await offer(context, [plain]);
  context.given.present(await triggerEvent(context, other), 'an event that arrives at any extension');
  return undefined;
}

function allOptional({ profile }: CaseContext): Partial<MetadataRecord> {
  return {
    description: 'A record with every field',
    requestTimeout: 30,
    retryForever: true,
    rateLimitNumberOfExecutions: 7,
    capabilities: [
      { capabilityType: 'SoftType', capabilities: [profile.all.softTypes?.primary.definitionId ?? 'Document'] },
      { capabilityType: 'MimeType', capabilities: ['text/csv'] },
      { capabilityType: 'BaseType', capabilities: ['Document'] },
    ],
    permissions: { tokenCallback, permissions: [...permissionNames] },
  };
}

/** Records whether events reach hosts whose only record is such a one. @returns those that are not used */
async function observeUse(context: CaseContext, suspects: readonly Suspect[]): Promise<readonly string[]> {
  const hosts = await eventsAt(context, suspects);
  await stayQuiet(context);
  const calls = (host: Extension): number => host.everything().filter(({ kind }) => kind !== 'metadata').length;
  for (const { host, what } of hosts)
    context.notes.observe(`a record with ${what}`, calls(host) === 0 ? 'not used' : 'used');
  return hosts.filter(({ host }) => calls(host) === 0).map(({ what }) => what);
}

/**
 * An event for each host of a suspect, between two for a healthy host that was registered after them and has to be called: records may be
 * put to use some time after their registration, and until then those of suspects would be refused for that.
 */
async function eventsAt(
  context: CaseContext,
  suspects: readonly Suspect[],
): Promise<readonly (Suspect & { readonly host: Extension })[]> {
  const { given, triggers, notes } = context;
  const offered = await Promise.all(
    suspects.map(async (suspect) => ({ ...suspect, ...(await offer(context, [suspect.record])) })),
  );
  for (const { what, reply } of offered) notes.observe(`registration of a host with ${what}`, reply.status, reply);
  const healthy = await offer(context, [eventRecord(context)]);
  given.succeeded(healthy.reply, 'a host with a right record is registered', [
    'registration.extension.required-only-accepted',
  ]);
  const proveUse = async (): Promise<void> => {
    given.present(await triggerEvent(context, healthy.host), 'the call of a right record', [
      'metadata.records.optional-fields-omitted',
    ]);
  };
  await proveUse();
  const registered = offered.filter(({ reply }) => isSuccess(reply.status));
  await Promise.all(
    registered.map(({ host, recordId }) => unlessRefused(() => triggers.event(host, undefined, { recordId }))),
  );
  await proveUse();
  return offered;
}

/** Asserts that no event reaches hosts whose only record is such a one, while it reaches a right one. */
async function expectNotUsed(context: CaseContext, suspects: readonly Suspect[]): Promise<void> {
  const hosts = await eventsAt(context, suspects);
  await stayQuiet(context);
  for (const { host, what } of hosts) expectNoCall(context, host, `calls of a record with ${what}`);
}

function suspectWith(
  context: CaseContext,
  what: string,
  spoil: (record: MetadataRecord) => Readonly<Record<string, unknown>>,
): Suspect {
  const record = eventRecord(context);
  return { what, record: oddRecord(spoil(record)), recordId: record.id };
}

interface Capability {
  readonly capabilityType: string;
  readonly capabilities: readonly string[];
}

function softTypes(...capabilities: readonly string[]): Capability {
  return { capabilityType: 'SoftType', capabilities };
}

function validatorFor({ given }: CaseContext, thing: Thing, capabilities: readonly Capability[]): Promise<Extension> {
  return given.extension({ types: ['ExternalValidation'], record: { capabilities }, concerns: [thing] });
}

async function expectAsked(context: CaseContext, asked: Extension, { oid }: Thing, what: string): Promise<void> {
  const call = await asked.arrived({ kind: 'validation', objectId: oid }, { withinMs: callWaitMs });
  expectCall(context, call, `calls of a validation extension for ${what}`);
}

/** Of two records of one host, in either order, the one that lists the SoftType of the object is asked alone. */
async function expectNeighbourSpared(context: CaseContext, elsewhere: readonly string[]): Promise<void> {
  const { given, triggers, expect, notes, profile } = context;
  const spared: (() => number)[] = [];
  for (const [isFirst, further] of neighbourhoods) {
    const thing = await given.object();
    const asked = withCapabilities(validationRecord(context, profile.primary.definitionId), further);
    const other = withCapabilities(validationRecord(context, ...elsewhere), further);
    const records = isFirst ? [asked, other] : [other, asked];
    // whether a record with a type of capability that is not in the schema is taken is not said
    const register = (): Promise<Extension> => given.extension({ records, concerns: [thing] });
    const host = further.length === 0 ? await register() : await unlessRefused(register);
    if (host === undefined) continue;
    await triggers.validation(thing);
    const about = { kind: 'validation', objectId: thing.oid } as const;
    const call = await host.arrived({ ...about, recordId: asked.id }, { withinMs: callWaitMs });
    // nor whether that makes it another one
    if (further.length === 0)
      expectCall(context, call, 'calls of a validation extension beside one for another SoftType');
    else notes.observe('a validation extension with a capability of its own is called', call !== undefined);
    spared.push(() => host.calls({ ...about, recordId: other.id }).length);
    await retire(context, host);
  }
  await stayQuiet(context);
  for (const count of spared)
    expect(count(), 'calls for another SoftType beside those for that of the object').toEqual(0);
}

function withCapabilities(record: MetadataRecord, further: MetadataRecord['capabilities'] = []): MetadataRecord {
  return { ...record, capabilities: [...(record.capabilities ?? []), ...further] };
}

function validationRecord(context: CaseContext, ...definitionIds: readonly string[]): MetadataRecord {
  const capabilities = [{ capabilityType: 'SoftType', capabilities: [...definitionIds] }];
  // it is asked about the objects of other cases as well
  const rateLimitNumberOfExecutions = plentyOfExecutions;
  return { ...eventRecord(context), rateLimitNumberOfExecutions, extensionType: 'ExternalValidation', capabilities };
}

/** Once an update has shown that a validation extension is for another SoftType now, it is not called any more, and after the next update it is again; its version stays the same. */
async function expectTakenAway(context: CaseContext, extension: Extension): Promise<void> {
  const { given, triggers, expect } = context;
  const record = extension.record('ExternalValidation');
  const elsewhere = [{ capabilityType: 'SoftType', capabilities: [given.unique('NoSuchType')] }];
  given.present(
    await updateTo(context, extension, [{ ...record, capabilities: elsewhere }], 61),
    'the metadata request of the update',
    ['metadata.fetch.on-update'],
  );
  await stayQuiet(context);
  const thing = await given.object();
  extension.concern(thing);
  await triggers.validation(thing);
  await stayQuiet(context);
  expect(
    extension.calls({ kind: 'validation', objectId: thing.oid }).length,
    'calls for the SoftType of before the update',
  ).toEqual(0);
  await updateTo(context, extension, [record], 62);
  await stayQuiet(context);
  const next = await given.object();
  extension.concern(next);
  await triggers.validation(next);
  await expectAsked(context, extension, next, 'the SoftType that the last update has brought');
}
