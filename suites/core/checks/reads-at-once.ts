import type { SoftTypeProfile } from '../../../contract/profile.ts';
import { dataOf, entriesOf, linksOf, textsOf } from '../../../judge/service/answers.ts';
import type { CaseContext } from '../../../judge/case.ts';
import type { Reply } from '../../../judge/exchange.ts';
import { makeFilterable, withFilter } from '../../../judge/service/queries.ts';
import type { Thing } from '../../../judge/things.ts';
import { hasValue, isLeftOut } from './second-schema.ts';

/** Whether two requests meet inside a service is chance. */
const rounds = 3;

/** Both at the same moment, each of them first by turns: what a service works out for one is not what the other has asked for. */
async function readBoth(
  one: () => Promise<Reply>,
  other: () => Promise<Reply>,
  look: (one: Reply, other: Reply) => void,
): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    const [first, second] = await Promise.all([one(), other()]);
    look(first, second);
    const [second2, first2] = await Promise.all([other(), one()]);
    look(first2, second2);
  }
}

/** Each of two who read an object at the same moment through different schemas is shown it through his own. */
export async function expectShapedAtOnce(
  { service, expect }: CaseContext,
  thing: Thing,
  { id }: NonNullable<SoftTypeProfile['secondOutputSchema']>,
  lacks: readonly string[],
): Promise<void> {
  await readBoth(
    () => service.readLong(thing),
    () => service.readLong(thing, { outputSchemaId: id }),
    (whole, part) => {
      expect(whole).toAnswer(200);
      expect(part).toAnswer(200);
      for (const member of lacks) {
        const when = 'schema while the object is read through the other';
        expect(dataOf(whole)[member], `${member} through the first ${when}`, whole).toSatisfy('there', hasValue);
        expect(dataOf(part)[member], `${member} through the second ${when}`, part).toSatisfy('left out', isLeftOut);
      }
    },
  );
}

/** A reader sees his own links while the editor reads the same object. */
export async function expectOwnLinksAtOnce(
  { given, service, expect }: CaseContext,
  isWriting: (link: Readonly<Record<string, unknown>>) => boolean,
): Promise<void> {
  const thing = await given.object();
  await readBoth(
    () => service.read(thing),
    () => service.read(thing, { as: 'reader' }),
    (_editor, reader) => {
      const shown = linksOf(reader).filter(isWriting);
      expect(shown, 'writing links that the reader sees while the editor reads', reader).toEqual([]);
    },
  );
}

/** A filter is for the read that names it, not for one at the same moment that does not. */
export async function expectFilteredAtOnce(context: CaseContext): Promise<void> {
  const { service, expect } = context;
  const { owner, matching } = await makeFilterable(context, { matching: 2, other: 3 });
  const texts = (reply: Reply): readonly unknown[] => textsOf(entriesOf(reply, owner.port), owner.port).toSorted();
  await readBoth(
    () => service.read(owner),
    () => service.read(owner, withFilter(context, owner)),
    (plain, filtered) => {
      for (const reply of [plain, filtered]) expect(reply).toAnswer(200);
      expect(texts(plain), 'entries without filter while the object is read with one', plain).toEqual(
        owner.texts.toSorted(),
      );
      expect(texts(filtered), 'entries that the filter admits while the object is read without', filtered).toEqual(
        matching.toSorted(),
      );
    },
  );
}
