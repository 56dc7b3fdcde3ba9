import type { CaseContext } from '../../judge/case.ts';
import type { KeyHolder, KeysPost } from '../../judge/extension/api-keys.ts';
import { expectCall } from '../../judge/extension/trigger-calls.ts';

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
