import type { Area } from '../../contract/areas.ts';

/** Whose mutants are made, and who has to notice them. */
export type Ground = 'service' | 'host' | 'judge';

/** Strata beside the areas of the rules: what serves them all. */
export type Stratum = Area | 'http' | 'store' | 'server' | 'host' | 'judge' | 'suites';

/** What neither document is about: the ways of the suite into the server, and what only an operator meets. */
const outside = [
  /\.(test|fixture)\.ts$/,
  // the suite's own entrances; answers that are scripted instead of made
  /^reference-server\/control(\.ts$|\/)/,
  /^simulator\/extension\/(within|control|default-answer|journal|live-page|perform|script|step)/,
  // starting up, logging, running on several hosts
  /^reference-server\/(load-configuration|configuration|log)\.ts$/,
  /^reference-server\/ports\/postgres/,
];

/** The area of the rules about what a file of the server does. */
const areaOfFile: Readonly<Record<string, Stratum>> = {
  admission: 'auth',
  'api-keys': 'api-keys',
  auth: 'auth',
  batch: 'batch',
  'bulk-upload': 'bulk-upload',
  caching: 'caching',
  callees: 'calls',
  chunks: 'files',
  collection: 'collection',
  content: 'reading',
  deliveries: 'delivery',
  'delivery-dispatcher': 'delivery',
  'delivery-ends': 'delivery',
  'delivery-log': 'delivery',
  'delivery-policies': 'delivery',
  'delivery-queue': 'delivery',
  editing: 'patch',
  entries: 'paging',
  'file-areas': 'files',
  files: 'files',
  grants: 'auth',
  hypermedia: 'hypermedia',
  instances: 'reading',
  jobs: 'tasks',
  locks: 'versioning',
  maturity: 'maturity',
  messages: 'headers',
  metadata: 'metadata',
  'multi-create': 'multi-create',
  objects: 'reading',
  openapi: 'openapi',
  operations: 'patch',
  'outgoing-calls': 'calls',
  paging: 'paging',
  'read-memory': 'caching',
  records: 'metadata',
  registrations: 'registration',
  registry: 'registration',
  requests: 'calls',
  signing: 'signing',
  'soft-type': 'reading',
  tokens: 'auth',
  'triggered-calls': 'calls',
  triggers: 'calls',
  'validated-writes': 'calls',
  validation: 'calls',
  versioning: 'versioning',
};

/** Folders whose files are mutated, by ground. */
export const foldersOf: Readonly<Record<Ground, readonly string[]>> = {
  service: ['reference-server'],
  host: ['simulator/extension'],
  judge: ['judge', 'suites'],
};

/** Whether mutants of that file say something about the suite. */
export function isMutated(file: string): boolean {
  return file.endsWith('.ts') && !outside.some((pattern) => pattern.test(file));
}

/** The stratum of a file. @throws {RangeError} a new file of the server that no area has been named for */
export function stratumOf(file: string): Stratum {
  const [folder = '', room = '', name = ''] = file.split('/');
  if (folder === 'simulator') return 'host';
  if (folder === 'judge' || folder === 'suites') return folder;
  if (room === 'http') return 'http';
  if (room === 'ports') return 'store';
  if (room !== 'areas') return 'server';
  const stratum = areaOfFile[name.replace(/\.ts$/, '')];
  if (stratum === undefined) throw new RangeError(`${file} has no area in bench/mutants/places.ts.`);
  return stratum;
}

/** Who is judged with a mutant of that stratum. */
export function groundOf({ area }: { readonly area: string }): Ground {
  if (area === 'judge' || area === 'suites') return 'judge';
  return area === 'host' ? 'host' : 'service';
}
