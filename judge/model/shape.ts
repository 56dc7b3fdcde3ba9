import type { CaseContext } from '../case.ts';
import type { Port } from '../given.ts';
import { editable, editRoutes, working } from '../writes.ts';
import { edit, sendBatch } from '../batch-requests.ts';
import type { Edit } from './edit.ts';

/** What of the model this target has: members of the primary SoftType, and ways to write that work at all. */
export interface Shape {
  /** Two, or none where the profile names none. */
  readonly scalars: readonly string[];
  readonly object: { readonly member: string; readonly scalars: readonly string[] } | undefined;
  /** The array ports; none, one or two. */
  readonly ports: readonly Port[];
  /** Members that tell entries of the first port which the fixed filter admits from those that it does not. */
  readonly filter: { readonly id: string; readonly matching: object; readonly other: object } | undefined;
  readonly kinds: ReadonlySet<CommandKind>;
}

export type CommandKind = Edit['kind'] | 'batch';

/** Kinds of commands by the way they go, named as `editRoutes` does. */
const kindsByRoute: Readonly<Record<string, readonly CommandKind[]>> = {
  'merge PATCH': ['merge'],
  PUT: ['put'],
  promote: ['promote'],
  'operations PATCH': [
    'add scalar',
    'replace scalar',
    'remove scalar',
    'append',
    'remove entry',
    'remove mandatory',
    'add text',
    'replace text',
    'remove text',
  ],
};
const objectKinds: readonly CommandKind[] = ['add object', 'replace object', 'remove object', 'replace inside object'];
const scalarKinds: readonly CommandKind[] = ['merge', 'add scalar', 'replace scalar', 'remove scalar'];
const entryKinds: ReadonlySet<CommandKind> = new Set<CommandKind>([
  'append',
  'remove entry',
  'remove mandatory',
  'add text',
  'replace text',
  'remove text',
]);

/** Tries every way to write once: what does not work at all is judged by the rules of that way, not by those about histories. */
export async function shapeOf(context: CaseContext): Promise<Shape> {
  const { primary, all } = context.profile;
  const ports = [
    ...(primary.arrayPort ? [context.profile.port] : []),
    ...(primary.secondArrayPort ? [context.profile.secondPort] : []),
  ];
  const fixed = ports.length === 0 ? undefined : all.filters?.fixed;
  return {
    scalars: primary.scalars ?? [],
    object: primary.object,
    ports,
    filter: fixed,
    kinds: await kindsOf(context, ports),
  };
}

async function kindsOf(context: CaseContext, ports: readonly Port[]): Promise<ReadonlySet<CommandKind>> {
  const { profile } = context;
  const routes = await working(context, editRoutes(context));
  const kinds = new Set(routes.flatMap(({ name }) => kindsByRoute[name] ?? []));
  const operates = kinds.has('add scalar');
  if (profile.primary.scalars === undefined) for (const kind of scalarKinds) kinds.delete(kind);
  if (operates && profile.primary.object !== undefined) for (const kind of objectKinds) kinds.add(kind);
  if (operates && ports.length > 0) kinds.add('replace in unknown entry');
  if (kinds.has('promote') && !(await staysOpen(context))) kinds.delete('promote');
  if (kinds.has('promote') && profile.all.routes?.demote !== undefined && (await demotes(context))) kinds.add('demote');
  if (await batches(context)) kinds.add('batch');
  if (ports.length === 0) for (const kind of entryKinds) kinds.delete(kind);
  if (ports.every(({ mandatory }) => mandatory === undefined)) kinds.delete('remove mandatory');
  return kinds;
}

/** Whether the state after a promote takes edits: a state may be closed to them. */
async function staysOpen(context: CaseContext): Promise<boolean> {
  const { given, service } = context;
  const thing = await given.object();
  if ((await service.promote(thing)).status >= 300) return false;
  return (await service.send(edit(context, await given.current(thing)))).status < 300;
}

async function demotes(context: CaseContext): Promise<boolean> {
  const { given, service } = context;
  const thing = await given.object();
  return (
    (await service.promote(thing)).status < 300 &&
    (await service.demote({ ...thing, version: thing.version + 1 })).status < 300
  );
}

async function batches(context: CaseContext): Promise<boolean> {
  return (await sendBatch(context, [edit(context, await editable(context))])).status === 200;
}
