import { shownReference } from '../../../judge/service/referrers.ts';
import { entriesOf } from '../../../judge/service/answers.ts';
import type { CaseContext } from '../../../judge/case.ts';
import { isSuccess, type RequestSpec } from '../../../judge/exchange.ts';
import { pointer } from '../../../judge/json.ts';
import type { Thing } from '../../../judge/things.ts';
import { add, type Operation, replace } from './operation-steps.ts';

/** An edit that changes one place of an object and leaves the others. */
interface PlaceEdit {
  readonly what: string;
  readonly request: (thing: Thing) => RequestSpec;
}

/** An object, and an edit of each of its places. */
export interface WithPlaces {
  readonly thing: Thing;
  readonly edits: readonly PlaceEdit[];
}

/** Makes objects with the edits that were taken of one made alike: into which places a path leads is not said. */
export async function placesToEdit(context: CaseContext): Promise<() => Promise<WithPlaces>> {
  const { given, service, notes } = context;
  const make = async (): Promise<WithPlaces> => {
    const thing = await makeFilled(context);
    return { thing, edits: [...mergesOf(context), ...(await operationsOf(context, thing))] };
  };
  const tried = await make();
  const taken = new Set<string>();
  for (const { what, request } of tried.edits) {
    const reply = await service.send(request(await given.current(tried.thing)));
    notes.observe(`an edit of ${what}`, reply.status, reply);
    if (isSuccess(reply.status)) taken.add(what);
  }
  return async () => {
    const { thing, edits } = await make();
    return { thing, edits: edits.filter(({ what }) => taken.has(what)) };
  };
}

function makeFilled({ given, profile }: CaseContext): Promise<Thing> {
  const { arrayPort, secondArrayPort, scalars = [] } = profile.primary;
  const body = Object.fromEntries(scalars.map((member) => [member, given.unique()]));
  if (arrayPort === undefined) return given.object(body);
  return given.objectWithEntries(1, {
    body,
    ...(secondArrayPort !== undefined && { second: 1 }),
    ...(arrayPort.nested !== undefined && { nested: () => 1 }),
  });
}

function mergesOf({ given, service, profile }: CaseContext): readonly PlaceEdit[] {
  const { scalars = [], scalarList } = profile.primary;
  if (!profile.offers('merge')) return [];
  return [
    ...scalars.map((member) => ({ member, value: given.unique() as unknown })),
    ...(scalarList === undefined ? [] : [{ member: scalarList, value: [given.unique()] }]),
  ].map(({ member, value }) => ({
    what: member,
    request: (thing: Thing) => service.requests.merge(thing, { [member]: value }),
  }));
}

async function operationsOf(context: CaseContext, thing: Thing): Promise<readonly PlaceEdit[]> {
  const { given, service, profile } = context;
  const { arrayPort, secondArrayPort, reference } = profile.primary;
  if (!profile.offers('operations')) return [];
  const edit = (what: string, operation: Operation): PlaceEdit => ({
    what,
    request: (one) => service.requests.operations(one, [operation]),
  });
  const edits: PlaceEdit[] = [];
  if (arrayPort !== undefined) {
    const { port } = profile;
    const [entry] = entriesOf(await service.read(thing), port);
    const { entryId } = given.present(entry, 'an entry');
    edits.push(
      edit(port.member, add(pointer(port.member), given.entry(given.unique(), {}, port))),
      edit(`an entry of ${port.member}`, replace(pointer(port.member, entryId, port.text), given.unique())),
    );
    const { nested } = port;
    if (nested !== undefined) {
      const value = given.nestedEntry(given.unique(), nested);
      edits.push(edit(nested.member, add(pointer(port.member, entryId, nested.member), value)));
    }
  }
  if (secondArrayPort !== undefined) {
    const { secondPort } = profile;
    edits.push(edit(secondPort.member, add(pointer(secondPort.member), given.entry(given.unique(), {}, secondPort))));
  }
  const shown = reference === undefined || reference.single === true ? undefined : await shownReference(context);
  if (reference !== undefined && shown !== undefined)
    edits.push(edit(reference.port, add(pointer(reference.port), shown)));
  return edits;
}
