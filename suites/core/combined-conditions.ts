import { conditionsOf, possibleCodes } from '../../contract/coverage/conditions.ts';
import type { Conditions } from '../../contract/coverage/factors.ts';
import type { IdentityName, Profile } from '../../contract/profile.ts';
import { sendBatch } from '../../judge/service/batch.ts';
import { type CaseContext, scenario, type ServiceCase } from '../../judge/case.ts';
import { coveringCodes } from '../../judge/coverage/covering-array.ts';
import { isGranted } from '../../judge/service/roles.ts';
import { isSuccess, type Changes, type Reply, type RequestSpec } from '../../judge/exchange.ts';
import { isObject } from '../../judge/json.ts';
import { makeDemotable } from '../../judge/service/maturity.ts';
import {
  filterAt,
  makeFilterable,
  valueOfFixed,
  withFilter,
  withFilterOnPage,
  withValue,
  withValueOnPage,
} from '../../judge/service/queries.ts';
import { basicAuthorization } from '../../judge/service/requests.ts';
import { isUsual } from '../../judge/service/roles.ts';
import { rules } from '../../judge/rule.ts';
import type { Owner, Thing } from '../../judge/things.ts';
import { anyEdit, editRoutes, lockRequest, makeEditable, readVersion } from '../../judge/service/writes.ts';

/** What the documents say of an answer under some conditions: its status, that it is a refusal, that it is none, or nothing. */
type Decision = number | 'refused' | 'accepted' | 'open';

const reads: readonly Conditions['action'][] = ['read', 'page'];
/** What needs a version. */
const compared: readonly Conditions['action'][] = ['merge', 'operations', 'put', 'promote', 'demote'];
/** Where a missing information filter is a reason to refuse. */
const filtered: readonly Conditions['action'][] = ['read', 'page', 'create', 'merge', 'operations', 'put', 'promote'];

export const readingConditionRules = rules('reading', {
  'reading.conditions.decide-together': {
    source: 'core: Endpoint table, rows GET; Errors',
    statement:
      'Reads and pages are answered alike under every pair of conditions: credential, role, filters, page and lock.',
    fault: 'no page is shown to whoever comes with a personal access token',
    needs: ['soft-type', 'array-port'],
    repeats: ['reading', 'paging', 'auth', 'headers'],
    test: conditionsCase('reads'),
  },
});

export const versioningConditionRules = rules('versioning', {
  'versioning.conditions.decide-together': {
    source: 'core: Versioning 3; Errors',
    statement:
      'Writes are taken or refused alike under every pair of conditions: credential, role, filter, version, media type and lock.',
    fault: 'versions are not compared for whoever comes with a personal access token',
    needs: ['soft-type', 'text-member'],
    repeats: ['reading', 'patch', 'versioning', 'maturity', 'multi-create', 'auth', 'headers'],
    test: conditionsCase('writes'),
  },
});

export const batchConditionRules = rules('batch', {
  'batch.conditions.decide-together': {
    source: 'core: Batch rules 2 and 3; Errors',
    statement:
      'The operation of a batch is taken or refused as the same request by itself, under every pair of conditions.',
    fault: 'a batch that comes with a personal access token is refused',
    needs: ['soft-type', 'text-member', 'array-port', 'batch'],
    repeats: ['reading', 'paging', 'patch', 'batch', 'versioning', 'maturity', 'multi-create', 'auth', 'headers'],
    test: conditionsCase('operations of a batch'),
  },
});

/** Whose conditions are walked by which rule. */
type Share = 'reads' | 'writes' | 'operations of a batch';

/** Walks the conditions that fall to a rule, of a list that has every pair of those that the profile can make. */
function conditionsCase(share: Share): ServiceCase {
  return scenario(async (context, { begin }) => {
    for (const conditions of conditionsFor(context)[share]) {
      begin?.();
      await tryOut(context, conditions);
    }
  });
}

type Walks = Readonly<Record<Share, readonly Conditions[]>>;

const walks = new WeakMap<Profile, Walks>();

