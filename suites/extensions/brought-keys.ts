import { permissionNames } from '../../contract/names.ts';
import type { CaseContext } from '../../judge/case.ts';
import type { Reply } from '../../judge/exchange.ts';
import type { KeyHolder, KeysPost } from '../../judge/extension/api-keys.ts';
import { callWaitMs, expectCall } from '../../judge/extension/trigger-calls.ts';
import { isSuccess } from '../../judge/files/stored-files.ts';
import { readTime, sleep } from '../../judge/time/part-time.ts';
import { unlessRefused } from '../../judge/violation.ts';

const holders = new WeakMap<CaseContext, ReturnType<typeof holdersOf>>();

/** In ms. */
const betweenTriesMs = 250;

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

/** Asks for keys until they are granted, or what the extension told last would long have been put to use. */
export async function acquireOnceUsed({ apiKeys }: CaseContext, holder: KeyHolder): Promise<Reply> {
  const until = readTime() + callWaitMs;
  for (;;) {
    const reply = await apiKeys.acquire(holder);
    if (isSuccess(reply.status) || readTime() >= until) return reply;
    await sleep(betweenTriesMs);
  }
}

/** A trusted endpoint that may have keys; undefined where none gets any, which is the business of a rule of its own. */
export async function trustedHolder(
  context: CaseContext,
  options: { readonly permissions?: readonly string[]; readonly callbackPath?: string },
): Promise<KeyHolder | undefined> {
  const { given, apiKeys, notes } = context;
  const holder = await unlessRefused(() => given.keyHolder({ ...options, trusted: true }));
  const isServed = holder !== undefined && isSuccess((await apiKeys.acquire(holder)).status);
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
