import fc from 'fast-check';
import { keyPeriodSeconds } from '../../contract/limits.ts';
import { permissionNames } from '../../contract/names.ts';
import type { KeyHolder, KeysPost } from '../../judge/extension/api-keys.ts';
import { declaredLevels, expectUploaded, makeSource, namesBelow, sendInTurn } from '../../judge/files/bulk-uploads.ts';
import { type CaseContext, property, scenario, schedule } from '../../judge/case.ts';
import { stayQuiet } from '../../judge/extension/trigger-calls.ts';
import { restart } from '../../judge/service/restart.ts';
import { rules } from '../../judge/rule.ts';
import type { Told } from '../../judge/time/timeline.ts';
import { plainTextOf } from '../../judge/service/answers.ts';
import type { Step } from '../../judge/extension/extension.ts';
import { unlessRefused } from '../../judge/violation.ts';
import { isRemoved } from './checks/same-records.ts';
import {
  administrationKeys,
  assertMeantForBulk,
  bringKeys,
  expectBrought,
  expectBroughtAtOnce,
  expectBroughtByOddIds,
  expectBroughtToTypes,
  expectEachOfItsAge,
  holdersOfAll,
  isReconfigured,
  noteAlphabet,
  trustedHolder,
  uploadSignedWith,
} from './checks/brought-keys.ts';
import { isSuccess } from '../../judge/exchange.ts';

const permissionPairs = permissionNames.flatMap((one, index) =>
  permissionNames.slice(index + 1).map((other) => [one, other]),
);

/**
 * Every pair, every single name and all, asked for by an extension and by a trusted endpoint in turn: pairs come first, so that of some one key was
 * brought before and the other was not.
 */
const askings = [...permissionPairs, ...permissionNames.map((name) => [name]), [...permissionNames]].map(
  (names, index) => ({ names, trusted: index % 2 === 1 }),
);

/** Share of the generated runs beside them. */
const share = 0.2;

/** What an update says is put to use at all. */
const updatesTaken = ['metadata.fetch.on-update', 'metadata.update.replaces-records'] as const;

const minuteSeconds = 60;

const rotations = 3;

const hourSeconds = 60 * minuteSeconds;

/** How long before and after the end of a period a key is used, in seconds. */
const closeSeconds = 10;

/** From the end of the period on, in seconds. */
const usesAfter = [closeSeconds, hourSeconds, 12 * hourSeconds, 24 * hourSeconds, 25 * hourSeconds];

