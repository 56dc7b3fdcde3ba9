import { isSuccess } from '../../../judge/exchange.ts';
import { dataOf } from '../../../judge/service/answers.ts';
import type { CaseContext } from '../../../judge/case.ts';
import { pointer, valueAt } from '../../../judge/json.ts';
import { datedPathIn } from '../../../judge/service/writes.ts';
import { type Operation, isWithoutValue, remove, replace } from './operation-steps.ts';

/**
 * What takes a dated element away when it is the only operation takes it away behind another one as well: the remove of its value where a
 * path leads there, else of the element.
 */
export async function expectDatedGoneBehind(context: CaseContext): Promise<void> {
  const { given, service, expect, notes, profile } = context;
  const { dated } = profile.primary;
  if (dated === undefined) return;
  const plain = profile.textMember;
  const make = () => given.object({ ...dated.value, [plain]: given.unique() });
  const read = async (thing: Awaited<ReturnType<typeof make>>) => {
    const reply = await service.readLong(thing);
    return { reply, date: valueAt(dataOf(reply), dated.datePath) };
  };
  for (const below of ['value', undefined]) {
    const [alone, behind] = [await make(), await make()];
    const removal = async (thing: typeof alone): Promise<Operation> => {
      const path = await datedPathIn(context, thing, dated);
      return remove(below === undefined ? path : path + pointer(below));
    };
    const reply = await service.operations(alone, [await removal(alone)]);
    const isGone = isSuccess(reply.status) && isWithoutValue((await read(alone)).date);
    notes.observe(`a dated element goes with its ${below ?? 'path'}`, isGone, reply);
    if (!isGone) continue;
    const operations = [replace(pointer(plain), given.unique()), await removal(behind)];
    expect(await service.operations(behind, operations)).toSucceed();
    const after = await read(behind);
    expect(after.date, 'date of an element that was removed behind another operation', after.reply).toSatisfy(
      'without a value, as where nothing stood before the remove',
      isWithoutValue,
    );
  }
}
