import type { SilencesOfSection } from './silence.ts';

/** Reading and creating instances. */
export const readingSilences: SilencesOfSection = {
  'default-output-schema': {
    source: 'core: Endpoint table, row GET, first form',
    open: 'Through which schema the short route shows an instance.',
    choice: 'The output schema that the definition lists first.',
    profile: 'softTypes.*.shortRouteSchemaId',
    records: 'the configured schema that the data agrees with',
  },
  'schema-member-content': {
    source: 'core: SoftType read response, schema',
    open: 'In which language the schema member is written, and what it covers.',
    choice: 'The output schema in JSON Schema 2020-12.',
    records: 'the dialect it declares, and if data is valid under it',
  },
  'create-response-body': {
    source: 'core: Endpoint table, row POST',
    open: 'If a 201 brings the new instance along.',
    choice: 'It brings headers only.',
    records: 'length of the body and its members',
  },
  'client-supplied-oid': {
    source: 'core: System properties; Endpoint table, row POST',
    open: 'What system properties in a create are good for.',
    choice: 'Nothing: they are passed over, so that what was read can be posted; the server sets them.',
    profile: 'expect.systemMembersInBody',
    records: 'if they were passed over, believed or refused',
  },
  'entry-id-form': {
    source: 'core: System properties, $entryId',
    open: 'When entry ids are numbers, when texts, where they start, and if one comes back.',
    choice: 'Numbers from 1 in each array, used once; paths compare them as text.',
    records: 'type, lowest id, if an id was used again',
  },
  'entry-id-stability': {
    source: 'core: System properties, $entryId',
    open: 'For how long an entry answers to its id.',
    choice: 'For as long as it exists, whatever write comes along.',
    records: 'ids before and after every kind of write',
  },
  'client-supplied-entry-id': {
    source: 'core: System properties, $entryId',
    open: 'If a client may choose the id of a new entry.',
    choice: 'No; on create and add the id sent is passed over.',
    records: 'the id that a read shows',
  },
  'empty-and-absent-members': {
    source: 'core: SoftType read response, data',
    open: 'How nothing looks in a response.',
    choice: 'An empty array as [], anything else without a value not at all.',
    records: 'how either was shown',
  },
  'arrays-of-scalars': {
    source: 'core: Server side paging 1; System properties, $entryId',
    open: 'If lists of plain values are cut and paged like entries, though they carry no ids.',
    choice: 'They are shown whole.',
    records: 'how many of 11 values came',
  },
  'order-of-entries': {
    source: 'core: Server side paging 2',
    open: 'In which order entries come, except that append goes to the end.',
    choice: 'The order in which they were made.',
    records: 'if that order held',
  },
  'limit-by-default': {
    source: 'core: Server side paging 1',
    open: 'If the ten entries of a page can be made another number.',
    choice: 'No.',
    profile: 'limits.entriesPerArray',
    records: 'page lengths other than ten',
  },
  'softtype-fields': {
    source: 'core: Resources and their fields',
    open: 'What any SoftType consists of.',
    choice: 'A space template with members for every need that a rule has.',
    profile: [
      'softTypes.*.definitionId',
      'softTypes.*.inputSchemaId',
      'softTypes.*.outputSchemaId',
      'softTypes.*.body',
    ],
    records: 'nothing',
  },
};
