import { permissionNames } from '../../../contract/names.ts';
import type { CaseContext } from '../../../judge/case.ts';
import { isSuccess, type Reply } from '../../../judge/exchange.ts';
import type { KeyHolder, KeysPost } from '../../../judge/extension/api-keys.ts';
import type { Script } from '../../../judge/extension/extension.ts';
import { callWaitMs, expectCall } from '../../../judge/extension/trigger-calls.ts';
import type { BulkLevel } from '../../../judge/files/bulk.ts';
import { makeSource, namesBelow, sendInTurn } from '../../../judge/files/bulk-uploads.ts';
import { unlessRefused } from '../../../judge/violation.ts';

const holders = new WeakMap<CaseContext, ReturnType<typeof holdersOf>>();

/** Beside events: types that the documents tell of, whose records replace nothing that the service has of its own. */
const furtherTypes = ['ExternalTask', 'ExternalAction'] as const;

/** Long enough for requests that are sent at once to find the post of the first on its way. */
const heldMs = 150;

/** All posts are taken but the second. */
const takingButTheSecond: Script = [
  { when: { kind: 'other' }, steps: [200, 500, 200].map((status) => ({ status })), afterwards: 'last' },
];

const groundOfPosts = ['api-keys.acquire.posts-to-callback'] as const;

/** Asks for permissions that are configured; the post that brings the keys. That one comes is judged by a rule of its own. */
export async function bringKeys(
  { given, apiKeys }: CaseContext,
  holder: KeyHolder,
  permissions: readonly string[] = holder.permissions,
): Promise<KeysPost> {
  const { length } = apiKeys.callbacks(holder);
  const reply = await apiKeys.acquire(holder, { permissions });
  given.succeeded(reply, `a request for keys for ${permissions.join(', ')}`, groundOfPosts);
  return given.present(await apiKeys.callback(holder, length), 'the keys at the callback', groundOfPosts);
}

/** Asks for permissions that are configured, which is accepted and brings keys: what a case judges. */
export async function expectBrought(
  context: CaseContext,
  holder: KeyHolder,
  permissions: readonly string[] = holder.permissions,
): Promise<KeysPost> {
  const { given, apiKeys, expect } = context;
  const { length } = apiKeys.callbacks(holder);
  expect(await apiKeys.acquire(holder, { permissions })).toSucceed();
  const post = await apiKeys.callback(holder, length);
  expectCall(context, post?.call, `the keys for ${permissions.join(', ')} at the callback`);
  return given.present(post, 'the keys at the callback');
}

/**
 * Keys that are asked for while others are on their way to the same callback come there by a post of their own, equal ones too. What a request is told
 * meanwhile is not said: one that is refused may be sent again.
 */
export async function expectBroughtAtOnce(context: CaseContext): Promise<void> {
  const { given, apiKeys, expect, notes } = context;
  const permissions = ['SnapshotAPI', 'TaskUploadAPI'];
  const slowly = [{ status: 200, delayMs: heldMs }];
  const script = [{ when: { kind: 'other' }, steps: slowly, afterwards: 'last' as const }];
  const holder = await given.keyHolder({ permissions, script });
  await bringKeys(context, holder);
  const { length } = apiKeys.callbacks(holder);
  const asked = [...permissions, ...permissions];
  const replies = await Promise.all(asked.map((name) => apiKeys.acquire(holder, { permissions: [name] })));
  const taken = asked.filter((_name, index) => isSuccess(replies[index]?.status ?? 0));
  notes.observe('of four requests for keys at the same time are taken', taken.length);
  if (taken.length > 0) await apiKeys.callback(holder, length + taken.length - 1);
  const posts = apiKeys.callbacks(holder).slice(length);
  for (const name of new Set(taken)) {
    const count = posts.filter(({ json }) => Object.hasOwn(Object(json), name)).length;
    const wanted = taken.filter((one) => one === name).length;
    expect(count, `posts of the key for ${name}, asked for beside others`).toSatisfy(
      `${wanted}, as often as it was asked for`,
      (found) => found >= wanted,
    );
  }
}

