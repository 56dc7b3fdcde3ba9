import { scenario, type SomeCasesOf } from '../../judge/case.ts';
import { entriesOf, entriesOfPage, idsOf, isObject, memberOf, textsOf, versionOf } from '../../judge/answer.ts';
import { pointer } from '../../judge/json-pointer.ts';

export const pageBodyCases = {
  'paging.page-body.href-leads-back': scenario(async ({ given, service, expect }) => {
    const owner = await given.objectWithEntries(18);
    const hrefs = [];
    for (const number of [0, 1]) {
      const page = await service.page(owner, number);
      const ids = idsOf(entriesOfPage(page));
      const href = memberOf(page, 'href');
      expect(href, `href of page ${number}`, page).toBeAString();
      expect(String(href), `href of page ${number}`, page).toSatisfy(
        'a URI without template',
        (text) => !/[{}]/.test(text),
      );
      const again = await service.get(String(href), { base: page });
      expect(again).toAnswer(200);
      expect(memberOf(again, 'data'), `data behind the href of page ${number}`, again).toBeAnArray();
      expect(idsOf(entriesOfPage(again)), `entry ids behind the href of page ${number}`, again).toEqual(ids);
      hrefs.push(href);
    }
    expect(hrefs[0], 'href of page 0, compared with that of page 1').notToEqual(hrefs[1]);
  }),

  'paging.page-body.data-is-array': scenario(async ({ given, service, expect }) => {
    const owner = await given.objectWithEntries(18);
    const page = await service.page(owner, 1);
    expect(page).toAnswer(200);
    const data = memberOf(page, 'data');
    expect(data, 'data of page 1', page).toBeAnArray();
    for (const item of Array.isArray(data) ? data : []) {
      expect(item, 'item of the page', page).toBeAnObject();
      const entryId: unknown = isObject(item) ? item['$entryId'] : undefined;
      expect(typeof entryId, 'type of $entryId', page).toBeOneOf(['number', 'string']);
    }
    const sent = new Set(owner.texts);
    for (const text of textsOf(entriesOfPage(page), owner.port))
      expect(text, 'text of an entry on the page', page).toBeOneOf([...sent]);
  }),

  'paging.page-body.entry-ids-address-entries': scenario(async ({ given, service, expect }) => {
    const owner = await given.objectWithEntries(18);
    const before = await service.snapshot(owner);
    const target = given.present(entriesOfPage(await service.page(owner, 1))[0], 'an entry on page 1 of 18');
    const removal = await service.operations(owner, [
      { op: 'remove', path: `${pointer(owner.port.member, target.entryId)}/` },
    ]);
    expect(removal).toSucceed();
    const after = await service.snapshot(owner);
    const left = (before.arrays[owner.port.member] ?? [])
      .map((entry) => entry.members[owner.port.text])
      .filter((text) => text !== target.members[owner.port.text]);
    const now = (after.arrays[owner.port.member] ?? []).map((entry) => entry.members[owner.port.text]);
    expect(now.sort(), 'entries left after the removal of one of page 1', after.reply).toEqual(left.sort());
  }),

  'paging.page-body.version-of-owner': scenario(async ({ given, service, expect }) => {
    let owner = await given.objectWithEntries(11);
    for (const when of ['when created', 'after an edit of a scalar']) {
      const [read, page] = [await service.read(owner), await service.page(owner, 1)];
      given.succeeded(page, `page 1 is read ${when}`, [
        'paging.page.documented-route-served',
        'patch.merge.keeps-other-members',
      ]);
      given.assume(
        Number.isInteger(versionOf(read)) && entriesOf(read, owner.port).length === 10,
        'a read with an integer version and ten entries',
      );
      expect(versionOf(page), `version of page 1 ${when}`, page).toBeAnInteger();
      expect(versionOf(page), `version of page 1 ${when}`, page).toEqual(versionOf(read));
      owner = await given.edited(owner);
    }
  }),
} satisfies SomeCasesOf<'paging'>;
