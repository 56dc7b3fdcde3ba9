import type { Profile } from '../contract/profile.ts';
import { isObject } from '../judge/json.ts';

/**
 * Watches which keys of a profile are read by their names. What walks over all of it (redaction, JSON) reads nothing; where a part of it
 * is listed or spread, all below that part counts as read, as its user passes it on.
 */
export class ProfileReads {
  readonly #read = new Set<string>();
  readonly #proxies = new WeakMap<object, object>();

  watch(profile: Profile): Profile {
    return this.#watched(profile, []);
  }

  /** Whether somebody asked for the key, or for all of what it stands in. @param path dotted, items of an array without index */
  has(path: string): boolean {
    const names = withoutTwins(path).split('.');
    const above = names.map((_name, index) => `${names.slice(0, index + 1).join('.')}.**`);
    return [names.join('.'), ...above].some((key) => this.#read.has(key));
  }

  #note(path: readonly string[], all = ''): void {
    this.#read.add(`${withoutTwins(path.join('.'))}${all}`);
  }

  #watched<T extends object>(value: T, path: readonly string[]): T {
    const known = this.#proxies.get(value);
    if (known !== undefined) return known as T;
    const listed = new Set<string | symbol>();
    const proxy = new Proxy(value, {
      ownKeys: (target) => {
        if (path.length > 0) this.#note(path, '.**');
        return Reflect.ownKeys(target);
      },
      getOwnPropertyDescriptor: (target, name) => {
        if (path.length === 0) listed.add(name);
        return Reflect.getOwnPropertyDescriptor(target, name);
      },
      get: (target, name) => {
        if (name === 'toJSON') return () => target;
        const found: unknown = Reflect.get(target, name);
        if (typeof name === 'symbol' || (Array.isArray(target) && !/^\d+$/.test(name)) || listed.delete(name))
          return found;
        const here = Array.isArray(target) ? path : [...path, name];
        this.#note(here);
        return typeof found === 'object' && found !== null ? this.#watched(found, here) : found;
      },
    });
    this.#proxies.set(value, proxy);
    return proxy;
  }
}

/**
 * Dotted paths of all keys of a schema that have none below them; of what may have several forms, those of each. What several keys hold
 * in the same form is one: it is enough when it is read of one of them.
 */
export function keysOf(schema: unknown, path = ''): readonly string[] {
  const { properties, items, anyOf } = isObject(schema) ? schema : {};
  if (isObject(properties))
    return Object.entries(properties).flatMap(([name, inner]) => keysOf(inner, path === '' ? name : `${path}.${name}`));
  if (items !== undefined) return keysOf(items, path);
  const forms = Array.isArray(anyOf) ? anyOf : [];
  return [...new Set([...forms.flatMap((form) => keysOf(form, path)), path])];
}

/** Names that stand for each other, so that `softTypes.second.body` is the same as `softTypes.primary.body`. */
const alike: readonly (readonly [RegExp, string])[] = [
  [/^(?:softTypes\.\w+|secondSpace\.softType)\b/, '(SoftType)'],
  [/\b(?:arrayPort|secondArrayPort)\b/, '(port)'],
  [/^identities\.\w+/, '(identity)'],
  [/\bsamples\.task\.\w+/, '(sample)'],
  [/^routes\.registration(?:Read|Update|Delete)\b/, 'routes.(registration)'],
  [/^(?:routes|triggers)\.\w+(?=\.(?:method|path|as|headers|body|idPath)$)/, '(request)'],
];

function withoutTwins(path: string): string {
  return alike.reduce((sofar, [pattern, name]) => sofar.replace(pattern, name), path);
}
