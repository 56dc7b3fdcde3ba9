import type { IdentityName } from '../../contract/profile.ts';
import { dataOf, versionOf } from '../../judge/service/answers.ts';
import { sendBatch } from '../../judge/service/batch.ts';
import { type CaseContext, onEveryType, onEverySpace, scenario } from '../../judge/case.ts';
import { pointer } from '../../judge/json.ts';
import { isSuccess, type RequestSpec } from '../../judge/exchange.ts';
import { rules } from '../../judge/rule.ts';
import type { Thing } from '../../judge/things.ts';
import {
  byAnotherSchema,
  editRoutes,
  expectStaleRefused,
  expectUnversionedRefused,
  lockRequest,
  makeEditable,
  makeEdited,
  otherWrites,
  takesOtherSchema,
} from '../../judge/service/writes.ts';
import { replace } from './checks/operation-steps.ts';
import { expectReferencesGuarded } from './checks/references-written.ts';

export const versionHeaderRules = rules('versioning', {
  'versioning.mismatch.lower-409': {
    source: 'core: Errors rule 1; Versioning 3',
    statement:
      'A merge PATCH with a version below the current one answers 409, by any input schema, also to whoever holds the lock of the object.',
    fault: 'only version n - 1 is refused, older ones pass',
    needs: ['soft-type', 'text-member'],
    test: onEverySpace(
      onEveryType(
        scenario(async (context) => {
          const { given, service, expect, profile } = context;
          const thing = await makeEdited(context, 2);
          const lower = [thing.version - 1, thing.version - 2, 0];
          await expectStaleRefused(
            context,
            thing,
            (current) => service.requests.merge(current, { [profile.textMember]: given.unique() }),
            lower,
          );
          // whether a sign belongs to an integer is open; below the current one it is either way
          const { version: current } = await given.current(thing);
          for (const version of [-1, -current])
            expect(await service.merge(thing, { [profile.textMember]: given.unique() }, { version })).toBeRefused();
          // of two digits, the first of which was a version once
          const often = await makeEdited(context, 10);
          await expectStaleRefused(
            context,
            often,
            (current) => service.requests.merge(current, { [profile.textMember]: given.unique() }),
            [often.version - 10, Math.trunc(often.version / 10)],
          );
          await expectHolderCompared(context);
          await expectReferencesGuarded(context);
          if (!(await takesOtherSchema(context))) return;
          await expectStaleRefused(
            context,
            await makeEdited(context, 1),
            (current) =>
              service.requests.merge(
                byAnotherSchema(current),
                { [profile.textMember]: given.unique() },
                current.version,
              ),
            [thing.version, 0],
          );
        }),
      ),
    ),
  },
  'versioning.mismatch.higher-409': {
    source: 'core: Errors rule 1 (does not equal); Versioning 3',
    statement:
      'A merge PATCH with a version above the current one answers 409; one that names no field is refused as well.',
    fault: 'refuses only when the version sent is lower than the current one',
    needs: ['soft-type', 'text-member'],
    test: onEverySpace(
      onEveryType(
        scenario(async (context) => {
          const { given, service, profile } = context;
          const thing = await makeEdited(context, 2);
          // those that a narrower integer would take for the current one among them, and those that begin or end with its digits
          const higher = [
            thing.version + 1,
            thing.version + 2,
            thing.version + 2 ** 8,
            thing.version + 2 ** 16,
            2147483647,
            thing.version * 10,
            thing.version + 10,
          ];
          await expectStaleRefused(
            context,
            thing,
            (current) => service.requests.merge(current, { [profile.textMember]: given.unique() }),
            higher,
          );
          await expectEmptyRefused(context, (current) => service.requests.merge(current, {}));
          await expectWideRefused(context);
        }),
      ),
    ),
  },
  'versioning.mismatch.operations-409': {
    source: 'core: Errors rule 1; Endpoint table, PATCH (operations)',
    statement:
      'An operations PATCH with any version other than the current one answers 409 and applies no operation; one without operations is refused as well.',
    fault: 'operations PATCH does not compare the version',
    needs: ['soft-type', 'text-member', 'operations'],
    after: ['patch.content-type.selects-operations'],
    test: onEverySpace(
      onEveryType(
        scenario(async (context) => {
          const { given, service, profile } = context;
          const thing = await makeEdited(context, 2);
          const edit = () => [replace(pointer(profile.textMember), given.unique())];
          await expectStaleRefused(
            context,
            thing,
            (current) => service.requests.operations(current, edit()),
            [-1, 1, -2, 2, -3, 3, 4, 10, 9 * thing.version].map((distance) => thing.version + distance),
          );
          await expectEmptyRefused(context, (current) => service.requests.operations(current, []));
        }),
      ),
    ),
  },
  'versioning.mismatch.put-409': {
    source: 'core: Errors rule 1; Endpoint table, PUT',
    statement: 'A PUT with any version other than the current one answers 409 and replaces nothing.',
    fault: 'PUT does not compare the version',
    needs: ['soft-type', 'text-member', 'put-route'],
    test: onEverySpace(
      onEveryType(
        scenario(async (context) => {
          const { given, service } = context;
          const thing = await makeEdited(context, 2);
          await expectStaleRefused(context, thing, (current) => service.requests.put(current, given.body()), [
            thing.version - 1,
            thing.version - 2,
            thing.version + 1,
            thing.version * 10,
            thing.version + 10,
          ]);
          await expectStaleRefusedByAnotherSchema(context);
        }),
      ),
    ),
  },
  'versioning.mismatch.across-users-409': {
    source: 'core: Errors rule 1; Versioning 3',
    statement:
      'The comparison is with the version of the object, not with what the same user last saw: an edit by somebody else makes a version stale, for whoever may write, whatever the role, in a batch too.',
    fault: 'compares with the version that the same user last read',
    needs: ['soft-type', 'text-member', 'second-editor'],
    test: scenario(async (context) => {
      const { given, service, expect, profile } = context;
      const member = profile.textMember;
      const thing = await makeEditable(context);
      const text = given.unique('second');
      given.succeeded(
        await service.merge(thing, { [member]: text }, { as: 'secondEditor' }),
        'the second editor edits',
      );
      expect(await service.merge(thing, { [member]: given.unique('first') })).toAnswer(409);
      const seen = await service.read(thing, { as: 'secondEditor' });
      expect(dataOf(seen)[member], `${member} after a refused edit`, seen).toEqual(text);
      const version = Number(versionOf(seen));
      expect(await service.merge(thing, { [member]: given.unique('first') }, { version })).toSucceed();
      await expectEveryWriterCompared(context);
    }),
  },
  'versioning.absent.merge-412': {
    source: 'core: Errors rule 2',
    statement: 'A merge PATCH without the version header, by any input schema, answers 412 and changes nothing.',
    fault: 'a missing version header answers 409',
    needs: ['soft-type', 'text-member', 'merge'],
    test: onEverySpace(
      onEveryType(
        scenario(async (context) => {
          const { given, service, profile } = context;
          await expectUnversionedRefused(context, (thing) =>
            service.requests.merge(thing, { [profile.textMember]: given.unique() }),
          );
          if (await takesOtherSchema(context))
            await expectUnversionedRefused(context, (thing) =>
              service.requests.merge(byAnotherSchema(thing), { [profile.textMember]: given.unique() }),
            );
        }),
      ),
    ),
  },
  'versioning.absent.operations-412': {
    source: 'core: Errors rule 2',
    statement: 'An operations PATCH without the version header answers 412 and applies no operation.',
    fault: 'operations PATCH needs no version',
    needs: ['soft-type', 'text-member', 'operations'],
    after: ['patch.content-type.selects-operations'],
    test: onEverySpace(
      onEveryType(
        scenario(async (context) => {
          const { given, service, profile } = context;
          await expectUnversionedRefused(context, (thing) =>
            service.requests.operations(thing, [replace(pointer(profile.textMember), given.unique())]),
          );
        }),
      ),
    ),
  },
  'versioning.absent.put-412': {
    source: 'core: Errors rule 2',
    statement: 'A PUT without the version header answers 412 and replaces nothing.',
    fault: 'PUT needs no version',
    needs: ['soft-type', 'text-member', 'put-route'],
    test: onEverySpace(
      onEveryType(
        scenario(async (context) => {
          await expectUnversionedRefused(context, (thing) => context.service.requests.put(thing, context.given.body()));
        }),
      ),
    ),
  },
  'versioning.value.text-refused': {
    source: 'core: Common request headers, Svc-UOIVersion (integer)',
    statement: 'A version header that is no integer is refused by every way to edit; it never counts as a match.',
    fault: 'an unreadable version header counts as the current one',
    needs: ['soft-type', 'text-member'],
    test: onEverySpace(
      scenario(async (context) => {
        const { given, service, expect, notes, profile } = context;
        const thing = await makeEditable(context);
        const before = await service.snapshot(thing);
        const body = { [profile.textMember]: given.unique() };
        for (const version of ['abc', 'NaN', '1.5', 'null', '*']) {
          const reply = await service.edit(thing, body, { version });
          expect(reply).toBeRefused();
          notes.bound('invalidVersionHeader', `version header ${version}`, reply.status, reply);
        }
        // whether an empty one is absent or another version is left open: both are refused
        const empty = await service.edit(thing, body, { version: '' });
        expect(empty).toBeRefused();
        notes.observe('version header spelled empty', empty.status, empty);
        expect.unchanged(before, await service.snapshot(thing));
        expect(await service.edit(thing, body)).toSucceed();
        await expectTextRefusedByEveryRoute(context);
        for (const spell of [
          (n: number) => `0${n}`,
          (n: number) => `+${n}`,
          (n: number) => `${n}.0`,
          (n: number) => `"${n}"`,
        ]) {
          const other = await makeEditable(context);
          const reply = await service.edit(other, body, { version: spell(other.version) });
          notes.observe(`version header spelled ${spell(other.version)}`, reply.status, reply);
        }
      }),
    ),
  },
  'versioning.header.only-for-put-and-patch': {
    source: 'core: Common request headers, Svc-UOIVersion; Errors rule 2',
    statement: 'Reads and creates need no version header.',
    fault: 'the OpenAPI document without the version header answers 412',
    needs: ['soft-type', 'array-port'],
    test: onEverySpace(
      scenario(async (context) => {
        const { given, service, expect, notes, profile } = context;
        const owner = await given.objectWithEntries(11);
        const requests = [
          service.requests.read(owner),
          service.requests.readLong(owner),
          service.requests.page(owner, 1),
          service.requests.openApi(),
          service.requests.create(given.body()),
          ...otherWrites(context)
            .filter(({ name }) => name === 'multi-create')
            .map(({ request }) => request(owner)),
          ...(profile.offers('batch')
            ? [service.requests.batch([{ method: 'GET', href: service.requests.read(owner).url }])]
            : []),
        ];
        for (const request of requests) {
          const reply = await service.send(request, { version: null });
          expect(reply.status, `status of a ${request.method} without version header`, reply).notToEqual(412);
          if (reply.status < 400) continue;
          const { status } = await service.send(request, { version: owner.version });
          expect(status, `status of the same ${request.method} with a version header`, reply).toSatisfy(
            `a refusal as well, as without it (${reply.status})`,
            (withVersion) => withVersion >= 400,
          );
        }
        if (profile.all.routes?.softTypeDelete === undefined) return;
        const bare = await service.remove(await given.object(), { version: null });
        const thing = await given.object();
        const stale = await service.remove(thing, { version: thing.version + 5 });
        const unlessNeeded = stale.status === 409 ? 'compared' : 'ignored';
        notes.bound(
          'deleteVersionHeader',
          'the version header of a DELETE',
          bare.status === 412 ? 'needed' : unlessNeeded,
          bare,
        );
      }),
    ),
  },
});

