import type { RuleId } from './rule.ts';

/** Rules that somebody who buys or integrates an implementation asks for together. */
interface ConformanceClass {
  readonly title: string;
  /** What an implementation of it can be used for. */
  readonly says: string;
  /** Rules without which nothing of it can be used: they have to be kept, and no reason on record takes their place. */
  readonly heart: readonly RuleId[];
  /** Ids of rules, or their beginnings up to a dot. */
  readonly rules: readonly string[];
}

/** Every class, in the order in which reports show them. */
export const classes = {
  reader: {
    title: 'Reader',
    says: 'Objects are read, with filters, page by page, and again only where they have changed.',
    heart: [
      'reading.instance.short-route-served',
      'reading.instance.long-route-served',
      'reading.body.data-is-object',
      'paging.page-one.holds-the-rest',
    ],
    rules: [
      'reading.instance',
      'reading.body',
      'reading.system',
      'reading.output-schema',
      'reading.missing-object',
      'reading.missing-neighbours',
      'reading.path',
      'reading.error',
      'reading.entries',
      'reading.filter',
      'reading.conditions',
      'paging',
      'caching',
      'headers.information-filter.required-on-reads',
      'headers.information-filter.malformed',
      'headers.names',
      'headers.spelling.addresses',
      'headers.uris',
      'headers.content-type',
      'hypermedia.link',
    ],
  },
  editor: {
    title: 'Editor',
    says: 'Objects are created, edited as a whole and by operations, and no edit of another is overwritten unseen.',
    heart: [
      'reading.create.status-201',
      'patch.merge.edits-named-member',
      'patch.add.lands-last',
      'versioning.edit.merge-adds-one',
      'versioning.mismatch.lower-409',
    ],
    rules: [
      'reading.answers',
      'reading.create',
      'patch',
      'versioning',
      'headers.information-filter.required-on-writes',
      'headers.uoi-version',
      'headers.location',
      'headers.no-content',
      'headers.spelling.json-bodies',
    ],
  },
  transactions: {
    title: 'Transactions',
    says: 'Several objects are changed in one request, all of them or none.',
    heart: ['batch.success.status-200', 'batch.rollback.edits-undone', 'multi-create.items.all-created'],
    rules: ['batch', 'multi-create'],
  },
  lifecycle: {
    title: 'Life cycle',
    says: 'Objects are promoted and demoted between the states of their levels.',
    heart: ['maturity.promote.status-204', 'maturity.promote.moves-state'],
    rules: ['maturity'],
  },
  access: {
    title: 'Access control',
    says: 'Nobody reads or writes without a token and a role that allow it.',
    heart: ['auth.missing-token.answers-401', 'auth.missing-token.write-has-no-effect'],
    rules: ['auth', 'collection', 'hypermedia.editor', 'hypermedia.reader'],
  },
  described: {
    title: 'Self-description',
    says: 'Routes, SoftTypes and what may be done next are told by the service itself.',
    heart: ['openapi.dynamic.is-served', 'openapi.dynamic.valid-document', 'hypermedia.link.basic-members'],
    rules: ['openapi', 'hypermedia'],
  },
  files: {
    title: 'Files',
    says: 'Files go up in a stream or in chunks, come down as they were, and stay apart by area.',
    heart: [
      'files.stream.checksum-correct-accepted',
      'files.chunk.many-chunks',
      'files.download.bytes-identical',
      'files.delete.removes-file',
    ],
    rules: ['files'],
  },
  'bulk-import': {
    title: 'Bulk import',
    says: 'A directory of the host is taken over by an administrator who signs.',
    heart: ['bulk-upload.structure.preserved', 'signing.bulk.signature-accepted', 'signing.bulk.wrong-key-refused'],
    rules: ['bulk-upload', 'signing.bulk', 'api-keys.key'],
  },
  extensions: {
    title: 'Extensions',
    says: 'Extensions and endpoints are registered, asked for what they can do, and called with signature and token.',
    heart: [
      'registration.extension.required-only-accepted',
      'metadata.fetch.on-registration',
      'signing.extension-call.metadata-signed',
      'calls.extension.post-to-endpoint',
    ],
    rules: [
      'registration',
      'metadata.fetch',
      'metadata.response',
      'metadata.update',
      'metadata.records',
      'metadata.capability',
      'signing.extension-call',
      'calls.extension',
      'calls.envelope',
      'calls.token',
      'calls.query-token',
      'calls.validation',
      'calls.email',
      'calls.action',
      'calls.simple',
      'calls.trusted',
      'delivery.validation',
      'delivery.email',
      'delivery.action',
      'delivery.simple-endpoint',
      'delivery.trusted-endpoint',
      'delivery.timeout',
      'api-keys.acquire',
      'api-keys.callback',
      'api-keys.rotation',
      'headers.correlation-id.reaches-extension',
    ],
  },
  events: {
    title: 'Events',
    says: 'What happens is told to extensions, once where that succeeds and again where it did not.',
    heart: ['calls.event.payload-fields', 'delivery.success.200-sent-once', 'delivery.event.retry-gaps'],
    rules: [
      'calls.event',
      'delivery.success',
      'delivery.transient',
      'delivery.permanent',
      'delivery.redirect',
      'delivery.retry-forever',
      'delivery.retry',
      'delivery.event',
      'delivery.rate',
      'delivery.queue',
      'delivery.history',
      'delivery.log',
    ],
  },
  tasks: {
    title: 'Tasks',
    says: 'Jobs are given to extensions, which fetch files, report and end them.',
    heart: ['tasks.payload.fields', 'tasks.links.ids-and-methods', 'tasks.status.completed'],
    rules: [
      'tasks.payload',
      'tasks.links',
      'tasks.timeout',
      'tasks.status',
      'tasks.callback',
      'tasks.progress',
      'tasks.history',
      'delivery.task',
    ],
  },
  'extension-host': {
    title: 'Extension host',
    says: 'It is no service but an extension: it tells what it can do, checks who calls, and does it.',
    heart: [
      'metadata.host.array-response',
      'metadata.host.required-fields',
      'signing.extension-host.right-signature-accepted',
      'signing.extension-host.wrong-key-refused',
    ],
    rules: ['metadata.host', 'signing.extension-host', 'calls.host', 'tasks.host', 'api-keys.host'],
  },
} as const satisfies Readonly<Record<string, ConformanceClass>>;

export type ClassName = keyof typeof classes;

/** The names of all classes, in the order in which reports show them. */
export const classNames = Object.keys(classes) as readonly ClassName[];

/** Rules that are part of no class, or their beginnings up to a dot, each with the reason. */
export const classless: Readonly<Record<string, string>> = {
  'headers.limits': 'it records how many requests a deployment bears, which is no use of it',
  'headers.status':
    'it looks back at every answer of a run, whatever was asked for, and would make each class hang on all others',
  'headers.correlation-id.optional': 'it is about a header that operators follow, and no use of a service stands on it',
  'headers.correlation-id.any-text': 'it is about a header that operators follow, and no use of a service stands on it',
  'headers.correlation-id.in-log-messages': 'it is about the log of an operator',
};

/** Whether the id is the entry, or begins with it up to a dot. */
export function isNamedBy(entry: string, id: string): boolean {
  return id === entry || id.startsWith(`${entry}.`);
}

/** The classes that a rule is part of. */
export function classesOf(id: string): readonly ClassName[] {
  return classNames.filter((name) => classes[name].rules.some((entry) => isNamedBy(entry, id)));
}
