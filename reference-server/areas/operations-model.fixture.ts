/** What the rules of an operations PATCH predict for a few members of a Document, written over regular expressions. For tests only. */
export interface Model {
  readonly members: Record<string, string>;
  dimensions?: Record<string, string>;
  readonly files: Port;
}

interface Port {
  next: number;
  items: Item[];
}

interface Item {
  readonly id: number;
  readonly members: Record<string, string>;
  readonly revisions?: Port;
}

export interface SomeOperation {
  readonly op: string;
  readonly path: string;
  readonly value?: unknown;
}

const names = {
  root: ['title', 'note', 'remark'],
  dimensions: ['width', 'height'],
  file: ['name', 'comment'],
  revision: ['text', 'author'],
};
type Kind = keyof typeof names;

export function emptyModel(title: string): Model {
  return { members: { title }, files: { next: 1, items: [] } };
}

/** The model after the whole list; undefined when one of its operations fails. */
export function predicted(model: Model, operations: readonly SomeOperation[]): Model | undefined {
  const next = structuredClone(model);
  return operations.every((operation) => carriedOut(next, operation)) ? next : undefined;
}

/** The model as `data` of a read shows it. */
export function shown({ members, dimensions, files }: Model): object {
  return { ...members, ...(dimensions ? { dimensions } : {}), files: shownItems(files) };
}

function shownItems(port: Port | undefined): readonly object[] {
  return (port?.items ?? []).map(({ id, members, revisions }) => ({
    $entryId: id,
    ...members,
    ...(revisions ? { revisions: shownItems(revisions) } : {}),
  }));
}

function carriedOut(model: Model, { op, path, value }: SomeOperation): boolean {
  const entry = /^(.*)\/(\d+)(\/?)$/.exec(path);
  if (entry?.[1] !== undefined) return op === 'remove' && removed(portAt(model, entry[1]), Number(entry[2]));
  const array = /^(.*\/(?:files|revisions))(\/-)?$/.exec(path);
  const port = portAt(model, array?.[1] ?? '');
  if (array !== null)
    return (
      port !== undefined && onPort(port, op, value, array[2] !== undefined, array[1] === '/files' ? 'file' : 'revision')
    );
  return path === '/dimensions' ? onDimensions(model, op, value) : onScalar(model, op, path, value);
}

function removed(port: Port | undefined, id: number): boolean {
  const length = port?.items.length;
  if (port) port.items = port.items.filter((item) => item.id !== id);
  return port?.items.length !== length;
}

function onPort(port: Port, op: string, value: unknown, marker: boolean, kind: Kind): boolean {
  if (op === 'remove' && !marker) port.items = [];
  if (op !== 'add') return op === 'remove' && !marker;
  if (Array.isArray(value) && (marker || port.items.length > 0)) return false;
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (!values.every((item) => fits(item, kind))) return false;
  port.items.push(...values.map((item) => itemFrom(item, port.next++, kind)));
  return true;
}

function onDimensions(model: Model, op: string, value: unknown): boolean {
  const present = model.dimensions !== undefined;
  if (op === 'remove') delete model.dimensions;
  if (op === 'add' && !present && fits(value, 'dimensions')) model.dimensions = { ...(value as object) };
  return op === 'remove' ? present : op === 'add' && !present && fits(value, 'dimensions');
}

function onScalar(model: Model, op: string, path: string, value: unknown): boolean {
  const [, where = '', name = ''] = /^(.*)\/([^/]*)$/.exec(path) ?? [];
  const [holder, kind] = holderAt(model, where);
  if (holder === undefined || !names[kind].includes(name) || name in holder === (op === 'add')) return false;
  if (op === 'remove') {
    if (name === 'title') return false;
    delete holder[name];
    return name === 'name' ? removed(model.files, Number(where.split('/')[2])) : true;
  }
  if (typeof value === 'string') holder[name] = value;
  return typeof value === 'string';
}

function holderAt(model: Model, where: string): readonly [Record<string, string> | undefined, Kind] {
  if (where === '') return [model.members, 'root'];
  if (where === '/dimensions') return [model.dimensions, 'dimensions'];
  const [, port = '', id] = /^(.*)\/(\d+)$/.exec(where) ?? [];
  return [
    portAt(model, port)?.items.find((item) => item.id === Number(id))?.members,
    port === '/files' ? 'file' : 'revision',
  ];
}

function portAt(model: Model, path: string): Port | undefined {
  if (path === '/files') return model.files;
  const [, id] = /^\/files\/(\d+)\/revisions$/.exec(path) ?? [];
  return model.files.items.find((item) => item.id === Number(id))?.revisions;
}

function fits(value: unknown, kind: Kind): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  if (kind === 'file' && !('name' in value)) return false;
  return Object.entries(value).every(([name, inner]) => {
    if (kind === 'file' && name === 'revisions')
      return Array.isArray(inner) && inner.every((item) => fits(item, 'revision'));
    return names[kind].includes(name) && typeof inner === 'string';
  });
}

function itemFrom(value: unknown, id: number, kind: Kind): Item {
  const { revisions = [], ...members } = value as { revisions?: object[] } & Record<string, string>;
  if (kind !== 'file') return { id, members };
  return {
    id,
    members,
    revisions: {
      next: revisions.length + 1,
      items: revisions.map((item, index) => itemFrom(item, index + 1, 'revision')),
    },
  };
}
