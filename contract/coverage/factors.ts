/** What distinguishes one request about SoftTypes from another; each request has one value of each factor. */
export const factors = {
  action: ['read', 'page', 'create', 'merge', 'operations', 'put', 'delete', 'promote', 'demote', 'multi-create'],
  credential: ['jwt', 'pat', 'basic', 'stranger', 'none'],
  role: ['editor', 'reader', 'outside', 'nobody'],
  /** The information filter: that of the profile, another, or none. */
  filter: ['usual', 'other', 'absent'],
  /** The filter of the configuration by which entries are chosen. */
  search: ['none', 'fixed', 'value'],
  page: ['none', 'first', 'later'],
  version: ['absent', 'current', 'stale'],
  media: ['none', 'json', 'operations'],
  lock: ['free', 'own', 'another'],
  carriage: ['single', 'batch'],
} as const;

export type Factor = keyof typeof factors;
type ValueOf<F extends Factor> = (typeof factors)[F][number];

export type Conditions = { readonly [F in Factor]: ValueOf<F> };

/** Values that do not go together, and why: no request has one of each list. */
interface Exclusion {
  readonly without: { readonly [F in Factor]?: readonly ValueOf<F>[] };
  readonly reason: string;
}

export const exclusions: readonly Exclusion[] = [
  { without: { action: ['page'], page: ['none'] }, reason: 'a page has a number' },
  {
    without: {
      action: ['read', 'create', 'merge', 'operations', 'put', 'delete', 'promote', 'demote', 'multi-create'],
      page: ['first', 'later'],
    },
    reason: 'only a page has a number',
  },
  {
    without: {
      action: ['create', 'merge', 'operations', 'put', 'delete', 'promote', 'demote', 'multi-create'],
      search: ['fixed', 'value'],
    },
    reason: 'only reads and pages are searched',
  },
  {
    without: { action: ['read', 'page', 'create', 'delete', 'multi-create'], version: ['current', 'stale'] },
    reason: 'the version goes with PUT and PATCH',
  },
  {
    without: { action: ['read', 'page', 'delete', 'promote', 'demote'], media: ['json', 'operations'] },
    reason: 'it has no body',
  },
  {
    without: { action: ['create', 'merge', 'put', 'multi-create'], media: ['none', 'operations'] },
    reason: 'its body is JSON',
  },
  { without: { action: ['operations'], media: ['none', 'json'] }, reason: 'its media type makes it what it is' },
  {
    without: { credential: ['stranger', 'none'], role: ['editor', 'reader', 'outside'] },
    reason: 'a role is known by a credential',
  },
  {
    without: { credential: ['jwt', 'pat', 'basic'], role: ['nobody'] },
    reason: 'the credential is that of an identity',
  },
  {
    without: { action: ['create', 'multi-create'], lock: ['own', 'another'] },
    reason: 'what is not there yet has no lock',
  },
  {
    without: { role: ['reader', 'outside', 'nobody'], lock: ['own'] },
    reason: 'a lock is taken by who may write',
  },
  { without: { action: ['delete'], carriage: ['batch'] }, reason: 'a batch carries no route that deletes' },
];

export const factorNames = Object.keys(factors) as readonly Factor[];
