import type { SilencesOfSection } from './silence.ts';

/** The operations form of PATCH. */
export const operationSilences: SilencesOfSection = {
  'operations-in-sequence': {
    source: 'core: Operations-based PATCH rules 2',
    open: 'If an operation builds on the one before it.',
    choice: 'It does (RFC 6902 section 3).',
    records: 'how add then replace, and remove then add, end in one list',
  },
  'operations-atomicity': {
    source: 'core: Operations-based PATCH rules 5',
    open: 'If anything remains of a list that fails half-way; the text speaks of the request only.',
    choice: 'Nothing does (RFC 5789, RFC 6902 section 5).',
    records: 'traces of the operations ahead of the failing one',
  },
  'operations-empty-list': {
    source: 'core: Operations-based PATCH rules 2',
    open: 'If [] may be sent.',
    choice: 'It may, and counts as an edit that changes nothing.',
    records: 'status and version',
  },
  'operation-extra-members': {
    source: 'core: Patch operation',
    open: 'If an operation may say more than op, path and value.',
    choice: 'It may; nobody listens (RFC 6902 section 4).',
    records: 'status',
  },
  'operation-null-value': {
    source: 'core: Patch operation, value',
    open: 'What adding null does.',
    choice: 'Null is a value; where the input schema admits none, 422.',
    records: 'status and what is stored',
  },
  'pointer-oddities': {
    source: 'core: Operations-based PATCH rules 3',
    open: 'How odd pointers are read: no slash in front, a slash alone, percent signs.',
    choice:
      'No slash: 400 (RFC 6901). A slash alone is the member without a name: 422. Percent signs stand for themselves.',
    records: 'status and effect',
  },
  'pointer-unknown-member': {
    source: 'core: Operations-based PATCH rules 3 and 5',
    open: 'How operations on system properties, and adds outside the input schema, are refused.',
    choice: '422.',
    records: 'status and effect',
  },
  'output-names-as-path': {
    source: 'core: Patch operation, path',
    open: 'How a pointer is refused that uses the name of the output side.',
    choice: '422; to the input schema the name is unknown.',
    records: 'status',
  },
  'add-array-onto-array': {
    source: 'core: Operations-based PATCH rules 5 and 6',
    open: 'What adding an array to an array gives: more entries, an entry that is an array, or an error.',
    choice: 'An array without entries is filled; one with entries gives 422.',
    records: 'entries afterwards',
  },
  'add-trailing-slash-on-array': {
    source: 'core: Operations-based PATCH rules 5 and 9',
    open: 'If a slash behind the array appends as `-` does.',
    choice: 'No, 422: that form belongs to remove.',
    records: 'status and entries',
  },
  'add-into-missing-parent': {
    source: 'core: Operations-based PATCH rules 5',
    open: 'If add makes the objects on the way.',
    choice: 'No, 422 (RFC 6902 section 4.1).',
    records: 'status and effect',
  },
  'remove-missing-target': {
    source: 'core: Operations-based PATCH rules 8',
    open: 'If removing what is not there fails; the demand for a target is made of replace alone.',
    choice: 'It fails with 422 (RFC 6902 section 4.2).',
    profile: 'expect.removeMissingTarget',
    records: 'status and version',
  },
  'remove-entry-without-trailing-slash': {
    source: 'core: Operations-based PATCH rules 3 and 9',
    open: 'If an entry also goes by the pointer that addresses it elsewhere, without the slash at the end.',
    choice: 'It goes by either.',
    records: 'what the form without the slash did',
  },
  'remove-whole-array': {
    source: 'core: Operations-based PATCH rules 8',
    open: 'What removing an array port itself means.',
    choice: 'That all its entries go.',
    records: 'status and entries',
  },
  'remove-mandatory-root-member': {
    source: 'core: Operations-based PATCH rules 8',
    open: 'What goes when the parent that no longer complies is the object itself.',
    choice: 'Nothing: 422. No cascade ends an object.',
    records: 'status, and if the object is still there',
  },
  'cascade-depth': {
    source: 'core: Operations-based PATCH rules 8',
    open: 'If losing an entry can cost the entry above it its place too.',
    choice: 'Yes, upwards until one complies.',
    records: 'how many levels went',
  },
  'dated-effectivity-shape': {
    source: 'core: Operations-based PATCH rules 6 and 7',
    open: 'How a dated element is written, as replace admits no objects and yet may have one for its value.',
    choice: 'The plain value is sent; it takes the place of the one inside, and the date moves.',
    profile: 'softTypes.*.dated',
    records: 'where a read shows the date',
  },
};