/** Whatever a record is for, what it configures counts. A service that does not know a type passes over its records, as over those of nobody. */
export async function expectBroughtToTypes(context: CaseContext): Promise<void> {
  const { given, apiKeys, expect, notes, profile } = context;
  // an envelope is had of an event, which goes to no record of another type
  if (profile.all.apiKeys?.acquireAs === 'envelope-token')
    return notes.observe('records of other types ask for keys', 'not tried');
  const permissions = ['SnapshotAPI'];
  const all: { readonly type: string; readonly holder: KeyHolder }[] = [];
  for (const type of furtherTypes) all.push({ type, holder: await given.keyHolder({ type, permissions }) });
  for (const { type, holder } of all) {
    const { length } = apiKeys.callbacks(holder);
    const reply = await apiKeys.acquire(holder, { permissions });
    const isUnknown = !isSuccess(reply.status) && reply.status === (await statusOfNobody(context, holder));
    notes.observe(`a record of type ${type} is one that may have keys`, !isUnknown, reply);
    if (isUnknown) continue;
    expect(reply).toSucceed();
    expectCall(context, (await apiKeys.callback(holder, length))?.call, `the keys for a record of type ${type}`);
  }
}

/** Whatever id a trusted endpoint could be registered under, its keys are asked for under that; which ids there may be is not said. */
export async function expectBroughtByOddIds(context: CaseContext, permissions: readonly string[]): Promise<void> {
  const { given, apiKeys, expect, notes } = context;
  for (const [what, prefix] of Object.entries({ signs: 'ü b', capitals: 'CAPITALS' })) {
    const id = given.unique(prefix);
    const odd = await unlessRefused(() => given.keyHolder({ trusted: true, permissions, id }));
    notes.observe(`a trusted endpoint with ${what} in its id`, odd === undefined ? 'is refused' : 'is taken');
    if (odd !== undefined) expect(await apiKeys.acquire(odd)).toSucceed();
  }
}

/** Of keys that are asked for together each has a period of its own: a younger one puts the end of none off, in whichever order their names stand, nor does a post that failed. */
export async function expectEachOfItsAge(context: CaseContext, periodSeconds: number): Promise<void> {
  const { given, apiKeys, clock, expect } = context;
  const holder = await given.keyHolder({ permissions: permissionNames });
  const [one = '', other = '', ...younger] = permissionNames;
  const first = await apiKeys.keysOf(holder, [one, other]);
  const unsteady = await given.keyHolder({ permissions: [one], script: takingButTheSecond });
  const { [one]: former } = await apiKeys.keysOf(unsteady);
  await clock.pass((periodSeconds / 2) * 1000);
  await apiKeys.keysOf(holder, younger);
  await clock.pass((periodSeconds / 2) * 1000);
  const [before = '', behind = ''] = younger;
  for (const [old, asked] of [
    [one, [before, one]],
    [other, [other, behind]],
  ] as const) {
    const { keys } = await expectBrought(context, holder, asked);
    expect(keys[old], `the key of ${old}, asked for with a younger one after its period`).notToEqual(first[old]);
  }
  const { length } = apiKeys.callbacks(unsteady);
  await apiKeys.acquire(unsteady);
  await apiKeys.callback(unsteady, length);
  // what a request is told while a service brings a key once more by itself is not said
  const again = await apiKeys.acquire(unsteady);
  const post = isSuccess(again.status) ? await apiKeys.callback(unsteady, length + 1) : undefined;
  if (post !== undefined)
    expect(post.keys[one], `the key of ${one}, whose callback failed once after its period`).notToEqual(former);
}

async function statusOfNobody({ given, apiKeys }: CaseContext, holder: KeyHolder): Promise<number> {
  return (await apiKeys.acquireUnder(given.unique('nobody'), holder)).status;
}

/** A trusted endpoint that may have keys; undefined where none gets any, which is the business of a rule of its own. */
export async function trustedHolder(
  context: CaseContext,
  options: { readonly permissions?: readonly string[]; readonly callbackPath?: string },
): Promise<KeyHolder | undefined> {
  const { given, apiKeys, notes } = context;
  const holder = await unlessRefused(() => given.keyHolder({ ...options, trusted: true }));
  // one of them tells it: the keys of the others are new to who asks for them
  const [first] = holder?.permissions.map((name) => ({ permissions: [name] })) ?? [];
  const isServed = holder !== undefined && isSuccess((await apiKeys.acquire(holder, first)).status);
  const post = isServed ? await apiKeys.callback(holder) : undefined;
  if (post === undefined) notes.observe('keys of a trusted endpoint', 'are not brought');
  return post && holder;
}

/** An extension and, where any gets keys, a trusted endpoint with all five permissions: the same for a whole case. */
export function holdersOfAll(context: CaseContext): ReturnType<typeof holdersOf> {
  const known = holders.get(context) ?? holdersOf(context, permissionNames);
  holders.set(context, known);
  return known;
}

