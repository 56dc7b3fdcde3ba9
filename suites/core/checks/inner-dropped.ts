import type { CaseContext } from '../../../judge/case.ts';
import type { Reply } from '../../../judge/exchange.ts';
import { pointer, valueAt } from '../../../judge/json.ts';
import { dataOf } from '../../../judge/service/answers.ts';
import { findNoText } from '../../../judge/service/texts.ts';
import type { Thing } from '../../../judge/things.ts';

/** A PUT states the whole content, that of an object member as well: what the body leaves out inside it is gone. */
export async function expectInnerDropped(
  context: CaseContext,
  put: (thing: Thing, body: object) => Promise<Reply>,
): Promise<void> {
  const { given, service, expect, notes, profile } = context;
  const { object } = profile.primary;
  if (object === undefined) return;
  const [stays = '', goes = ''] = object.scalars;
  const thing = await given.object({ [object.member]: given.inner(object, [given.unique(), given.unique()]) });
  const text = given.unique();
  const body = given.body({ [object.member]: { ...given.inner(object, [text]), [goes]: undefined } });
  const reply = await put(thing, body);
  // the object may have to have both
  if (reply.status >= 400 && (await service.create(body)).status >= 400)
    return notes.observe('an object with one of its members is refused', reply.status, reply);
  given.succeeded(reply, 'a PUT of an object with one of its members', ['patch.put.stores-given-members']);
  const read = await service.read(thing);
  const inner = dataOf(read)[object.member];
  expect(valueAt(inner, pointer(stays)), `${stays} inside ${object.member} after PUT`, read).toEqual(text);
  const left = valueAt(inner, pointer(goes));
  expect(left, `${goes} inside ${object.member}, left out of the PUT,`, read).toSatisfy(
    'without a value',
    await findNoText(context),
  );
}
