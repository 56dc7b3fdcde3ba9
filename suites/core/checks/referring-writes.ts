import { headerNames } from '../../../contract/names.ts';
import { versionOf } from '../../../judge/service/answers.ts';
import { bodyOfResult, resultsOf, sendBatch } from '../../../judge/service/batch.ts';
import type { CaseContext } from '../../../judge/case.ts';
import { isSuccess, type RequestSpec } from '../../../judge/exchange.ts';
import { pointer, valueAt, withTexts } from '../../../judge/json.ts';
import { oidOf } from '../../../judge/service/multi-create.ts';
import { decodeSegment } from '../../../judge/service/requests.ts';
import { shownReference, targetType } from '../../../judge/service/referrers.ts';
import type { Thing } from '../../../judge/things.ts';
import { makeEditable } from '../../../judge/service/writes.ts';
import { add } from './operation-steps.ts';
import { membersWith } from '../../../judge/service/soft-types.ts';

/** The body of a new object that refers to another one, and that one, which has another version. */
interface Referring {
  readonly body: Record<string, unknown>;
  readonly target: Thing;
}

/** The answer to a create tells of the new object, and of nothing that its content refers to, as far as a create takes references as reads show them. */
export async function expectNewObjectTold(context: CaseContext): Promise<void> {
  const { given, service, expect, notes } = context;
  const { body, target } = (await bodyThatRefers(context)) ?? {};
  if (body === undefined) return;
  const created = await service.create(body);
  notes.observe('status of a create with a reference as reads show it', created.status, created);
  if (!isSuccess(created.status)) return;
  const read = await service.get(expect(created).toCarry('location'), { base: created });
  expect(read).toAnswer(200);
  expect(oidOf(read), '$oid behind the Location of a create that refers to another object', read).notToEqual(
    target?.oid,
  );
  const { version } = await given.found(created, body);
  const told = Number(expect(created).toCarry(headerNames.version));
  expect(told, 'version header of a create that refers to another object', created).toEqual(version);
}

/** The same of the result of a create in a batch. */
export async function expectNewObjectToldInBatch(context: CaseContext): Promise<void> {
  const { service, expect, notes } = context;
  const { body, target } = (await bodyThatRefers(context)) ?? {};
  if (body === undefined) return;
  const reply = await sendBatch(context, [service.requests.create(body)]);
  notes.observe('status of a batch with a create that refers to another object', reply.status, reply);
  if (reply.status !== 200) return;
  const { href, version } = bodyOfResult(resultsOf(reply)[0]);
  expect(href, 'href of a create that refers to another object', reply).toBeAString();
  const read = await service.get(String(href), { base: reply });
  expect(read).toAnswer(200);
  expect(oidOf(read), '$oid behind the href of a create that refers to another object', read).notToEqual(target?.oid);
  expect(version, 'version of a create that refers to another object', reply).toEqual(versionOf(read));
}

/** An edit that brings a reference is answered with the version of the object that it edits, which is not that of the other one. */
export async function expectEditedVersionTold(
  context: CaseContext,
  way: 'merge' | 'PUT' | 'list of operations',
): Promise<void> {
  const { given, service, expect, notes, profile } = context;
  const entry = await shownReference(context);
  if (entry === undefined) return;
  const { reference } = profile.primary;
  const members = membersWith(reference, [entry]);
  const thing = await given.edited(await makeEditable(context), 2);
  const requests: Readonly<Record<typeof way, () => RequestSpec>> = {
    merge: () => service.requests.merge(thing, members),
    'list of operations': () => service.requests.operations(thing, [add(pointer(reference?.port ?? ''), entry)]),
    PUT: () => service.requests.put(thing, given.body(members)),
  };
  const reply = await service.send(requests[way]());
  notes.observe(`status of a ${way} with a reference as reads show it`, reply.status, reply);
  if (!isSuccess(reply.status)) return;
  const told = expect(reply).toCarry(headerNames.version);
  const what = `version header of a ${way} that brings a reference to another object`;
  expect(told, what, reply).toEqual(String(versionOf(await service.read(thing))));
}

async function bodyThatRefers(context: CaseContext): Promise<Referring | undefined> {
  const { given, profile } = context;
  const shown = await shownReference(context);
  const name = String(valueAt(shown, profile.all.references?.readPath ?? '') ?? '');
  const [former = ''] = name.split('/').slice(-1);
  if (shown === undefined || former === '') return undefined;
  const target = await given.edited(await given.object({}, { type: targetType(context) }), 2);
  const formerOid = name === former ? name : decodeSegment(former);
  const segment = name === former ? encodeURIComponent(name) : former;
  const entry = withTexts(shown, (text) =>
    text === formerOid ? target.oid : text.replaceAll(segment, () => encodeURIComponent(target.oid)),
  );
  const more = { [profile.textMember]: given.unique(), ...membersWith(profile.primary.reference, [entry]) };
  return { body: given.body(more), target };
}

/** Whether an object that somebody refers to may have a second referrer, as far as a create takes references as reads show them. */
export async function mayBeShared(context: CaseContext): Promise<boolean> {
  const { given, service, notes, profile } = context;
  const shown = await shownReference(context);
  if (shown === undefined) return false;
  const created = await service.create(given.body(membersWith(profile.primary.reference, [shown])));
  notes.observe('status of a create that refers to what somebody refers to', created.status, created);
  return isSuccess(created.status);
}