async function holdersOf(
  context: CaseContext,
  permissions: readonly string[],
): Promise<readonly [extension: KeyHolder, endpoint: KeyHolder | undefined]> {
  return [await context.given.keyHolder({ permissions }), await trustedHolder(context, { permissions })];
}

/**
 * Configures a holder otherwise, in the metadata of its extension, which an update brings, or in the registration of its endpoint, and asserts that
 * keys come by that; false where the endpoint cannot be updated so.
 */
export async function isReconfigured(context: CaseContext, next: KeyHolder): Promise<boolean> {
  const { given, registrations, apiKeys, clock, expect, notes } = context;
  const { extension, tokenCallback, permissions } = next;
  const configured = { permissions: { tokenCallback, permissions } };
  extension?.setScript([{ when: { kind: 'other' }, steps: [{ status: 200 }], afterwards: 'last' }]);
  extension?.setRecords([{ ...extension.record('ExternalEvent'), ...configured }]);
  const asked = extension?.metadata().length ?? 0;
  const registration = given.present(next.registration, 'a registration');
  const update = await registrations.update(registration, extension === undefined ? configured : {});
  if (extension === undefined && !isSuccess(update.status)) {
    notes.observe('an update of the permissions of an endpoint', update.status, update);
    return false;
  }
  given.succeeded(update, 'the registration is updated');
  await extension?.ended(asked + 1, { kind: 'metadata' }, { withinMs: callWaitMs });
  const { length } = apiKeys.callbacks(next);
  // until what the extension told last would long have been put to use
  const granted = await clock.look(
    callWaitMs,
    () => apiKeys.acquire(next),
    ({ status }) => isSuccess(status),
  );
  expect(granted).toSucceed();
  await apiKeys.callback(next, length);
  return true;
}

/** A bulk upload of one file, into the space unless another level is named, signed with that key. */
export async function uploadSignedWith(context: CaseContext, key: string, level: BulkLevel = 'space'): Promise<Reply> {
  const { directory } = await makeSource(context, namesBelow(context, 'keyed.bin'), level);
  const body = { sourceDirectory: directory.path, writeLog: false };
  return sendInTurn(context, () => context.bulk.upload(level, body, { key }));
}

/** Whether a bulk upload was refused because an acquired key may be for something else: the profile does not say that it is meant to open one. */
export function mayBeMeantForOthers({ profile }: CaseContext, { status }: Reply): boolean {
  return profile.all.auth?.acquiredKeyOnBulk !== true && (status === 401 || status === 403);
}

/** That an acquired key opens bulk uploads is not said outright: where it does not, the profile has to say that it is meant to. Source: ledger administration-key-holders */
export function assertMeantForBulk(context: CaseContext, reply: Reply): void {
  if (!mayBeMeantForOthers(context, reply)) return;
  context.given.inconclusive(
    'The key that an extension acquires opens no bulk upload, and the documents do not say outright that it does: state auth.acquiredKeyOnBulk: true in the profile to have that judged, or name what stands on it under notSupported.',
  );
}

/** A key may be written in the alphabet for URLs, which most decoders read as well. */
export function noteAlphabet({ notes }: CaseContext, keys: readonly string[]): void {
  notes.observe(
    'acquired keys are in the usual alphabet of Base64',
    keys.every((one) => /^[A-Za-z0-9+/]+=*$/.test(one)),
  );
}

/**
 * Keys for bulk uploads: brought alone, among others, and ahead of one for another permission, which is no rotation of the first; the last
 * to a trusted endpoint as well, where there can be one.
 */
export async function administrationKeys(context: CaseContext): Promise<readonly string[]> {
  const { given, apiKeys } = context;
  const [alone, among] = [await given.keyHolder(), await given.keyHolder({ permissions: permissionNames })];
  const keys = [await apiKeys.keysOf(alone), await apiKeys.keysOf(among)];
  const permissions = ['AdministrationAPI', 'SnapshotAPI'];
  for (const holder of [await given.keyHolder({ permissions }), await trustedHolder(context, { permissions })]) {
    if (holder === undefined) continue;
    keys.push(await apiKeys.keysOf(holder, permissions.slice(0, 1)));
    await apiKeys.keysOf(holder, permissions.slice(1));
  }
  return keys.map(({ AdministrationAPI: key = '' }) => key);
}
