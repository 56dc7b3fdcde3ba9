import type { SilencesOfSection } from './silence.ts';

/** Merge PATCH, PUT and DELETE. */
export const writingSilences: SilencesOfSection = {
  'merge-null': {
    source: 'core: Endpoint table, PATCH (merge)',
    open: 'What null means in a merge.',
    choice: 'Take the member away (RFC 7386), even though the media type says plain JSON.',
    profile: 'expect.mergeNull',
    records: 'if the member went, holds null, or the edit was refused',
  },
  'merge-nested-objects': {
    source: 'core: Endpoint table, PATCH (merge)',
    open: 'If an object in a merge touches only what it names.',
    choice: 'Yes, at every depth (RFC 7386).',
    profile: 'expect.mergeNested',
    records: 'what became of inner members that were not sent',
  },
  'merge-arrays': {
    source: 'core: Endpoint table, PATCH (merge)',
    open: 'If an array in a merge replaces, extends or edits the entries, those of later pages included.',
    choice: 'It takes the place of the whole array (RFC 7386); known entry ids stay with their entries.',
    profile: 'expect.mergeArray',
    records: 'entries and their ids afterwards',
  },
  'system-members-on-write': {
    source: 'core: System properties; Endpoint table, PUT and PATCH',
    open: 'What system properties do in an edit.',
    choice: 'Nothing, like on create.',
    profile: 'expect.systemMembersOnWrite',
    records: 'if they were passed over, refused or believed; the last is remarked on',
  },
  'no-op-version': {
    source: 'core: Versioning 2',
    open: 'If a write that changes nothing makes a version.',
    choice: 'Every accepted write makes one.',
    profile: 'expect.noOpRaisesVersion',
    records: 'version after the same values, {}, [] and the same PUT',
  },
  'put-mandatory-missing': {
    source: 'core: Endpoint table, row PUT',
    open: 'If leaving out a mandatory member removes it.',
    choice: 'It is refused with 422.',
    records: 'status and what is stored',
  },
  'put-entry-ids': {
    source: 'core: Endpoint table, row PUT',
    open: 'If a replacement gives entries new ids.',
    choice: 'Only those that come without a known one.',
    records: 'ids afterwards',
  },
  'put-unknown-object': {
    source: 'core: Endpoint table, row PUT; Errors, 404',
    open: 'If PUT to a fresh id creates.',
    choice: 'No, 404.',
    records: 'status, and if a read finds something then',
  },
  'delete-version-header': {
    source: 'core: Common request headers, Svc-UOIVersion',
    open: 'What the version header means to DELETE.',
    choice: 'It may be left out; an old one is refused with 409.',
    profile: 'expect.deleteVersionHeader',
    records: 'status with the current version, an old one and none',
  },
};
