import type { SilencesOfSection } from './silence.ts';

/** The multi-create route and references. */
export const multiCreateSilences: SilencesOfSection = {
  'multi-create-success-status': {
    source: 'core: Endpoint table, row for a list of items',
    open: 'Which status tells that all were created.',
    choice: '201.',
    profile: 'expect.multiCreateSuccess',
    records: 'status',
  },
  'multi-create-response-body': {
    source: 'core: Endpoint table, row for a list of items',
    open: 'How a client learns which objects it has now.',
    choice: 'One result for each item, in their order: $id, href, version.',
    profile: ['multiCreate.resultHref', 'multiCreate.resultId', 'multiCreate.resultInBatch'],
    records: 'members and order',
  },
  'multi-create-location-header': {
    source: 'core: Common request headers, text below the table',
    open: 'What Location and the version header say of many objects.',
    choice: 'Location is left out; the version is 1.',
    records: 'if they are there, and what they say',
  },
  'multi-create-too-many-status': {
    source: 'core: Multi-create rules 3',
    open: 'How the 51st item is refused.',
    choice: '422 for the whole list.',
    profile: 'expect.multiCreateTooMany',
    records: 'status',
  },
  'multi-create-empty-list': {
    source: 'core: Multi-create rules 1',
    open: 'If no items at all may be sent.',
    choice: '422: nothing would have been created.',
    profile: 'expect.multiCreateEmpty',
    records: 'status and body',
  },
  'multi-create-unknown-reference': {
    source: 'core: Multi-create rules 2',
    open: 'What becomes of a reference to an item that is not in the list.',
    choice: '422 for the whole list.',
    profile: 'expect.multiCreateUnknownReference',
    records: 'status, or that the object lost its reference',
  },
  'multi-create-duplicate-id': {
    source: 'core: Multi-create item, $id',
    open: 'What becomes of items that share an $id.',
    choice: '422 for the whole list.',
    profile: 'expect.multiCreateDuplicateId',
    records: 'status and what was created',
  },
  'multi-create-missing-id': {
    source: 'core: Multi-create item',
    open: 'Which members an item must have.',
    choice: '$softType. $id only if somebody refers to it; without data the object is empty.',
    records: 'status, by member left out',
  },
  'multi-create-reference-id-member': {
    source: 'core: Multi-create item, text below the table',
    open: 'What the id beside the value of a reference is for.',
    choice: 'For the client: stored, shown, without meaning.',
    profile: 'references.entryId',
    records: 'if it can be left out, and what a read shows',
  },
  'multi-create-softtypeid-mismatch': {
    source: 'core: Multi-create item, text below the table',
    open: 'What becomes of a reference that names the wrong type of its target.',
    choice: '422.',
    records: 'status',
  },
  'multi-create-reference-to-existing-object': {
    source: 'core: Multi-create item, text below the table',
    open: 'If a reference may lead out of the list to an object that is already there.',
    choice: 'Not with instanceRef: 422.',
    records: 'status with the $oid of such an object',
  },
  'multi-create-self-reference': {
    source: 'core: Multi-create rules 2',
    open: 'If an item may point at itself.',
    choice: 'Where the port takes its type.',
    records: 'status and what is stored',
  },
  'multi-create-input-schema': {
    source: 'core: Multi-create item; Endpoint table, row POST',
    open: 'Through which input schema an item is read, as it names none.',
    choice: 'The input schema that the definition lists first.',
    records: 'nothing',
  },
  'reference-on-reading': {
    source: 'core: Multi-create item; SoftType read response',
    open: 'How a read shows a reference.',
    choice: 'As an entry whose value has the $oid and the href of the target.',
    profile: 'references.readPath',
    records: 'members of such an entry',
  },
};
