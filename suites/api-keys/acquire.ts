import fc from 'fast-check';
import { permissionNames } from '../../contract/names.ts';
import type { KeyHolder } from '../../judge/api-keys/api-keys.ts';
import { property, scenario, type CaseContext, type SomeCasesOf } from '../../judge/case.ts';
import { isSuccess } from '../../judge/files/stored-file.ts';
import { unescaped } from '../../judge/unescaped.ts';
import { brought, membersOf } from './words.ts';

const pairs = permissionNames.flatMap((one, index) => permissionNames.slice(index + 1).map((other) => [one, other]));
/** Share of the generated runs, beside every single name, every pair and all. */
const share = 0.2;

export const acquireCases = {
  'api-keys.acquire.posts-to-callback': scenario(async (context) => {
    const { given, apiKeys, expect, notes } = context;
    const holder = await given.keyHolder();
    const reply = await apiKeys.acquire(holder);
    expect(reply).toSucceed();
    notes.observe('the callback comes before the answer', apiKeys.callbacks(holder).length > 0);
    const post = await apiKeys.callback(holder);
    expect(post?.json, 'what is posted to the callback').toBeAnObject();
    expect(Object.keys(Object(post?.json)), 'members of what is posted to the callback').toEqual(holder.permissions);
    expect(apiKeys.callbacks(holder).length, 'posts to the callback').toEqual(1);
    const keys = Object.values(post?.keys ?? {});
    notes.observe(
      'the answer holds keys',
      keys.some((key) => unescaped(reply).includes(key)),
      reply,
    );
  }),

  'api-keys.acquire.exact-permissions': property(
    fc.shuffledSubarray([...permissionNames], { minLength: 1 }),
    async (context, names) => {
      const post = await brought(context, await holderOfAll(context), names);
      context.expect(membersOf(post), `members brought for ${names.join(', ')}`).toEqual(names.toSorted());
    },
    { share, always: [...permissionNames.map((name) => [name]), ...pairs, [...permissionNames]] },
  ),

  'api-keys.acquire.key-shape': scenario(async (context) => {
    const { expect, notes } = context;
    const { json, keys } = await brought(context, await holderOfAll(context));
    const further = new Set<string>();
    for (const name of permissionNames) {
      const member: unknown = Reflect.get(Object(json), name);
      expect(member, `member ${name}`).toBeAnObject();
      const apiKey: unknown = Reflect.get(Object(member), 'apiKey');
      expect(apiKey, `apiKey of ${name}`).toBeAString();
      expect(apiKey, `apiKey of ${name}`).notToEqual('');
      for (const other of Object.keys(Object(member))) if (other !== 'apiKey') further.add(other);
    }
    notes.observe('further members beside apiKey', [...further].toSorted().join(', ') || 'none');
    if (new Set(Object.values(keys)).size < permissionNames.length)
      notes.remark('one key was brought for several permissions');
  }),

  'api-keys.acquire.trusted-endpoint': scenario(async (context) => {
    const { given, apiKeys, expect } = context;
    const names = ['AdministrationAPI', 'SnapshotAPI'];
    const holder = await given.keyHolder({ trusted: true, permissions: names });
    expect(await apiKeys.acquire(holder)).toSucceed();
    const post = await apiKeys.callback(holder);
    expect(Object.keys(Object(post?.json)).toSorted(), 'members brought to a trusted endpoint').toEqual(names);
    const without = await given.keyHolder({ trusted: true, permissions: null });
    expect(await apiKeys.acquire(without, { permissions: names })).notToSucceed();
    expect(apiKeys.callbacks(without).length, 'posts for a trusted endpoint without permissions').toEqual(0);
  }),

  'api-keys.acquire.caller-credential': scenario(async (context) => {
    const { given, apiKeys, notes, profile } = context;
    const envelope = profile.all.triggers?.event === undefined ? [] : (['envelope-token'] as const);
    for (const by of ['administrator', 'editor', 'signature', ...envelope, 'nobody'] as const) {
      const holder = await given.keyHolder();
      const reply = await apiKeys.acquire(holder, {}, { by });
      if (isSuccess(reply.status)) await apiKeys.callback(holder);
      const came = apiKeys.callbacks(holder).length > 0 ? 'keys came' : 'no keys came';
      notes.observe(`asking with the credential ${by}`, `${reply.status}, ${came}`, reply);
      notes.remarkServerError(reply);
      if (by === 'nobody' && isSuccess(reply.status)) notes.remark('keys are given without any credential', reply);
    }
  }),
} satisfies SomeCasesOf<'api-keys'>;

const holders = new WeakMap<CaseContext, Promise<KeyHolder>>();

/** One for the case, with all five permissions. */
function holderOfAll(context: CaseContext): Promise<KeyHolder> {
  const holder = holders.get(context) ?? context.given.keyHolder({ permissions: permissionNames });
  holders.set(context, holder);
  return holder;
}
