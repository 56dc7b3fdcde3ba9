import { scenario, type SomeCasesOf } from '../../judge/case.ts';
import { unescaped } from '../../judge/unescaped.ts';
import type { WriteRoute } from '../../judge/writes.ts';
import { dataOf, entriesOf, entriesOfPage, idsOf, textsOf, versionOf } from '../../judge/answer.ts';
import { editRoutes, editable, otherWrites, removal, working } from '../../judge/writes.ts';

export const roleCases = {
  'auth.role.no-role-403': scenario(async (context) => {
    const { given, service, expect, profile } = context;
    given.present(await service.token('noRole'), 'a token of the identity without a role');
    const marker = given.unique('marker');
    const owner = await given.objectWithEntries(11, { members: () => ({ [profile.port.text]: marker }) });
    const before = await service.snapshot(owner);
    const writes = await working(
      context,
      [...editRoutes(context), ...otherWrites(context)].filter(not('multi-create', 'promote')),
    );
    const requests = [
      service.requests.read(owner),
      service.requests.readLong(owner),
      service.requests.page(owner, 1),
      ...writes.map((route) => route.request(owner)),
    ];
    for (const request of requests) {
      const reply = await service.send(request, { as: 'noRole' });
      expect(reply).toAnswer(403);
      expect(unescaped(reply).includes(marker), 'the answer discloses content of the object', reply).toEqual(false);
    }
    expect.unchanged(before, await service.snapshot(owner));
  }),

  'auth.role.outsider-403': scenario(async (context) => {
    const { given, service, expect, profile } = context;
    const home = given.present(profile.all.secondSpace, 'secondSpace in the profile');
    const own = await given.object({}, { type: home.softType, space: home.space, as: 'outsider' });
    given.succeeded(await service.read(own, { as: 'outsider' }), 'the outsider reads in its own space');
    const here = await editable(context);
    const before = await service.snapshot(here);
    const edit = { [profile.scalars[0]]: given.unique() };
    expect(await service.read(here, { as: 'outsider' })).toAnswer(403);
    expect(await service.merge(here, edit, { as: 'outsider' })).toAnswer(403);
    const elsewhere = { ...here, space: home.space };
    expect(await service.read(elsewhere, { as: 'outsider' })).notToSucceed();
    expect(await service.merge(elsewhere, edit, { as: 'outsider' })).notToSucceed();
    expect.unchanged(before, await service.snapshot(here));
  }),

  'auth.role.reader-may-read': scenario(async ({ given, service, expect, profile }) => {
    const [scalar] = profile.primary.scalars ?? [];
    const owner = await given.objectWithEntries(11, scalar === undefined ? {} : { body: { [scalar]: given.unique() } });
    const [first, page] = [await service.read(owner), await service.page(owner, 1)];
    const [readerFirst, readerPage] = [
      await service.read(owner, { as: 'reader' }),
      await service.page(owner, 1, { as: 'reader' }),
    ];
    for (const reply of [readerFirst, readerPage]) expect(reply).toAnswer(200);
    expect(versionOf(readerFirst), 'version that the reader sees', readerFirst).toEqual(versionOf(first));
    if (scalar !== undefined)
      expect(dataOf(readerFirst)[scalar], 'scalar that the reader sees', readerFirst).toEqual(dataOf(first)[scalar]);
    for (const [seen, shown, reply] of [
      [entriesOf(readerFirst, owner.port), entriesOf(first, owner.port), readerFirst],
      [entriesOfPage(readerPage), entriesOfPage(page), readerPage],
    ] as const) {
      expect(idsOf(seen), 'entry ids that the reader sees', reply).toEqual(idsOf(shown));
      expect(textsOf(seen, owner.port), 'entries that the reader sees', reply).toEqual(textsOf(shown, owner.port));
    }
  }),

  'auth.role.reader-create-403': scenario(async (context) => {
    const { service, expect } = context;
    const thing = await editable(context);
    for (const route of await working(context, otherWrites(context).filter(not('batch')))) {
      const request = route.request(thing);
      const reply = await service.send(request, { as: 'reader' });
      expect(reply).toAnswer(403);
      expect(reply.headers['location'], 'Location of a refused create', reply).toBeAbsent();
      expect(await service.send(request)).toSucceed();
    }
  }),

  'auth.role.reader-edit-403': scenario(async (context) => {
    const { given, service, expect, notes, profile } = context;
    for (const route of editRoutes(context).filter(not('promote'))) {
      const thing = await editable(context);
      const before = await service.snapshot(thing);
      expect(await service.send(route.request(thing), { as: 'reader' })).toAnswer(403);
      expect.unchanged(before, await service.snapshot(thing));
      given.succeeded(
        await service.send(route.request(thing)),
        `the editor edits by ${route.name} with the same version`,
      );
    }
    const thing = await editable(context);
    const stale = await service.merge(
      thing,
      { [profile.scalars[0]]: given.unique() },
      { as: 'reader', version: thing.version + 5 },
    );
    notes.observe('a reader edits with a wrong version', stale.status, stale);
  }),

  'auth.role.reader-delete-403': scenario(async (context) => {
    const { given, service, expect } = context;
    const thing = await given.object();
    expect(await service.remove(thing, { as: 'reader' })).toAnswer(403);
    expect(await service.read(thing)).toAnswer(200);
    given.succeeded(await removal(context, thing), 'the editor deletes the object', ['patch.delete.object-gone']);
  }),
} satisfies SomeCasesOf<'auth'>;

function not(...names: readonly string[]): (route: WriteRoute) => boolean {
  return ({ name }) => !names.includes(name);
}
