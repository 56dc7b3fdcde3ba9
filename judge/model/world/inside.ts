import { entriesIn, textOf } from '../../../contract/judge-read.ts';
import { entriesPerPage } from '../../../contract/limits.ts';
import { isObject, pointer } from '../../json.ts';
import type { Port } from '../../things.ts';
import { acceptWrite } from '../object.ts';
import { nestedTexts } from '../requests.ts';
import { entriesOf, type EntryState } from '../state.ts';
import { type Going, turned } from './edits.ts';
import { atHome } from './homes.ts';
import { lookFirst, type Resident } from './look.ts';
import type { Step } from './step.ts';

type Nested = NonNullable<Port['nested']>;

/** An array inside the entries of a port of an object. */
interface Inside {
  readonly resident: Resident;
  readonly at: number;
  readonly port: Port;
  readonly nested: Nested;
}

/** An operation, and the texts inside the entry behind it. */
interface Inner {
  readonly operation: object;
  readonly texts: readonly string[];
}

/** As many as a profile says there is room for. */
const room = 21;

/** An operation on an entry inside an entry. Whether it is taken is not judged here; one that is taken has its effect, any other one none. */
export async function takeInside(going: Going, step: Step): Promise<readonly Resident[]> {
  const { context } = going.world;
  const found = findInside(going, step);
  if (found === undefined) return [];
  const { resident, at, port } = found;
  if (resident.unordered) await lookFirst({ ...going, resident, where: `an object before ${step.kind}` });
  const texted = [...entriesOf(resident.state, at).entries()].filter(([, { text }]) => text !== undefined);
  const long = texted.filter(([, { inside }]) => inside !== undefined);
  const candidates = step.dice % 2 === 0 && long.length > 0 ? long : texted;
  const [chosen] = turned(candidates, Math.abs(step.at.at));
  if (chosen === undefined) return [];
  const [place, entry] = chosen;
  const inner = await innerOf(going, found, { place, entry, step });
  if (inner === undefined) return [];
  const { thing, state, home } = resident;
  const request = context.service.requests.operations({ ...thing, version: state.version }, [inner.operation]);
  const reply = await context.service.send(atHome(request, home));
  context.notes.observe(`an operation inside an entry of ${port.member}`, reply.status, reply);
  if (reply.status >= 300) return [resident];
  const entries = entriesOf(state, at).with(place, { ...entry, inside: inner.texts });
  acceptWrite(context, resident, { ...state, version: state.version + 1, arrays: state.arrays.with(at, entries) });
  return [resident];
}

function findInside({ residents }: Going, { at: { object } }: Step): Inside | undefined {
  for (const resident of turned(residents, object))
    for (const [at, port] of resident.home.shape.ports.entries())
      if (!resident.isGone && port.nested !== undefined && entriesOf(resident.state, at).length > 0)
        return { resident, at, port, nested: port.nested };
  return undefined;
}

interface Chosen {
  readonly place: number;
  readonly entry: EntryState;
  readonly step: Step;
}

/** What is to be done inside that entry, by the ids that its page shows. */
async function innerOf(
  { world: { context }, fresh }: Going,
  { resident, port, nested }: Inside,
  { place, entry, step }: Chosen,
): Promise<Inner | undefined> {
  const { service, given } = context;
  const page = Math.floor(place / entriesPerPage);
  const { json } = await service.send(atHome(service.requests.page(resident.thing, page, port), resident.home));
  const seen = entriesIn(isObject(json) ? json['data'] : []).find(
    ({ members }) => textOf(members, port) === entry.text,
  );
  if (seen === undefined) return undefined;
  const texts = nestedTexts(port, entry);
  const items: unknown = seen.members[nested.member];
  const [item] = turned((Array.isArray(items) ? items : []).filter(isObject), step.at.choice);
  const base = [port.member, seen.entryId, nested.member] as const;
  const text = fresh();
  const at = texts.findIndex((one) => one === item?.[nested.text]);
  const path = pointer(...base, String(item?.['$entryId']));
  // what becomes of the entry with the last one inside it is decided by its model
  if (item !== undefined && at !== -1 && step.dice % 3 === 0 && texts.length > 1)
    return { operation: { op: 'remove', path: `${path}/` }, texts: texts.toSpliced(at, 1) };
  if (item !== undefined && at !== -1 && step.dice % 3 === 1)
    return {
      operation: { op: 'replace', path: `${path}${pointer(nested.text)}`, value: text },
      texts: texts.with(at, text),
    };
  if (texts.length >= room) return undefined;
  return {
    operation: { op: 'add', path: pointer(...base), value: given.nestedEntry(text, nested) },
    texts: [...texts, text],
  };
}
