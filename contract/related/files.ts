import type { RuleId } from '../rule.ts';
import type { RelatedRules } from '../related.ts';

/** Rules whose cases send chunks to the first area that the profile declares. */
const chunkUploads: readonly RuleId[] = [
  'files.chunk.single-chunk',
  'files.chunk.two-chunks',
  'files.chunk.many-chunks',
  'files.chunk.last-chunk-smaller',
  'files.chunk.exact-multiple',
  'files.chunk.sample-chunk-size',
  'files.chunk.other-chunk-size',
  'files.chunk.every-area',
  'files.chunk.relative-path-subdirectories',
  'files.chunk.relative-path-root',
  'files.chunk.checksum-per-chunk',
  'files.chunk.checksum-wrong-refused',
  'files.chunk.checksum-wrong-recoverable',
  'files.chunk.interleaved-files',
  'files.chunk.partial-deletable',
  'files.chunk.restart-after-interruption',
  'files.chunk.part-order',
];

/** Rules whose cases read a file with a bearer token to see what became of it. */
const downloads: readonly RuleId[] = [
  'files.collection-area.base-path',
  'files.space-area.base-path',
  'files.user-area.base-path',
  'files.participant-area.base-path',
  'files.isolation.between-users',
  'files.isolation.between-participants',
  'files.isolation.between-spaces',
  'files.safety.chunk-relative-path',
  'files.auth.space-non-member-403',
  'files.auth.collection-non-admin-403',
  'tasks.links.input-dir-usable',
  'tasks.links.upload-stream-usable',
  'tasks.links.upload-chunk-usable',
  'tasks.links.templates-usable',
  ...chunkUploads,
];

/** Of file areas and bulk upload. */
export const relatedInFiles: RelatedRules = {
  'files.collection-area.base-path': chunkUploads.map((rule) => ({ rule, because: 'it sends chunks to that area' })),
  'files.space-area.base-path': [{ rule: 'files.chunk.every-area', because: 'it sends chunks to that area too' }],
  'files.user-area.base-path': [{ rule: 'files.chunk.every-area', because: 'it sends chunks to that area too' }],
  'files.participant-area.base-path': [{ rule: 'files.chunk.every-area', because: 'it sends chunks to that area too' }],
  'files.download.bearer': downloads.map((rule) => ({
    rule,
    because: 'it reads with a bearer token and demands the answer',
  })),
  'files.download.query-token': [
    { rule: 'tasks.links.input-file-usable', because: 'the link has its token in the query' },
    { rule: 'tasks.links.templates-usable', because: 'downloadFile has its token in the query' },
  ],
  'files.auth.download-missing-credential-401': [
    { rule: 'files.download.bearer', because: 'its second request has no credential' },
    { rule: 'tasks.links.input-file-usable', because: 'the link without its token is a download without a credential' },
  ],
  'files.isolation.between-areas': [
    { rule: 'files.chunk.every-area', because: 'it keeps a file of one path in each area as well' },
    { rule: 'files.safety.chunk-relative-path', because: 'what may be kept inside one area shows in the other' },
    { rule: 'bulk-upload.collection.uploads-tree', because: 'it reads what is uploaded in the collection area' },
    { rule: 'bulk-upload.space.uploads-tree', because: 'it looks for the files in the collection area too' },
  ],
  'files.chunk.two-chunks': [
    { rule: 'tasks.links.upload-chunk-usable', because: 'it uploads a file in two chunks by the link' },
  ],
  'files.chunk.every-area': [{ rule: 'files.download.bytes-identical', because: 'it sends chunks to every area too' }],
  'files.chunk.checksum-per-chunk': [
    {
      rule: 'files.chunk.many-chunks',
      because: 'every upload of several chunks ends with a chunk whose checksum is its own',
    },
    {
      rule: 'files.chunk.last-chunk-smaller',
      because: 'every upload of several chunks ends with a chunk whose checksum is its own',
    },
    {
      rule: 'files.chunk.interleaved-files',
      because: 'every upload of several chunks ends with a chunk whose checksum is its own',
    },
    {
      rule: 'files.chunk.restart-after-interruption',
      because: 'every upload of several chunks ends with a chunk whose checksum is its own',
    },
  ],
  'files.chunk.partial-deletable': [
    { rule: 'files.chunk.interleaved-files', because: 'in its histories uploads are given up, deleted and begun anew' },
  ],
  'files.chunk.restart-after-interruption': [
    { rule: 'files.chunk.interleaved-files', because: 'in its histories uploads are given up, deleted and begun anew' },
  ],
  'bulk-upload.space.uploads-tree': [
    { rule: 'bulk-upload.body.write-log-required', because: 'the complete body has to upload into the space' },
    { rule: 'bulk-upload.target-directory.no-escape', because: 'a plain upload into the space has to work' },
  ],
  'files.isolation.between-spaces': [
    { rule: 'bulk-upload.space.uploads-tree', because: 'it looks for the files in the other space too' },
  ],
};