export const apiKeyRules = rules('api-keys', {
  'api-keys.acquire.posts-to-callback': {
    source: 'extensions: Acquiring API keys',
    statement:
      'A valid acquire request makes the service POST a JSON object with the keys to the configured tokenCallback, its query included, and another one for each request that comes meanwhile; the keys come by the callback.',
    fault: 'Keys are returned in the response and no callback is made.',
    needs: ['collection-admin', 'extension-listener', 'acquire-identity'],
    test: scenario(async (context) => {
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
        keys.some((key) => plainTextOf(reply).includes(key)),
        reply,
      );
      await expectBroughtToTypes(context);
      await expectBroughtAtOnce(context);
      const query = '?to=conformance&a=1';
      const asked = await given.keyHolder({ callbackPath: `/keys${query}`, ...scriptOf([{ status: 200 }]) });
      const taken = await apiKeys.acquire(asked);
      notes.observe('a callback with a query', isSuccess(taken.status) ? 'is taken' : 'is not taken', taken);
      if (!isSuccess(taken.status)) return;
      const brought = await apiKeys.callback(asked);
      expect(brought?.call.target, 'target of the post to a callback with a query').toSatisfy(
        `one that ends in ${query}`,
        (target) => target?.endsWith(query) ?? false,
      );
    }),
  },
  'api-keys.acquire.exact-permissions': {
    source: 'extensions: Acquiring API keys; Permission names',
    statement:
      'The members of the callback object are exactly the permission names asked for, those of keys that were brought before included, be it by an extension or by a trusted endpoint.',
    fault: 'All configured permissions are delivered, whatever was asked for.',
    needs: ['collection-admin', 'extension-listener', 'acquire-identity'],
    after: ['api-keys.acquire.posts-to-callback'],
    test: property(
      fc.record({ names: fc.shuffledSubarray([...permissionNames], { minLength: 1 }), trusted: fc.boolean() }),
      async (context, { names, trusted }) => {
        const [extension, endpoint = extension] = await holdersOfAll(context);
        const post = await expectBrought(context, trusted ? endpoint : extension, names);
        context.expect(membersOf(post), `members brought for ${names.join(', ')}`).toEqual(names.toSorted());
      },
      { share, always: askings },
    ),
  },
  'api-keys.acquire.key-shape': {
    source: 'extensions: Acquiring API keys',
    statement:
      'Each member is an object with `apiKey`, a non-empty string, be it for an extension or for a trusted endpoint.',
    fault: "The member's value is the key string itself.",
    needs: ['collection-admin', 'extension-listener', 'acquire-identity'],
    after: ['api-keys.acquire.posts-to-callback'],
    test: scenario(async (context) => {
      const { expect, notes } = context;
      const [extension, endpoint = extension] = await holdersOfAll(context);
      const further = new Set<string>();
      for (const holder of [extension, endpoint]) {
        const { json, keys } = await bringKeys(context, holder);
        for (const name of permissionNames) {
          const member: unknown = Reflect.get(Object(json), name);
          expect(member, `member ${name}`).toBeAnObject();
          const apiKey: unknown = Reflect.get(Object(member), 'apiKey');
          expect(apiKey, `apiKey of ${name}`).toBeAString();
          expect(apiKey, `apiKey of ${name}`).notToEqual('');
          for (const other of Object.keys(Object(member))) if (other !== 'apiKey') further.add(other);
        }
        if (new Set(Object.values(keys)).size < permissionNames.length)
          notes.remark('one key was brought for several permissions');
      }
      notes.observe('further members beside apiKey', [...further].toSorted().join(', ') || 'none');
    }),
  },
  'api-keys.acquire.callback-mismatch-refused': {
    source: 'extensions: Acquiring API keys (callback must equal the configured one)',
    statement:
      'A tokenCallback other than the configured one, or none, is refused and nothing reaches the host of the configured one, be it that of an extension or of a trusted endpoint; after an update the one that it shows is taken, and the former one is another.',
    fault: 'Callback is compared by host only.',
    needs: ['collection-admin', 'extension-listener', 'acquire-identity'],
    after: ['api-keys.acquire.posts-to-callback', ...updatesTaken],
    test: scenario(async (context) => {
      const { given, apiKeys, expect, profile } = context;
      const holder = await given.keyHolder({ callbackPath: '/keys/here' });
      for (const asked of [holder, await trustedHolder(context, { callbackPath: '/keys/here' })]) {
        if (asked === undefined) continue;
        await expectNothingBrought(context, asked, async () => {
          for (const tokenCallback of [...otherAddresses(asked.tokenCallback), undefined])
            expect(await apiKeys.acquire(asked, { tokenCallback })).notToSucceed();
        });
        if (profile.all.routes?.registrationUpdate !== undefined) await expectFormerRefused(context, asked);
      }
    }),
  },
  'api-keys.acquire.unconfigured-permission-refused': {
    source: 'extensions: Acquiring API keys (configured permissions only)',
    statement:
      'A permission that is not configured for this extension or trusted endpoint, documented or not, is refused and no callback is made; what an update of either configures counts from then on.',
    fault: 'Any of the five names is granted.',
    needs: ['collection-admin', 'extension-listener', 'acquire-identity'],
    after: ['api-keys.acquire.posts-to-callback', ...updatesTaken],
    test: scenario(async (context) => {
      const { given, apiKeys, expect, profile } = context;
      const permissions = ['AdministrationAPI'];
      const holder = await given.keyHolder({ permissions });
      for (const asked of [holder, await trustedHolder(context, { permissions })]) {
        if (asked === undefined) continue;
        await expectNothingBrought(context, asked, async () => {
          for (const name of [...permissionNames.filter((one) => !permissions.includes(one)), 'ConformanceAPI'])
            expect(await apiKeys.acquire(asked, { permissions: [name] })).notToSucceed();
        });
        if (profile.all.routes?.registrationUpdate !== undefined) await expectFormerPermissionRefused(context, asked);
      }
    }),
  },
  'api-keys.acquire.mixed-request-no-excess': {
    source: 'extensions: Acquiring API keys (configured permissions only)',
    statement:
      'A request that mixes configured and unconfigured permissions never yields a key for the unconfigured one, to an extension or to a trusted endpoint.',
    fault: 'A list is granted when its first entry is configured.',
    needs: ['collection-admin', 'extension-listener', 'acquire-identity'],
    after: ['api-keys.acquire.unconfigured-permission-refused'],
    test: scenario(async (context) => {
      const permissions = ['AdministrationAPI', 'SnapshotAPI'];
      const configured = { permissions: permissions.slice(0, 1) };
      for (const holder of [await context.given.keyHolder(configured), await trustedHolder(context, configured)])
        for (const asked of [permissions, permissions.toReversed()])
          if (holder !== undefined) await expectNoExcess(context, holder, asked);
    }),
  },
  'api-keys.acquire.own-configuration': {
    source: 'extensions: Acquiring API keys (extensionId in the path)',
    statement:
      'The extension id in the path decides whose configuration counts; an unknown id is refused, and so is that of an extension or a trusted endpoint that was removed.',
    fault: 'Permissions are looked up over all extensions.',
    needs: ['collection-admin', 'extension-listener', 'acquire-identity'],
    after: ['api-keys.acquire.unconfigured-permission-refused'],
    test: scenario(async (context) => {
      const { given, apiKeys, expect, notes } = context;
      const one = await given.keyHolder({ permissions: ['AdministrationAPI', 'LicenseCommunicationAPI'] });
      const { tokenCallback, permissions, ...other } = await given.keyHolder({
        permissions: ['SnapshotAPI', 'TaskUploadAPI'],
      });
      await expectNothingBrought(context, { ...other, tokenCallback, permissions }, () =>
        expectNothingBrought(context, one, async () => {
          for (const body of [{ tokenCallback }, { permissions }, { tokenCallback, permissions }])
            expect(await apiKeys.acquire(one, body)).notToSucceed();
          const unknown = await apiKeys.acquireUnder(given.unique('nobody'), one);
          expect(unknown).notToSucceed();
          notes.observe('status under an unknown id', unknown.status, unknown);
        }),
      );
      const besides = ['SnapshotAPI'];
      const neighbour = await given.keyHolder({ permissions: ['AdministrationAPI'], besides });
      await expectNothingBrought(context, neighbour, async () =>
        expect(await apiKeys.acquire(neighbour, { permissions: besides })).notToSucceed(),
      );
      const second = neighbour.extension?.records.find(({ id }) => id !== neighbour.id)?.id ?? '';
      expect(await apiKeys.acquireUnder(second, neighbour, { permissions: besides })).toSucceed();
      for (const holder of [one, await trustedHolder(context, {})])
        if (holder?.registration !== undefined && (await isRemoved(context, holder.registration)))
          expect(await apiKeys.acquireUnder(holder.id, holder)).notToSucceed();
    }),
  },
  'api-keys.acquire.trusted-endpoint': {
    source: 'extensions: Authentication, rule 5; Registered trusted external endpoint, row permissions',
    statement:
      'The permissions of a trusted endpoint registration can be acquired in the same way as those of extension metadata, also by an id that a path has to encode, or with capitals in it.',
    fault: 'Only extension metadata is consulted.',
    needs: ['collection-admin', 'extension-listener', 'acquire-identity'],
    after: ['api-keys.acquire.posts-to-callback'],
    test: scenario(async (context) => {
      const { given, apiKeys, expect } = context;
      const names = ['AdministrationAPI', 'SnapshotAPI'];
      const holder = await given.keyHolder({ trusted: true, permissions: names });
      expect(await apiKeys.acquire(holder)).toSucceed();
      const post = await apiKeys.callback(holder);
      expect(Object.keys(Object(post?.json)).toSorted(), 'members brought to a trusted endpoint').toEqual(names);
      const without = await given.keyHolder({ trusted: true, permissions: null });
      expect(await apiKeys.acquire(without, { permissions: names })).notToSucceed();
      expect(apiKeys.callbacks(without).length, 'posts for a trusted endpoint without permissions').toEqual(0);
      await expectBroughtByOddIds(context, names);
    }),
  },
  'api-keys.acquire.no-permissions-refused': {
    source: 'extensions: Acquiring API keys; Extension metadata record, row permissions',
    statement:
      'An extension whose metadata has no permissions, or an empty list of them, cannot acquire any key; a trusted endpoint with such a list neither.',
    fault: 'A missing permissions object means no restriction.',
    needs: ['collection-admin', 'extension-listener', 'acquire-identity'],
    after: ['api-keys.acquire.posts-to-callback'],
    test: scenario(async (context) => {
      const { given, apiKeys, expect } = context;
      const holder = await given.keyHolder({ permissions: null });
      // who takes no empty list gives nothing for it either
      const listing = await unlessRefused(() => given.keyHolder({ permissions: [] }));
      const trusted = await unlessRefused(() => given.keyHolder({ permissions: [], trusted: true }));
      for (const one of [holder, listing, trusted].filter((found) => found !== undefined))
        for (const name of permissionNames) expect(await apiKeys.acquire(one, { permissions: [name] })).notToSucceed();
      await bringKeys(context, await given.keyHolder());
      expect(requestsTo(holder), 'requests to an extension without permissions').toEqual([]);
    }),
  },
  'api-keys.acquire.caller-credential': {
    level: 'observe',
    source: 'extensions: Acquiring API keys (credential of the caller silent)',
    statement:
      'Which credential the acquire route takes (envelope token, administrator token, extension signature, none) is not said.',
    fault: "Not applicable as a failure; recorded variant: signature with the extension's key.",
    needs: ['collection-admin', 'extension-listener'],
    test: scenario(async (context) => {
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
  },
  'api-keys.callback.request-shape': {
    level: 'observe',
    source: 'extensions: Acquiring API keys (callback details silent)',
    statement: 'Credential, content type, retry on failure and timeout of the callback POST are not documented.',
    fault: 'Not applicable as a failure; recorded variant: no retry.',
    needs: ['collection-admin', 'extension-listener', 'acquire-identity'],
    test: scenario(async (context) => {
      const { given, apiKeys, notes } = context;
      const { call } = await bringKeys(context, await given.keyHolder());
      const names = call.headers.map(([name]) => name.toLowerCase());
      notes.observe('headers of the callback', [...new Set(names)].toSorted().join(', '));
      notes.observe('content type of the callback', call.header('content-type').join(', ') || 'none');
      notes.observe('query of the callback', call.query.map(([name]) => name).join(', ') || 'none');
      notes.observe('forms of the path that the callback is signed over', call.signedOver.join(', ') || 'none');

      const taken = { status: 200 };
      const scripts = { '503 twice, then 200': [{ status: 503 }, { status: 503 }, taken], '404': [{ status: 404 }] };
      const tried = await Promise.all(
        Object.entries(scripts).map(async ([what, steps]) => ({
          what,
          holder: await given.keyHolder(scriptOf(steps)),
        })),
      );
      const replies = await Promise.all(tried.map(({ holder }) => apiKeys.acquire(holder)));
      await stayQuiet(context);
      for (const [index, { what, holder }] of tried.entries()) {
        notes.observe(`answer when the callback answers ${what}`, replies[index]?.status ?? 0, replies[index]);
        notes.observe(`attempts when it answers ${what}`, apiKeys.callbacks(holder).length);
        notes.observe(`seconds between attempts when it answers ${what}`, gapsOf(holder));
      }
    }),
  },
  'api-keys.key.administration-on-bulk': {
    source: 'extensions: Authentication, rules 2 and 5; Permission names, row AdministrationAPI',
    statement:
      'An acquired AdministrationAPI key, of an extension or of a trusted endpoint, asked for alone, with others or ahead of another one, signs bulk upload calls that the service accepts at each level.',
    fault: 'Bulk routes know the initial administration key only.',
    needs: ['collection-admin', 'extension-listener', 'acquire-identity', 'host-directory', 'file-area-space'],
    after: ['api-keys.acquire.key-shape', 'bulk-upload.space.uploads-tree'],
    test: scenario(async (context) => {
      const { bulk, expect } = context;
      const keys = await administrationKeys(context);
      const [key = ''] = keys;
      noteAlphabet(context, keys);
      for (const one of keys)
        for (const level of declaredLevels(context)) {
          const from = await makeSource(context, namesBelow(context, 'keyed.bin'), level);
          const body = { sourceDirectory: from.directory.path, writeLog: false };
          const reply = await sendInTurn(context, () => bulk.upload(level, body, { key: one }));
          if (one === key) assertMeantForBulk(context, reply);
          expect(reply).toSucceed();
          await expectUploaded(context, from);
        }
      expect(await uploadSignedWith(context, flipBit(key))).notToSucceed();
    }),
  },
  'api-keys.key.other-permission-not-on-bulk': {
    source: 'extensions: Authentication, rule 2 (administration API key); Permission names',
    statement:
      'Keys of the other four permissions do not open the bulk upload of any level, nor does the key under which an extension is called.',
    fault: 'Any issued key signs any key-protected route.',
    needs: ['collection-admin', 'extension-listener', 'acquire-identity', 'host-directory'],
    after: ['api-keys.key.administration-on-bulk'],
    test: scenario(async (context) => {
      const { given, apiKeys, expect } = context;
      const keys = await apiKeys.keysOf(await given.keyHolder({ permissions: permissionNames }));
      const { AdministrationAPI: right = '', ...others } = keys;
      const alone = await apiKeys.keysOf(await given.keyHolder({ permissions: Object.keys(others) }));
      // one key may be brought for all that is asked for together
      const ofOthers = Object.values(others).filter((key) => key !== right);
      for (const key of [...ofOthers, ...Object.values(alone), (await given.extension()).apiKey])
        for (const level of new Set(['space' as const, ...declaredLevels(context)]))
          expect(await uploadSignedWith(context, key, level)).notToSucceed();
      given.succeeded(await uploadSignedWith(context, right), 'a bulk upload signed with the AdministrationAPI key', [
        'api-keys.key.administration-on-bulk',
      ]);
    }),
  },
  'api-keys.rotation.new-key-after-period': {
    source: 'extensions: Permission names, closing sentence; Limits, permission key rotation',
    statement:
      'Keys are rotated every 24 hours: an acquisition after each full period yields a key that was not there when it began, which works where that of before did, also when keys were asked for again and again meanwhile, be it for an extension or for a trusted endpoint, when younger ones are asked for with it, and when a post that was to bring it failed.',
    fault: 'Keys never change.',
    needs: ['collection-admin', 'extension-listener', 'acquire-identity', 'host-directory', 'clock-control'],
    after: ['api-keys.acquire.key-shape'],
    test: schedule((rotations + 1) * (keyPeriodSeconds + minuteSeconds), async (context) => {
      const { given, apiKeys, clock, expect, notes } = context;
      const holder = await given.keyHolder({ permissions: permissionNames });
      const first = await apiKeys.keysOf(holder);
      const trusted = await trustedHolder(context, {});
      const keysOfTrusted = trusted === undefined ? [] : Object.values(await apiKeys.keysOf(trusted));
      const upload = await uploadSignedWith(context, first['AdministrationAPI'] ?? '');
      notes.observe('status of a bulk upload signed with the first key', upload.status, upload);
      const opensBulk = isSuccess(upload.status);
      const again = await apiKeys.keysOf(holder);
      notes.observe(
        'two requests within one hour bring the same key',
        again['AdministrationAPI'] === first['AdministrationAPI'],
      );
      const { length } = apiKeys.callbacks(holder);
      const known = new Set([...Object.values(first), ...Object.values(again)]);
      for (let rotation = 1; rotation <= rotations; rotation += 1) {
        // an acquisition within the period must not put off its end; the first one is left alone
        const parts = rotation === 1 ? 1 : 3;
        const between: string[] = [];
        for (let part = 1; part <= parts; part += 1) {
          await clock.pass(((keyPeriodSeconds + minuteSeconds) / parts) * 1000);
          if (part < parts) between.push(...Object.values(await apiKeys.keysOf(holder)));
        }
        if (rotation === 1)
          notes.observe('keys are brought without a request', apiKeys.callbacks(holder).length > length);
        const next = (await expectBrought(context, holder)).keys;
        for (const [name, key] of Object.entries(next))
          expect(key, `the key of ${name} after period ${rotation}`).toSatisfy(
            'none of those before it',
            (one) => !known.has(one),
          );
        // the period of a key that came meanwhile may have begun with it
        for (const key of [...Object.values(next), ...between]) known.add(key);
        if (opensBulk) expect(await uploadSignedWith(context, next['AdministrationAPI'] ?? '')).toSucceed();
        if (trusted === undefined) continue;
        const { AdministrationAPI: key = '' } = await apiKeys.keysOf(trusted);
        expect(key, `the key of a trusted endpoint after period ${rotation}`).toSatisfy(
          'none of those before it',
          (one) => !keysOfTrusted.includes(one),
        );
        keysOfTrusted.push(key);
      }
      if (trusted !== undefined && opensBulk)
        expect(await uploadSignedWith(context, keysOfTrusted.at(-1) ?? '')).toSucceed();
      await expectEachOfItsAge(context, keyPeriodSeconds + minuteSeconds);
    }),
  },
  'api-keys.rotation.across-restart': {
    source: 'extensions: Permission names, closing sentence; Limits, permission key rotation',
    statement: 'A full period after a restart of the service no key is brought any more that was issued before it.',
    fault: 'The period of a key begins anew with the first request after a start of the service.',
    needs: ['collection-admin', 'extension-listener', 'acquire-identity', 'clock-control', 'restart-control'],
    after: ['api-keys.rotation.new-key-after-period'],
    test: schedule(keyPeriodSeconds + minuteSeconds, async (context) => {
      const { given, apiKeys, clock, expect, profile } = context;
      const holder = await given.keyHolder({ permissions: permissionNames });
      const before = new Set(Object.values(await apiKeys.keysOf(holder)));
      await restart(profile.all);
      await clock.pass((keyPeriodSeconds + minuteSeconds) * 1000);
      for (const [name, key] of Object.entries((await bringKeys(context, holder)).keys))
        expect(key, `the key of ${name} a period after the restart`).toSatisfy(
          'none of before it',
          (one) => !before.has(one),
        );
    }),
  },
  'api-keys.rotation.old-key-overlap': {
    level: 'observe',
    source: 'extensions: Limits, permission key rotation (end of the old key silent)',
    statement:
      'How long a key keeps working after its rotation is not said; that it stops working at some point is the purpose of a rotation.',
    fault: 'Not applicable as a failure; recorded variant: old key works for ever.',
    needs: ['collection-admin', 'extension-listener', 'acquire-identity', 'host-directory', 'clock-control'],
    after: ['api-keys.rotation.new-key-after-period'],
    test: schedule(keyPeriodSeconds + 25 * hourSeconds, async (context) => {
      const { given, apiKeys, clock, notes, profile } = context;
      const holder = await given.keyHolder();
      const { AdministrationAPI: old = '' } = await apiKeys.keysOf(holder);
      const since = clock.now();
      const usedAt = async (seconds: number): Promise<boolean> => {
        await clock.pass(Math.max(0, since + seconds * 1000 - clock.now()));
        return isSuccess((await uploadSignedWith(context, old)).status);
      };
      const isFresh = await usedAt(keyPeriodSeconds - closeSeconds);
      notes.observe('a period begins when a key is first asked for', isFresh);
      if (!isFresh) return;
      let last = -closeSeconds;
      await clock.pass(closeSeconds * 1000);
      await apiKeys.keysOf(holder);
      const nextAt = clock.now();
      const bound = profile.all.apiKeys?.overlapSeconds;
      const uses: Told[] = [];
      for (const seconds of usesAfter) {
        const isAccepted = await usedAt(keyPeriodSeconds + seconds);
        if (isAccepted) last = seconds;
        // the key may end on either side of the very moment
        const isClose = bound !== undefined && Math.abs(clock.now() - nextAt - bound * 1000) < closeSeconds * 1000;
        const demanded = bound === undefined || isClose ? undefined : seconds <= bound;
        uses.push({
          arrivedAt: clock.now(),
          label: isAccepted ? 'accepted' : 'refused',
          isOff: demanded !== undefined && isAccepted !== demanded,
        });
        clock.tell({
          title: 'uses of the old key',
          zero: { at: since + keyPeriodSeconds * 1000, label: 'the end of its period' },
          due: [],
          calls: uses,
        });
        notes.bound(
          { key: 'apiKeys.overlapSeconds', value: demanded },
          `the old key is accepted ${seconds} s after the next one`,
          isAccepted,
        );
      }
      notes.observe('last use of an old key that was accepted, in seconds from the end of its period', last);
    }),
  },
});

/** A request for more than is configured is refused or yields what is. */
async function expectNoExcess(context: CaseContext, holder: KeyHolder, asked: readonly string[]): Promise<void> {
  const { apiKeys, expect, notes } = context;
  await bringKeys(context, holder);
  const { length } = apiKeys.callbacks(holder);
  const reply = await apiKeys.acquire(holder, { permissions: asked });
  const isTaken = isSuccess(reply.status);
  if (isTaken) await apiKeys.callback(holder, length);
  await bringKeys(context, holder);
  const posts = apiKeys.callbacks(holder).slice(length);
  expect(posts.length, 'posts up to the keys that are asked for last').toEqual(isTaken ? 2 : 1);
  for (const post of posts) {
    for (const name of membersOf(post).filter((member) => !holder.permissions.includes(member)))
      expect(Reflect.get(Object(post.json), name), `${name}, for which no key was asked by right,`).toBeAbsent();
    expect(membersOf(post), 'members brought').toEqual(holder.permissions);
  }
  notes.observe(
    `a request for ${asked.join(', ')} with the former configured`,
    isTaken ? 'granted in part' : 'refused',
  );
}

/** Once an update has shown another permission, its key comes, and the one of before is refused. */
async function expectFormerPermissionRefused(context: CaseContext, former: KeyHolder): Promise<void> {
  const { apiKeys, expect } = context;
  const next = { ...former, permissions: ['SnapshotAPI'] };
  if (!(await isReconfigured(context, next))) return;
  await expectNothingBrought(context, next, async () =>
    expect(await apiKeys.acquire(next, { permissions: former.permissions })).notToSucceed(),
  );
}

/** Names in the object that came to a callback. */
export function membersOf({ json }: KeysPost): readonly string[] {
  return Object.keys(Object(json)).toSorted();
}

/** Runs steps that must not bring anything to the host of the holder: what is configured comes before and after, and nothing between. */
async function expectNothingBrought(
  context: CaseContext,
  holder: KeyHolder,
  steps: () => Promise<void>,
): Promise<void> {
  await bringKeys(context, holder);
  const { length } = requestsTo(holder);
  await steps();
  await bringKeys(context, holder);
  const expected = [`POST ${new URL(holder.tokenCallback).pathname}`];
  context.expect(requestsTo(holder).slice(length), 'requests up to the keys that are asked for last').toEqual(expected);
}

/** Once an update has shown another callback, keys come there, and the one of before is refused. */
async function expectFormerRefused(context: CaseContext, former: KeyHolder): Promise<void> {
  const { apiKeys, expect } = context;
  const next = { ...former, tokenCallback: `${former.tokenCallback}-next` };
  if (!(await isReconfigured(context, next))) return;
  await expectNothingBrought(context, next, async () =>
    expect(await apiKeys.acquire(next, { tokenCallback: former.tokenCallback })).notToSucceed(),
  );
}

/** Everything that reached the host of a holder on any path, but for the metadata exchange and calls. */
function requestsTo({ reached }: KeyHolder): readonly string[] {
  return reached
    .everything()
    .filter(({ kind }) => kind === 'other' || kind === 'endpoint')
    .map(({ method, target }) => `${method} ${target}`);
}

/** Addresses that are not the configured one, though some of them lead to the same place. */
function otherAddresses(callback: string): readonly string[] {
  const { origin, pathname, port, hostname, protocol } = new URL(callback);
  const otherPort = port === '8443' ? '9443' : '8443';
  const letters = pathname.replace(/[^/]+$/, (name) => name.toUpperCase());
  return [
    `${callback}-elsewhere`,
    `${protocol}//${hostname}:${otherPort}${pathname}`,
    `${callback}?again=1`,
    `${callback}/`,
    `${origin}${letters}`,
  ];
}

function scriptOf(steps: Step[]) {
  return { script: [{ when: { kind: 'other' }, steps, afterwards: 'last' as const }] };
}

function gapsOf({ reached }: KeyHolder): string {
  const seconds = reached.gaps({ kind: 'other' }).map((gapMs) => Math.round(gapMs / 1000));
  return seconds.join(', ') || 'none';
}

/** The key with one bit of its first byte changed. */
function flipBit(key: string): string {
  const bytes = Buffer.from(key, 'base64');
  bytes.writeUInt8(bytes.readUInt8(0) ^ 1, 0);
  return bytes.toString('base64');
}