/** The rules share one list: pairs that single requests have are left to those. */
function conditionsFor({ profile }: CaseContext): Walks {
  const known = walks.get(profile.all);
  if (known !== undefined) return known;
  const offered = Object.values(offeredBy(profile.all, profile.offers));
  const all = possibleCodes()
    .map((code) => ({ code, conditions: conditionsOf(code) }))
    .filter(({ conditions }) => offered.every((isOffered) => isOffered(conditions)));
  const covering = (share: Share, covered: readonly string[] = []): readonly string[] => {
    const own = all.filter(({ conditions }) => shareOf(conditions) === share);
    // what is taken has nothing to hide behind, and where one thing alone decides nothing hides behind another
    const taken = own.filter(({ conditions }) => decisionOf(conditions) === 'accepted');
    const plain = own.filter(({ conditions }) => !['open', 'refused'].includes(String(decisionOf(conditions))));
    return coveringCodes(
      [taken, plain, own].map((list) => list.map(({ code }) => code)),
      covered,
    );
  };
  const [reading, writing] = [covering('reads'), covering('writes')];
  const inBatch = covering('operations of a batch', [...reading, ...writing]);
  const walk: Walks = {
    reads: reading.map(conditionsOf),
    writes: writing.map(conditionsOf),
    'operations of a batch': inBatch.map(conditionsOf),
  };
  walks.set(profile.all, walk);
  return walk;
}

function shareOf({ action, carriage }: Conditions): Share {
  if (carriage === 'batch') return 'operations of a batch';
  return reads.includes(action) ? 'reads' : 'writes';
}

/** Which conditions a profile can make, by factor. */
function offeredBy(all: Profile, offers: CaseContext['profile']['offers']) {
  const { routes, maturity, filters, informationFilter, identities } = all;
  const { primary } = all.softTypes ?? {};
  const missing = new Set<string>([
    ...(routes?.softTypePut === undefined ? ['put'] : []),
    ...(routes?.softTypeDelete === undefined ? ['delete'] : []),
    ...(maturity === undefined || isOfOther(maturity.softType, primary?.definitionId) ? ['promote', 'demote'] : []),
    ...(routes?.demote === undefined ? ['demote'] : []),
    ...(offers('operations') && primary?.scalars !== undefined ? [] : ['operations']),
    ...(offers('multi-create') ? [] : ['multi-create']),
    ...(primary?.arrayPort === undefined ? ['page'] : []),
  ]);
  const isFiltered = !isOfOther(filters?.softType, primary?.definitionId);
  const hasLocks = routes?.lockTake !== undefined && routes.lockFree !== undefined;
  return {
    action: ({ action }: Conditions) => !missing.has(action),
    sender: (conditions: Conditions) => senderOf(conditions, all) !== undefined,
    role: (conditions: Conditions) => isOfRole(conditions, all),
    filter: ({ filter }: Conditions) => filter !== 'other' || informationFilter?.dateMember !== undefined,
    fixed: ({ search }: Conditions) => search !== 'fixed' || (isFiltered && filters?.fixed !== undefined),
    value: ({ search }: Conditions) => search !== 'value' || (isFiltered && filters?.withValue !== undefined),
    lock: ({ lock }: Conditions) => lock === 'free' || (hasLocks && identities.secondEditor !== undefined),
    carriage: ({ carriage }: Conditions) => carriage === 'single' || offers('batch'),
  };
}

const methods: Readonly<Record<Conditions['action'], string>> = {
  read: 'GET',
  page: 'GET',
  create: 'POST',
  'multi-create': 'POST',
  merge: 'PATCH',
  operations: 'PATCH',
  put: 'PUT',
  promote: 'PUT',
  demote: 'PUT',
  delete: 'DELETE',
};

/**
 * Whether the role is known to have the method, or to lack it where that is what refuses. A 403 for what it lacks is right, and where the
 * profile states no methods only those that come as an identity of the profile are told from it.
 */
function isOfRole({ action, role, credential }: Conditions, { identities }: Profile): boolean {
  const method = methods[action];
  if (role === 'outside' || role === 'nobody') return true;
  const stated = identities[role]?.methods;
  if (role === 'reader' && !reads.includes(action)) return stated?.includes(method) !== true;
  return stated?.includes(method) ?? (credential === 'jwt' || isUsual(role, method));
}

function isOfOther(softType: string | undefined, primary: string | undefined): boolean {
  return softType !== undefined && softType !== primary;
}

