import { AsyncLocalStorage } from 'node:async_hooks';
import { capabilitiesOf, Misfit } from '../../../reference-server/areas/records.ts';
import type { Addressee } from '../../../reference-server/areas/triggered-calls.ts';
import { mimeTypeOf } from '../../../reference-server/areas/triggers.ts';
import type { Verdict } from '../../../reference-server/http/call.ts';
import { breaks, replaces, together } from '../../breaks.ts';
import { always, callsOf, callsTo, recordOf, task, validator, validatorOf } from '../hosts.ts';
import type { Mistakes } from '../mistake.ts';
import { changeExtension, isUncalled, promoteOf, promoteOne, promotes, scheduleTask } from '../proofs.ts';
import { listAt, many } from '../service.ts';
import { changes, keeps, leavesOut } from '../variant-parts.ts';

/** The SoftType whose validators were looked for first in a request. */
interface FirstType {
  softTypeId?: string;
}

export const capabilitiesMistakes: Mistakes = {
  'metadata.last-capability-of-a-type': {
    source: 'extensions: Extension metadata record, capabilities',
    breaks: 'A record may have several capabilities of one type, and all of them count.',
    variant: changes('metadata', 'recordFrom', (record) => {
      if (record instanceof Misfit || record.capabilities === undefined) return record;
      const byType = new Map(record.capabilities.map((capability) => [capability.capabilityType, capability]));
      return { ...record, capabilities: [...byType.values()] };
    }),
    async shows(service) {
      const capabilities = ['Document', 'Part'].flatMap((id) => validatorOf(id).capabilities);
      const host = await service.host([{ ...validator, capabilities }]);
      await promoteOne(service);
      return callsOf(host, 'validation').length === 0;
    },
  },
  'tasks.types-by-the-version-of-the-record': {
    source: 'extensions: Extension metadata record, text on the capability use, second sentence',
    breaks: 'The task manages the types that its record lists now, also where the version of the record stayed.',
    variant: breaks('triggers', 'assertManages', (right) => {
      const known = new Map<string, Parameters<typeof right>[1]>();
      return (areas, record, path) => {
        const key = `${record.id} ${record.version}`;
        const first = known.get(key) ?? record;
        known.set(key, first);
        right(areas, first, path);
      };
    }),
    async shows(service) {
      const host = await service.host([taskFor('application/pdf')]);
      await scheduleTask(service);
      host.setRecords([{ ...recordOf('task'), ...taskFor('text/csv') }]);
      await changeExtension(service, { hostUri: host.url });
      await scheduleTask(service);
      return callsTo(host).length === 0;
    },
  },
  'validation.validators-of-the-first-in-a-batch': {
    source: 'extensions: Extension metadata record, text on the capability use, first sentence',
    breaks: 'A validation applies to the SoftTypes that are listed, whichever SoftType a batch has moved before.',
    variant: (classes) => {
      const request = new AsyncLocalStorage<FirstType>();
      return together(
        replaces('dispatcher', 'carryOut', (right, areas, route, call) =>
          request.run({}, () => right(areas, route, call)),
        ),
        replaces('validation', 'validatorsFor', (right, areas, reading, softTypeId) => {
          const first = request.getStore() ?? {};
          first.softTypeId ??= softTypeId;
          return right(areas, reading, first.softTypeId);
        }),
      )(classes);
    },
    async shows(service) {
      const host = await service.host([validator]);
      const change = await service.edda.make('ChangeRequest');
      const document = await service.edda.make('Document');
      await service.edda.batch([promoteOf(change, 1), promoteOf(document, 1)]);
      return callsTo(host).length === 0;
    },
  },
  'validation.by-the-first-capability': {
    source: 'extensions: Extension metadata record, row capabilities',
    breaks: 'Capabilities are an array, and the SoftTypes may stand in any of its items.',
    variant: replaces('validation', 'validatorsFor', async (right, areas, reading, softTypeId) =>
      (await right(areas, reading, softTypeId)).filter(({ record }) =>
        record.capabilities?.[0]?.capabilities.includes(softTypeId),
      ),
    ),
    async shows(service) {
      const capabilities = [{ capabilityType: 'BaseType', capabilities: ['Item'] }, ...validator.capabilities];
      const host = await service.host([{ ...validator, capabilities }]);
      await promoteOne(service);
      return callsOf(host, 'validation').length === 0;
    },
  },
  'validation.valid-once-valid-ever-after': {
    source: 'extensions: Extension metadata record, text on capability use, first sentence',
    breaks: 'A level state is evaluated at each promote, also where the object was valid at an earlier version.',
    variant: breaks('validation', 'askValidator', (right) => {
      const known = new Map<string, Verdict>();
      return async (areas, call, object, asked) => {
        const key = `${asked.registrationId} ${asked.recordId} ${object.oid}`;
        const verdict = known.get(key) ?? (await right(areas, call, object, asked));
        if (verdict.kind === 'valid') known.set(key, verdict);
        return verdict;
      };
    }),
    async shows(service) {
      const { edda } = service;
      const answer = (isValid: boolean) => always({ status: 200, json: { isValid, message: 'm' } });
      const host = await service.host([validator], answer(true));
      const made = await edda.make('Document');
      await edda.move(made, 1);
      await edda.merge(made, 2, { note: 'n' });
      host.setScript(answer(false));
      return (await edda.move(made, 3)).status === 204 && callsTo(host).length === 1;
    },
  },
  'tasks.any-capability-is-a-type': {
    source: 'extensions: Extension metadata record, text on capability use, third sentence',
    breaks: 'Capabilities of other sorts may be there, and say nothing of the files that a task manages.',
    variant: replaces('triggers', 'assertManages', (right, areas, record, path) => {
      const all = record.capabilities?.map((item) => ({ ...item, capabilityType: 'MimeType' }));
      right(areas, all === undefined ? record : { ...record, capabilities: all }, path);
    }),
    async shows(service) {
      const capabilities = [{ capabilityType: 'Region', capabilities: ['north'] }];
      const host = await service.host([{ ...task, capabilities }]);
      await scheduleTask(service);
      return callsOf(host, 'task').length === 0;
    },
  },
  'validation.second-capability': {
    source: 'extensions: Extension metadata record, capability use',
    breaks: 'A validation applies to every SoftType that its capabilities list, wherever in the list.',
    variant: changes('validation', 'validatorsFor', (validators, _areas, _reading, softTypeId) =>
      validators.filter(({ record }) => record.capabilities?.[0]?.capabilities[0] === softTypeId),
    ),
    async shows(service) {
      const host = await service.host([validatorOf('Part', 'Document')]);
      await promoteOne(service);
      return callsOf(host, 'validation').length === 0;
    },
  },
  'metadata.capabilities-that-no-space-knows': {
    source: 'extensions: Extension metadata record, text on capability use',
    breaks: 'An event handler may list capabilities of its own, which name nothing that the service knows.',
    variant: leavesOut((record) =>
      listAt(record, '/capabilities').some((item) => listAt(item, '/capabilities').includes('anything')),
    ),
    shows: (service) =>
      isUncalled(service, { capabilities: [{ capabilityType: 'SoftType', capabilities: ['anything'] }] }),
  },
  'task.first-type-alone': {
    source: 'extensions: Extension metadata record, text on the capability use',
    breaks: 'The task manages the file types that are listed, the second of them too.',
    variant: replaces('triggers', 'assertManages', (right, areas, record, path) => {
      const first = record.capabilities?.map((item) => ({ ...item, capabilities: item.capabilities.slice(0, 1) }));
      right(areas, first === undefined ? record : { ...record, capabilities: first }, path);
    }),
    async shows(service) {
      const host = await service.host([taskFor('application/pdf', 'text/csv')]);
      await scheduleTask(service);
      return callsTo(host).length === 0;
    },
  },
  'metadata.first-capability-of-a-kind': {
    source: 'extensions: Extension metadata record, capability use',
    breaks: 'A task manages all file types that its record lists, in however many capabilities.',
    variant: replaces('triggers', 'assertManages', (right, areas, record, path) => {
      const first = record.capabilities?.find(({ capabilityType }) => capabilityType === 'MimeType');
      right(areas, first === undefined ? record : { ...record, capabilities: [first] }, path);
    }),
    async shows(service) {
      const capabilities = ['text/csv', 'text/plain'].flatMap((type) => taskFor(type).capabilities);
      await service.host([{ ...task, capabilities }]);
      return (await scheduleTask(service, { inputPath: 'a.txt' })) === '';
    },
  },
  'validation.third-soft-type': {
    source: 'extensions: Extension metadata record, capability use',
    breaks: 'A validation applies to each SoftType that is listed, the third one included.',
    variant: changes('registry', 'validatorsOf', async (addresses, areas, reading, softTypeId) => {
      const isEarly = await Promise.all(
        addresses.map(async ({ registrationId, recordId }) => {
          const registration = await areas.registry.registrationOf(reading, registrationId);
          if (registration?.kind !== 'svcExtension') return true;
          const record = registration.records.find(({ id }) => id === recordId);
          return record === undefined || capabilitiesOf(record, 'SoftType').indexOf(softTypeId) < 2;
        }),
      );
      return addresses.filter((_, index) => isEarly[index]);
    }),
    async shows(service) {
      const no = always({ status: 200, json: { isValid: false, message: 'no' } });
      await service.host([validatorOf('Part', 'Requirement', 'ChangeRequest')], no);
      return promotes(service.edda, await service.edda.make('ChangeRequest'));
    },
  },
  'validation.empty-list-for-all': {
    source: 'extensions: Extension metadata record, capability use',
    breaks: 'A validation applies to the SoftTypes that it lists, to none where it lists none.',
    variant: replaces('validation', 'validatorsFor', async (right, areas, reading, softTypeId) => {
      const addresses = await areas.registry.recordsOfType(reading, 'ExternalValidation');
      const all = await Promise.all(addresses.map((address) => areas.triggeredCalls.addresseeAt(reading, address)));
      const open = all.filter((found) => found !== undefined && capabilitiesOf(found.record, 'SoftType').length === 0);
      return [...(await right(areas, reading, softTypeId)), ...open.flatMap((found) => found ?? [])];
    }),
    survives:
      'What an empty list says is open: it may as well be no restriction, as an empty list of file types is here.',
    async shows(service) {
      const host = await service.host([validatorOf()]);
      await promoteOne(service);
      return callsTo(host).length > 0;
    },
  },
  'tasks.main-type-is-enough': {
    source: 'extensions: Extension metadata record, capability use',
    breaks: 'A task manages the file types that it lists, and not all of their kind.',
    variant: replaces('triggers', 'assertManages', (right, areas, record, path) => {
      const [main] = mimeTypeOf(path).split('/');
      if (capabilitiesOf(record, 'MimeType').some((type) => type.startsWith(`${main}/`))) return;
      right(areas, record, path);
    }),
    async shows(service) {
      await service.host([taskFor('text/csv')]);
      return (await scheduleTask(service, { inputPath: 'in.txt' })) !== '';
    },
  },
  'validation.kept-verdict': {
    source: 'extensions: Extension metadata record, capability use',
    breaks: 'A validation is made for each evaluation: what was not valid before may be valid by now.',
    variant: keeps('validation', 'askValidator', (_call, object) => object.oid),
    async shows(service) {
      const { edda } = service;
      await service.host([validator], [{ steps: [{ status: 200, json: { isValid: false, message: 'not yet' } }] }]);
      const made = await edda.make('Document');
      await edda.move(made, 1);
      await edda.merge(made, 1, { note: 'valid now' });
      return (await edda.move(made, 2)).status !== 204;
    },
  },
  'validation.second-level-is-not-validated': {
    source: 'extensions: Extension metadata record, capability use',
    breaks: 'An object of a listed SoftType is validated at each level, the second one as well.',
    survives: 'Which configuration makes a level be validated is not shown (trigger-validation-binding).',
    variant: replaces('validation', 'verdictOn', async (right, areas, call, object, validators) =>
      call.params['levelId'] === 'approval' ? { kind: 'valid', message: '' } : right(areas, call, object, validators),
    ),
    async shows(service) {
      await service.host([validator], always({ status: 200, json: { isValid: false, message: 'no' } }));
      const made = await service.edda.make('Document');
      return (await service.edda.move(made, 1, 'promote', 'approval')).status < 300;
    },
  },
  'validation.behind-another-capability': {
    source: 'extensions: Extension metadata record, capability use',
    breaks: 'The capability SoftType lists what a validation applies to, also where it is not the first capability.',
    variant: changes('validation', 'validatorsFor', (validators) =>
      validators.filter(({ record }) => record.capabilities?.[0]?.capabilityType === 'SoftType'),
    ),
    async shows(service) {
      const other = { capabilityType: 'BaseType', capabilities: ['Anything'] };
      const host = await service.host([{ ...validator, capabilities: [other, ...validator.capabilities] }]);
      await promoteOne(service);
      return callsOf(host, 'validation').length === 0;
    },
  },
  'validation.soft-type-before-an-update': {
    source: 'extensions: Extension metadata record, capability use',
    breaks: 'A validation applies to the SoftTypes that its capabilities list by now.',
    variant: breaks('validation', 'validatorsFor', (right) => {
      const known = new Map<string, readonly Addressee[]>();
      return async (areas, reading, softTypeId) => {
        const now = await right(areas, reading, softTypeId);
        const gone = (known.get(softTypeId) ?? []).filter(
          ({ recordId }) => !now.some((addressee) => addressee.recordId === recordId),
        );
        const kept = await Promise.all(gone.map((address) => areas.triggeredCalls.addresseeAt(reading, address)));
        const all = [
          ...now,
          ...kept.filter((addressee) => addressee?.callee.active).filter((each) => each !== undefined),
        ];
        known.set(softTypeId, all);
        return all;
      };
    }),
    async shows(service) {
      const host = await service.host([validator]);
      await promoteOne(service);
      host.setRecords([{ ...recordOf('validator'), ...validatorOf('Part') }]);
      await changeExtension(service, { hostUri: host.url });
      await promoteOne(service);
      return callsOf(host, 'validation').length === 2;
    },
  },
  'capabilities.file-types-of-before-stay': {
    source: 'extensions: Extension metadata record, paragraph on capability use',
    breaks: 'The file types that a task manages are those of the last update.',
    variant: changes('metadata', 'recordsInForce', (records, _areas, former) =>
      records.map((record) => {
        const before = former.find(({ id }) => id === record.id)?.capabilities ?? [];
        const types = before.filter(({ capabilityType }) => capabilityType === 'MimeType');
        return types.length === 0 ? record : { ...record, capabilities: [...(record.capabilities ?? []), ...types] };
      }),
    ),
    async shows(service) {
      const host = await service.host([taskFor('text/csv')]);
      host.setRecords([{ ...recordOf('task', 'ExternalTask'), ...taskFor('image/png') }]);
      await changeExtension(service, { hostUri: host.url });
      await scheduleTask(service);
      return callsOf(host, 'task').length > 0;
    },
  },
  'capabilities.twenty-soft-types': {
    source: 'extensions: Extension metadata record, paragraph on capability use',
    breaks: 'A validation applies to all SoftTypes that are listed, the twenty-first as well.',
    variant: changes('validation', 'validatorsFor', (found, _areas, _reading, softType) =>
      found.filter(({ record }) => capabilitiesOf(record, 'SoftType').slice(0, 20).includes(softType)),
    ),
    async shows(service) {
      const softTypes = [...many(20, (n) => `T${n}`), 'Document'];
      await service.host([validatorOf(...softTypes)], always({ json: { isValid: false, message: 'no' } }));
      return (await promoteOne(service)).status < 300;
    },
  },
};

/** A task that manages files of these types. */
function taskFor(...types: readonly string[]) {
  return { ...task, capabilities: [{ capabilityType: 'MimeType', capabilities: types }] };
}
