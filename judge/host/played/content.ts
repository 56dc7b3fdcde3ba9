import { isObject } from '../../json.ts';

/** Members of an object of the service that the suite plays; its own ones are told apart by who reads it. */
export type Content = Readonly<Record<string, unknown>>;

/** Why an operation is refused. */
export interface Refused {
  readonly refused: string;
  /** The member that it would add is there: the pointer to it. */
  readonly existing?: string;
  /** It leads into an array by a number that no entry has, or into one of objects by whatever none has: the pointer. */
  readonly position?: string;
  /** It leads to a member by way of the section of a read that holds it: the pointer. */
  readonly inData?: string;
}

/** Ids of the entries of arrays: integers in one array, texts in the next. Source: core, System properties, $entryId */
export class EntryIds {
  readonly #areTexts = new Map<string, boolean>();
  #given = 0;
  #nextAreTexts: boolean;

  /** @param beginsWithTexts the kind in the first array */
  constructor(beginsWithTexts: boolean) {
    this.#nextAreTexts = beginsWithTexts;
  }

  /** The value with an id on each object inside an array; one that is there stays. */
  within(value: unknown, name = ''): unknown {
    if (Array.isArray(value)) return value.map((entry: unknown) => this.#entry(this.within(entry, name), name));
    return isObject(value) ? this.of(value) : value;
  }

  of(content: Content): Content {
    return Object.fromEntries(Object.entries(content).map(([name, value]) => [name, this.within(value, name)]));
  }

  #entry(entry: unknown, name: string): unknown {
    if (!isObject(entry)) return entry;
    return isId(entry['$entryId']) ? entry : { ...entry, $entryId: this.#next(name) };
  }

  #next(name: string): number | string {
    if (!this.#areTexts.has(name)) {
      this.#areTexts.set(name, this.#nextAreTexts);
      this.#nextAreTexts = !this.#nextAreTexts;
    }
    this.#given += 1;
    return this.#areTexts.get(name) === true ? `e-${this.#given}` : this.#given;
  }
}

/**
 * The content after the operations, which are all applied or none. Source: core, Operations-based PATCH rules
 * @param isMadeUp nobody told what the object holds, so that it holds whatever has to be there
 */
export function operate(
  content: Content,
  operations: unknown,
  { isMadeUp, stated }: { readonly isMadeUp: boolean; readonly stated: readonly string[] },
): { readonly content: Content } | Refused {
  if (!Array.isArray(operations)) return { refused: 'This is no array of operations' };
  const edited = structuredClone(content);
  for (const operation of operations as readonly unknown[]) {
    const refusal = applyTo(edited, operation, stated);
    if (refusal !== undefined && !isMadeUp) return refusal;
    if (refusal !== undefined) overwrite(edited, operation);
  }
  return { content: edited };
}

function overwrite(content: Content, operation: unknown): void {
  const { path, value } = Object(operation) as Readonly<Record<string, unknown>>;
  const place = typeof path === 'string' ? placeOf(content, path) : undefined;
  if (place !== undefined && !Array.isArray(place.parent) && value !== undefined)
    place.parent[String(place.key)] = value;
}

function applyTo(content: Content, operation: unknown, stated: readonly string[]): Refused | undefined {
  const { op, path, value } = Object(operation) as Readonly<Record<string, unknown>>;
  const place = typeof path === 'string' ? placeOf(content, path) : undefined;
  const position = typeof path === 'string' && leadsByPosition(content, path) ? { position: path } : {};
  const inData = typeof path === 'string' && leadsIntoData(content, path) ? { inData: path } : {};
  if (place === undefined) return { refused: `There is no place ${String(path)}`, ...position, ...inData };
  if (position.position !== undefined) return { refused: `No entry has the id in ${position.position}`, ...position };
  const hasValue = 'value' in Object(operation);
  switch (op) {
    case 'add':
      return hasValue ? add(place, value, stated) : { refused: 'There is no value to add' };
    case 'replace':
      if (!hasValue || typeof value === 'object') return { refused: 'Only a plain value can replace another' };
      return set(place, value);
    case 'remove':
      return hasValue ? { refused: 'What is removed has no value' } : remove(place);
    default:
      return { refused: `There is no operation ${String(op)}` };
  }
}