/** How a request shows who sends it; undefined where the profile has nobody of that kind. */
function senderOf({ role, credential }: Conditions, { identities, ...all }: Profile): Changes | undefined {
  if (credential === 'none') return { as: null };
  if (credential === 'stranger') return { as: null, headers: { Authorization: 'Bearer somebody-who-is-not-known' } };
  const names: readonly IdentityName[] =
    role === 'outside' ? ['noRole', 'outsider'] : [role === 'reader' ? 'reader' : 'editor'];
  for (const name of names) {
    const { pat, username } = identities[name] ?? {};
    if (identities[name] === undefined) continue;
    if (credential === 'jwt' && isGranted({ identities, ...all }, name)) return { as: name };
    if (credential === 'pat' && pat !== undefined) return { as: null, headers: { Authorization: `Bearer ${pat}` } };
    if (credential === 'basic' && pat !== undefined && username !== undefined)
      return { as: null, headers: { Authorization: basicAuthorization(username, pat) } };
  }
  return undefined;
}

/** What makes a request refused for sure, each with its status where the documents name one. */
function refusalsOf({ action, credential, role, filter, version }: Conditions): readonly (number | undefined)[] {
  return [
    ...(credential === 'none' ? [401] : []),
    ...(credential === 'stranger' ? [undefined] : []),
    ...(role === 'outside' || (role === 'reader' && !reads.includes(action)) ? [403] : []),
    ...(filter === 'absent' && filtered.includes(action) ? [undefined] : []),
    ...(version === 'absent' && compared.includes(action) ? [412] : []),
    ...(version === 'stale' ? [409] : []),
  ];
}

/** Whether something is left open that may change the answer, where nothing else refuses it for sure. */
function isOpen({ action, credential, role, filter, lock, carriage }: Conditions): boolean {
  return (
    credential === 'basic' ||
    lock !== 'free' ||
    filter === 'other' ||
    (filter === 'absent' && !filtered.includes(action)) ||
    // the POST of a batch may be none of a reader, and which reads it carries is told by one word
    (carriage === 'batch' && (role === 'reader' || action === 'page')) ||
    // whether a DELETE needs a version is not said
    action === 'delete'
  );
}

function decisionOf(conditions: Conditions): Decision {
  const refusals = refusalsOf(conditions);
  const [only] = refusals;
  if (refusals.length === 0) return isOpen(conditions) ? 'open' : 'accepted';
  return refusals.length === 1 && only !== undefined && !isOpen(conditions) ? only : 'refused';
}

/** Sends one request under these conditions, holds its answer against what the documents say, and looks that a refusal changed nothing. */
async function tryOut(context: CaseContext, conditions: Conditions): Promise<void> {
  const { profile } = context;
  const made = await makeThing(context, conditions);
  const free = await lock(context, made, conditions);
  if (free === undefined) return;
  try {
    const thing = conditions.lock === 'free' ? made : await context.given.current(made);
    const sender = senderOf(conditions, profile.all) ?? {};
    const reply = await send(
      context,
      requestOf(context, thing, conditions),
      { ...sender, ...filterOf(context, conditions) },
      conditions,
    );
    const decision = decisionOf(conditions);
    if (decision === 'open') return;
    expectDecision(context, reply, conditions, decision);
    if (decision !== 'accepted' && conditions.action !== 'create' && conditions.action !== 'multi-create')
      context.expect(await readVersion(context, thing), `version after ${told(conditions)}`).toEqual(thing.version);
  } finally {
    await free();
  }
}

function expectDecision({ expect }: CaseContext, reply: Reply, conditions: Conditions, decision: Decision): void {
  if (conditions.carriage === 'single') {
    if (decision === 'accepted') expect(reply).toSucceed();
    else if (decision === 'refused') expect(reply).notToSucceed();
    else if (typeof decision === 'number') expect(reply).toAnswer(decision);
    return;
  }
  const status = statusIn(reply, conditions);
  const name = `status of the operation, ${told(conditions)}`;
  if (decision === 'accepted') expect(status, name, reply).toSatisfy('2xx', (code) => code >= 200 && code < 300);
  else if (decision === 'refused') expect(status, name, reply).toSatisfy('400 or above', (code) => code >= 400);
  else expect(status, name, reply).toEqual(decision);
}

/** That of the operation in a batch; that of the batch itself where it was refused as a whole. */
function statusIn(reply: Reply, { carriage }: Conditions): number {
  const [result]: readonly unknown[] = Array.isArray(reply.json) ? reply.json : [];
  const status = carriage === 'batch' && isObject(result) ? result['statusCode'] : undefined;
  return typeof status === 'number' ? status : reply.status;
}

