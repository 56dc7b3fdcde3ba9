import { constantFrom, nat, record, array } from 'fast-check';
import { property, type SomeCasesOf } from '../engine/case.ts';
import { editRoutes, editable } from '../writes.ts';
import { headerVersion, versionNow } from './words.ts';

/** Status of a write and what it does to the version, by the version it is sent with. */
const model = { current: { raises: 1 }, stale: { status: 409, raises: 0 }, ahead: { status: 409, raises: 0 }, absent: { status: 412, raises: 0 } } as const;

const steps = array(
  record({ object: nat({ max: 2 }), route: nat({ max: 3 }), version: constantFrom<keyof typeof model>('current', 'current', 'stale', 'ahead', 'absent') }),
  { minLength: 1, maxLength: 10 },
);

export const sequenceCases = {
  'versioning.sequence.matches-model': property(
    steps,
    async (context, commands) => {
      const { given, service, expect } = context;
      const things = [await editable(context), await editable(context), await editable(context)];
      const versions = things.map((thing) => thing.version);
      const routes = editRoutes(context).filter(({ name }) => name !== 'promote');
      for (const command of commands) {
        const thing = given.present(things[command.object], 'an object');
        const route = given.present(routes[command.route % routes.length], 'a route that edits');
        const version = versions[command.object] ?? 0;
        const sent = sentWith(command.version, version);
        const reply = await service.send(route.request(thing), { version: sent });
        const predicted = model[command.version];
        if ('status' in predicted) expect(reply).toAnswer(predicted.status);
        else expect(reply).toSucceed();
        versions[command.object] = version + predicted.raises;
        if (reply.status < 300) expect(headerVersion(reply.headers) ?? version + 1, `version header of a ${route.name}`, reply).toEqual(version + 1);
        for (const [index, other] of things.entries())
          expect(await versionNow(context, other), `version of object ${index + 1} after a ${route.name} with the ${command.version} version`, reply).toEqual(versions[index]);
      }
    },
    {
      always: [
        [
          { object: 0, route: 0, version: 'stale' },
          { object: 0, route: 0, version: 'current' },
          { object: 1, route: 1, version: 'absent' },
          { object: 1, route: 1, version: 'current' },
          { object: 0, route: 2, version: 'current' },
        ],
      ],
      share: 0.5,
    },
  ),
} satisfies SomeCasesOf<'versioning'>;

function sentWith(kind: keyof typeof model, version: number): number | null {
  return { current: version, stale: version - 1, ahead: version + 1, absent: null }[kind];
}