/** What a path leads to: a member of an object, or an entry of an array. */
interface Place {
  readonly path: string;
  readonly parent: Record<string, unknown> | unknown[];
  /** Name of the member, else the place in the array; -1 where no entry has the id. */
  readonly key: string | number;
  readonly isEnd: boolean;
}

function placeOf(content: Content, path: string): Place | undefined {
  const segments = path
    .replace(/(?<=.)\/$/, '')
    .split('/')
    .slice(1)
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
  const last = segments.pop();
  if (last === undefined || last === '') return undefined;
  let parent: unknown = content;
  for (const segment of segments) {
    const key = keyIn(parent, segment);
    parent = key === undefined ? undefined : Reflect.get(Object(parent), key);
  }
  if (Array.isArray(parent)) return { path, parent, key: keyIn(parent, last) ?? -1, isEnd: last === '-' };
  return isObject(parent) ? { path, parent, key: last, isEnd: false } : undefined;
}

/** Whether a path goes by the section of a read, in which the member is, while the object has none of that name. Source: core, Patch operation, row path */
function leadsIntoData(content: Content, path: string): boolean {
  const [section = '', member = ''] = path.replace(/^#/, '').split('/').slice(1);
  return section === 'data' && !Object.hasOwn(content, section) && Object.hasOwn(content, member);
}

/** Whether a segment that stands for an entry is the id of none of them: a number that counts them, or what else is in an object. */
function leadsByPosition(content: Content, path: string): boolean {
  let parent: unknown = content;
  for (const segment of path.split('/').slice(1)) {
    const key = keyIn(parent, segment);
    if (key === undefined)
      return (
        Array.isArray(parent) && (/^\d+$/.test(segment) || (!['', '-'].includes(segment) && parent.some(isObject)))
      );
    parent = Reflect.get(Object(parent), key);
  }
  return false;
}

function keyIn(parent: unknown, segment: string): string | number | undefined {
  if (!Array.isArray(parent)) return isObject(parent) && Object.hasOwn(parent, segment) ? segment : undefined;
  const index = parent.findIndex((entry) => isObject(entry) && String(entry['$entryId']) === segment);
  return index === -1 ? undefined : index;
}

function valueAt({ parent, key }: Place): unknown {
  return key === -1 ? undefined : Reflect.get(parent, key);
}

function add(place: Place, value: unknown, stated: readonly string[]): Refused | undefined {
  const { path, parent } = place;
  const isStated = stated.some((name) => path.split('/')[1] === name);
  const there = valueAt(place);
  const list = place.isEnd ? parent : there;
  if (Array.isArray(list)) list.push(value);
  // in the model it may be an array, of which nobody told
  else if (isObject(there) && isObject(value) && !isStated && !Array.isArray(parent))
    parent[String(place.key)] = [there, value];
  else if (there !== undefined) return { refused: `${path} is there`, existing: path };
  else if (Array.isArray(parent)) return { refused: 'What is added to an array becomes its last entry' };
  else parent[String(place.key)] = value;
  return undefined;
}

function set(place: Place, value: unknown): Refused | undefined {
  if (valueAt(place) === undefined) return { refused: `${place.path} is not there` };
  Reflect.set(place.parent, place.key, value);
  return undefined;
}

function remove(place: Place): Refused | undefined {
  const { parent, key, path } = place;
  if (valueAt(place) === undefined) return { refused: `${path} is not there` };
  if (Array.isArray(parent)) parent.splice(Number(key), 1);
  else delete parent[String(key)];
  return undefined;
}

function isId(value: unknown): boolean {
  return typeof value === 'string' || Number.isInteger(value);
}
