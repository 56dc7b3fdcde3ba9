import type { CaseContext } from '../../../judge/case.ts';
import type { Changes } from '../../../judge/exchange.ts';
import { editRoutes, makeEditable } from '../../../judge/service/writes.ts';
import type { Thing } from '../../../judge/things.ts';

/** A write that asks for something in another way than the service serves it. */
interface Strange {
  readonly what: string;
  /** The object as the path of the write names it. */
  readonly named: (thing: Thing) => Thing;
  readonly changes?: Changes;
}

/** Where a write of an object that is there is refused for its path or the type of its body, which is left to the service, the object stays as it was. */
export async function expectStrangeWritesCountNothing(context: CaseContext): Promise<void> {
  const { given, service, profile } = context;
  const { second } = profile.all.softTypes ?? {};
  const unknown = given.unique('unknown');
  const named =
    (change: Partial<Thing['type']>) =>
    (thing: Thing): Thing => ({ ...thing, type: { ...thing.type, ...change } });
  const strange: readonly Strange[] = [
    { what: 'a body of another type', named: (thing) => thing, changes: { headers: { 'Content-Type': 'text/plain' } } },
    { what: 'an unknown input schema', named: named({ inputSchemaId: unknown }) },
    { what: 'an unknown definition', named: named({ definitionId: unknown }) },
    ...(second === undefined
      ? []
      : [{ what: 'the definition of others', named: named({ definitionId: second.definitionId }) }]),
  ];
  for (const route of editRoutes(context).filter(({ name }) => name !== 'promote'))
    for (const { what, named: thingOf, changes } of strange)
      await expectUnchangedIfRefused(context, `a ${route.name} with ${what}`, (thing) =>
        service.send(route.request(thingOf(thing)), changes),
      );
  if (profile.all.routes?.softTypeDelete !== undefined)
    await expectUnchangedIfRefused(context, 'a DELETE with an older version', (thing) =>
      service.send(service.requests.remove(thing), { version: thing.version - 1 }),
    );
}

async function expectUnchangedIfRefused(
  context: CaseContext,
  what: string,
  write: (thing: Thing) => ReturnType<CaseContext['service']['send']>,
): Promise<void> {
  const { given, service, expect, notes } = context;
  const thing = await given.edited(await makeEditable(context));
  const before = await service.snapshot(thing);
  const reply = await write(thing);
  notes.observe(`status of ${what}`, reply.status, reply);
  // what a server error leaves is not said
  if (reply.status < 400 || reply.status >= 500) return;
  expect.unchanged(before, await service.snapshot(thing));
}
