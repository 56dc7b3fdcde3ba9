import type { KeyHolder, KeysPost } from '../../judge/api-keys/api-keys.ts';
import type { CaseContext } from '../../judge/case.ts';
import type { Reply } from '../../judge/exchange.ts';
import { namesBelow, source } from '../../judge/bulk/upload-tree.ts';

const groundOfPosts = ['api-keys.acquire.posts-to-callback'] as const;

/** Asks for permissions that are configured; the post that brings the keys. That one comes is judged by a rule of its own. */
export async function brought(
  { given, apiKeys }: CaseContext,
  holder: KeyHolder,
  permissions: readonly string[] = holder.permissions,
): Promise<KeysPost> {
  const { length } = apiKeys.callbacks(holder);
  const reply = await apiKeys.acquire(holder, { permissions });
  given.succeeded(reply, `a request for keys for ${permissions.join(', ')}`, groundOfPosts);
  return given.present(await apiKeys.callback(holder, length), 'the keys at the callback', groundOfPosts);
}

/** Runs steps that must not bring anything to the host of the holder: what is configured comes before and after, and nothing between. */
export async function bringingNothing(
  context: CaseContext,
  holder: KeyHolder,
  steps: () => Promise<void>,
): Promise<void> {
  await brought(context, holder);
  const { length } = requestsTo(holder);
  await steps();
  await brought(context, holder);
  const expected = [`POST ${new URL(holder.tokenCallback).pathname}`];
  context.expect(requestsTo(holder).slice(length), 'requests up to the keys that are asked for last').toEqual(expected);
}

/** Everything that reached the host of a holder on any path, but for the metadata exchange and calls. */
export function requestsTo({ reached }: KeyHolder): readonly string[] {
  return reached
    .everything()
    .filter(({ kind }) => kind === 'other' || kind === 'endpoint')
    .map(({ method, target }) => `${method} ${target}`);
}

/** Names in the object that came to a callback. */
export function membersOf({ json }: KeysPost): readonly string[] {
  return Object.keys(Object(json)).toSorted();
}

/** A bulk upload of one file into the space, signed with that key. */
export async function uploadedWith(context: CaseContext, key: string): Promise<Reply> {
  const { directory } = await source(context, namesBelow(context, 'keyed.bin'));
  return context.bulk.upload('space', { sourceDirectory: directory.path, writeLog: false }, { key });
}
