import type { CaseContext } from '../../../judge/case.ts';
import { entriesOfPage, idsOf, textsOf, versionOf } from '../../../judge/service/answers.ts';
import { usualHeaders } from '../../../judge/service/requests.ts';
import { expectSameContent, makeTelling } from './telling-object.ts';

/** Clients that say what they take are shown the same as one that says nothing: the first page and the second, before an edit and after it. */
export async function expectSameForUsualClients(context: CaseContext): Promise<void> {
  const { given, service, expect } = context;
  let owner = await makeTelling(context, 11);
  for (const when of ['before an edit', 'after it']) {
    const ask = { headers: usualHeaders };
    const [plain, plainPage] = [await service.readLong(owner), await service.page(owner, 1)];
    const page = await service.page(owner, 1, ask);
    for (const read of [await service.readLong(owner, ask), await service.read(owner, ask)]) {
      expect(read).toAnswer(200);
      expect(versionOf(read), `version for a client that takes packed JSON, ${when}`, read).toEqual(versionOf(plain));
      expectSameContent(context, read, plain, `a client that takes packed JSON, ${when}`);
    }
    if (plainPage.status === 200) expect(page).toAnswer(200);
    const [shown, seen] = [entriesOfPage(plainPage), entriesOfPage(page)];
    expect(idsOf(seen), `ids on page 1 for a client that takes packed JSON, ${when}`, page).toEqual(idsOf(shown));
    expect(textsOf(seen, owner.port), `entries on page 1 for such a client, ${when}`, page).toEqual(
      textsOf(shown, owner.port),
    );
    owner = await given.edited(owner);
  }
}