async function expectTextRefusedByEveryRoute(context: CaseContext): Promise<void> {
  const { service, expect } = context;
  for (const route of editRoutes(context)) {
    const thing = await makeEditable(context);
    const before = await service.snapshot(thing);
    for (const version of ['abc', 'null', '1.5'])
      expect(await service.send(route.request(thing), { version })).toBeRefused();
    expect.unchanged(before, await service.snapshot(thing));
  }
}

/** An edit that brings nothing is one for its version all the same. Whether it is taken at all is open, and so is what it is refused with. */
async function expectEmptyRefused(context: CaseContext, write: (thing: Thing) => RequestSpec): Promise<void> {
  const { service, expect } = context;
  const thing = await makeEdited(context, 1);
  const before = await service.snapshot(thing);
  for (const version of [thing.version - 1, thing.version + 1, null])
    expect(await service.send(write(thing), { version })).toBeRefused();
  expect.unchanged(before, await service.snapshot(thing));
}

/** A version that no object reaches is that of none, whatever its lowest bits are; as which kind of mistake it is refused is not said. */
async function expectWideRefused(context: CaseContext): Promise<void> {
  const { given, service, expect, profile } = context;
  const thing = await makeEdited(context, 2);
  const before = await service.snapshot(thing);
  for (const more of [2 ** 32, 2 ** 33, 2 ** 48])
    expect(
      await service.merge(thing, { [profile.textMember]: given.unique() }, { version: thing.version + more }),
    ).toBeRefused();
  expect.unchanged(before, await service.snapshot(thing));
}