async function makeThing(context: CaseContext, { action, search }: Conditions): Promise<Thing> {
  const { given } = context;
  if (search === 'fixed') return (await makeFilterable(context, { matching: 12, other: 3 })).owner;
  // a second page has to be left, whatever else the filter of the profile admits
  if (search === 'value') return given.objectWithEntries(12, { members: () => searched(context) });
  if (action === 'page') return given.objectWithEntries(11);
  return action === 'demote' ? makeDemotable(context) : makeEditable(context);
}

/** Takes the lock where it is to be taken. Resolves with what frees it; undefined where it could not be taken. */
async function lock(
  context: CaseContext,
  thing: Thing,
  conditions: Conditions,
): Promise<(() => Promise<void>) | undefined> {
  const { service, profile, given } = context;
  if (conditions.lock === 'free') return async () => undefined;
  const { lockTake, lockFree } = profile.all.routes ?? {};
  const as = conditions.lock === 'own' ? 'editor' : 'secondEditor';
  const taken = await service.send(lockRequest(context, lockTake, thing), { as });
  if (!isSuccess(taken.status)) return undefined;
  return async () => {
    const read = await service.read(thing);
    if (isSuccess(read.status)) await service.send(lockRequest(context, lockFree, await given.current(thing)), { as });
  };
}

function filterOf(context: CaseContext, { filter }: Conditions): Changes {
  if (filter === 'usual') return {};
  return { filter: filter === 'absent' ? null : filterAt(context, '2030-01-01T00:00:00Z') };
}

function requestOf(context: CaseContext, thing: Thing, conditions: Conditions): RequestSpec {
  const { version } = conditions;
  const request = plainRequest(context, thing, conditions);
  if (version === 'absent') return { ...request, version: null };
  return version === 'stale' ? { ...request, version: thing.version + 7 } : request;
}

function plainRequest(context: CaseContext, thing: Thing, { action, search, page }: Conditions): RequestSpec {
  const { service, given, profile } = context;
  const { requests } = service;
  const by = (name: string): RequestSpec =>
    given
      .present(
        editRoutes(context).find((route) => route.name === name),
        name,
      )
      .request(thing);
  switch (action) {
    case 'read':
      return { ...requests.read(thing), ...searchOf(context, thing, search) };
    case 'page': {
      const pageNumber = page === 'first' ? 0 : 1;
      return { ...requests.page(thing, pageNumber), ...searchOf(context, thing, search, pageNumber) };
    }
    case 'create':
      return requests.create(given.body());
    case 'merge':
      return requests.merge(thing, anyEdit(context));
    case 'operations':
      return by('operations PATCH');
    case 'put':
      return by('PUT');
    case 'promote':
      return by('promote');
    case 'demote':
      return requests.demote(thing);
    case 'delete':
      return requests.remove(thing);
    case 'multi-create':
      return requests.multiCreate([{ $id: 'one', $softType: profile.primary.definitionId, data: given.body() }]);
  }
}

function searchOf(context: CaseContext, thing: Thing, search: Conditions['search'], page?: number): Changes {
  if (search === 'none') return {};
  const owner: Owner = { ...thing, port: context.profile.port, texts: [] };
  const value = valueOfFixed(context);
  if (search === 'fixed')
    return page === undefined ? withFilter(context, owner) : withFilterOnPage(context, owner, page);
  return page === undefined ? withValue(context, owner, value) : withValueOnPage(context, owner, page, value);
}

/** What an entry holds so that the filter with a blank value admits it, by the name of its member. */
function searched(context: CaseContext): Readonly<Record<string, string>> {
  const { member = '' } = context.profile.all.filters?.withValue ?? {};
  return { [member]: valueOfFixed(context) };
}

function send(context: CaseContext, request: RequestSpec, changes: Changes, { carriage }: Conditions): Promise<Reply> {
  return carriage === 'single' ? context.service.send(request, changes) : sendBatch(context, [request], changes);
}

/** Conditions that are not those of an ordinary request, in words. */
function told({ action, carriage, ...conditions }: Conditions): string {
  const { page: _page, media: _media, ...others } = conditions;
  const words = Object.entries(others)
    .filter(([, value]) => !['usual', 'free', 'current', 'none', 'jwt', 'editor'].includes(value))
    .map(([factor, value]) => `${factor} ${value}`);
  return [`${action}${carriage === 'batch' ? ' in a batch' : ''}`, ...words].join(', ');
}
