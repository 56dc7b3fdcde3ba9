import { isDeepStrictEqual } from 'node:util';
import { dataOf, versionOf } from '../../judge/answers.ts';
import { bodyOfResult, resultsOf, sendBatch } from '../../judge/batch.ts';
import type { CaseContext } from '../../judge/case.ts';
import { isObject } from '../../judge/json.ts';
import { editRoutes, makeEditable } from '../../judge/writes.ts';
import { lookAfterEachChange } from './each-change.ts';

/** A read in a batch tells the object as it is after every way to change it. */
export async function expectCurrentInBatch(context: CaseContext): Promise<void> {
  const { given, service, expect, profile } = context;
  const { scalars = [] } = profile.primary;
  const thing = await given.object(Object.fromEntries(scalars.map((member) => [member, given.unique()])));
  const told = (version: unknown, data: unknown): object => toldOf(scalars, version, data);
  await lookAfterEachChange(context, thing, async (when) => {
    const reply = await sendBatch(context, [service.requests.read(thing), service.requests.read(thing)]);
    const alone = await service.read(thing);
    expect(reply.status, `status of a batch of two reads ${when}`, reply).toEqual(200);
    for (const result of resultsOf(reply)) {
      const { version, data } = bodyOfResult(result);
      expect(told(version, data), `what a read in a batch tells ${when}`, reply).toEqual(
        told(versionOf(alone), dataOf(alone)),
      );
    }
  });
}

/** A read behind a write of its own batch tells the object as it was or as it is then, and no mixture: which of the two is not said. */
export async function expectWholeBehindWrites(context: CaseContext): Promise<void> {
  const { service, expect, profile } = context;
  const { scalars = [] } = profile.primary;
  for (const { name, request } of editRoutes(context)) {
    const thing = await makeEditable(context);
    const before = await service.read(thing);
    const reply = await sendBatch(context, [request(thing), service.requests.read(thing)]);
    if (reply.status !== 200) continue;
    const after = await service.read(thing);
    const { version, data } = bodyOfResult(resultsOf(reply)[1]);
    const [was, is] = [before, after].map((read) => toldOf(scalars, versionOf(read), dataOf(read)));
    const behind = toldOf(scalars, version, data);
    const wanted = isDeepStrictEqual(behind, was) ? was : is;
    expect(behind, `what a read tells behind a ${name} of its batch`, reply).toEqual(wanted);
  }
}

function toldOf(scalars: readonly string[], version: unknown, data: unknown): object {
  const content = isObject(data) ? data : {};
  return { version, ...Object.fromEntries(['$version', ...scalars].map((name) => [name, content[name] ?? null])) };
}