/** By each route, whoever it takes an edit from is compared as the editor is, also with a role of another kind. */
async function expectEveryWriterCompared(context: CaseContext): Promise<void> {
  const { service, expect, notes, profile } = context;
  for (const as of ['secondEditor', 'spaceAdministrator', 'administrator'] as const) {
    if (profile.all.identities[as] === undefined) continue;
    for (const { name, request } of editRoutes(context)) {
      const own = await service.send(request(await makeEditable(context)), { as });
      notes.observe(`${name} by the ${as}`, own.status, own);
      if (!isSuccess(own.status)) continue;
      const thing = await makeEdited(context, 1);
      const before = await service.snapshot(thing);
      const stale = { ...request(thing), version: thing.version - 1 };
      expect(await service.send(stale, { as })).toAnswer(409);
      if (await mayBatch(context, as, request)) expect(await sendBatch(context, [stale], { as })).toAnswer(500);
      expect.unchanged(before, await service.snapshot(thing));
    }
  }
}

async function mayBatch(
  context: CaseContext,
  as: IdentityName,
  request: (thing: Thing) => RequestSpec,
): Promise<boolean> {
  if (!context.profile.offers('batch')) return false;
  return (await sendBatch(context, [request(await makeEditable(context))], { as })).status === 200;
}

