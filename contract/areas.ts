/** The areas, in the order reports show them. An area has the same name in every folder. */
export const areas = [
  'reading',
  'paging',
  'patch',
  'batch',
  'multi-create',
  'maturity',
  'versioning',
  'auth',
  'caching',
  'headers',
  'openapi',
  'hypermedia',
  'collection',
  'files',
  'bulk-upload',
  'registration',
  'metadata',
  'signing',
  'calls',
  'delivery',
  'tasks',
  'api-keys',
] as const;

export type Area = (typeof areas)[number];
