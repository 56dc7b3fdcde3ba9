import type { CaseContext } from '../../../judge/case.ts';
import { dataOf } from '../../../judge/service/answers.ts';
import { unlessRefused } from '../../../judge/violation.ts';
import { memberKinds } from './member-kinds.ts';
import { asSent } from './sent-part.ts';
import { contentIn, readEveryWay } from './ways-to-read.ts';

/** More edits than stores of events commonly have between two snapshots of an object. */
export const manyEdits = 24;

/** However many edits an object has behind it, what none of them names is shown as before, alone and in a batch. */
export async function expectKeptBehindEdits(context: CaseContext): Promise<void> {
  const { given, service, expect, profile } = context;
  const [edited] = profile.scalars;
  const kinds = memberKinds(context).filter(({ shown }) => shown !== edited);
  const thing = await unlessRefused(() => given.object(Object.assign({}, ...kinds.map(({ sent }) => sent))));
  if (thing === undefined) return;
  const before = dataOf(await service.readLong(thing));
  await given.edited(thing, manyEdits);
  for (const answer of await readEveryWay(context, thing)) {
    if (answer.way.by !== 'the long route') continue;
    for (const { shown, sent } of kinds) {
      const [then, now] = [before, contentIn(answer)].map((data) => asSent(data[shown], Object.values(sent)[0]));
      expect(now ?? null, `${shown} behind ${manyEdits} edits of ${edited}, by ${answer.by},`, answer.reply).toEqual(
        then ?? null,
      );
    }
  }
}