/** A lock does not take the place of the version. What one does besides is not said: where it bars its own holder, nothing is judged. */
async function expectHolderCompared(context: CaseContext): Promise<void> {
  const { given, service, expect, notes, profile } = context;
  const { lockTake, lockFree } = profile.all.routes ?? {};
  if (lockTake === undefined || lockFree === undefined) return;
  const thing = await makeEdited(context, 1);
  const taken = await service.send(lockRequest(context, lockTake, thing));
  notes.observe('status of taking a lock', taken.status, taken);
  if (!isSuccess(taken.status)) return;
  const current = await given.current(thing);
  const merge = service.requests.merge(current, { [profile.textMember]: given.unique() });
  const stale = await service.send(merge, { version: current.version - 1 });
  const accepted = await service.send(merge);
  notes.observe('an edit by whoever holds the lock', accepted.status, accepted);
  if (isSuccess(accepted.status) || isSuccess(stale.status)) expect(stale).toAnswer(409);
  await service.send(lockRequest(context, lockFree, await given.current(thing)));
}

/** A PUT by the other input schema is refused for its version as well, where it replaces at all: by a whole body, or by a text alone. */
async function expectStaleRefusedByAnotherSchema(context: CaseContext): Promise<void> {
  const { given, service, profile } = context;
  if (!(await takesOtherSchema(context))) return;
  for (const bodyOf of [() => given.body(), () => ({ [profile.textMember]: given.unique() })]) {
    const put = (thing: Thing): RequestSpec => service.requests.put(byAnotherSchema(thing), bodyOf(), thing.version);
    if (!isSuccess((await service.send(put(await makeEditable(context)))).status)) continue;
    const thing = await makeEdited(context, 2);
    await expectStaleRefused(context, thing, put, [thing.version - 1, thing.version + 1]);
    return;
  }
}
