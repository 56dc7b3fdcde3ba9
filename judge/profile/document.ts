import { isMap, isNode, isScalar, LineCounter, parseDocument, visit, type Document, type Node } from 'yaml';
import { ProfileError, type ProfileErrorCode } from './profile-error.ts';

export type Path = readonly (string | number)[];

// As long as what they stand for, so that positions stay true; braces would end a value inside a YAML flow mapping.
const opening = '\uE000\uE000';
const closing = '\uE001';
const placeholder = new RegExp(`${opening}(\\w+)${closing}`, 'g');

/** The YAML of a profile with the positions of its parts. */
export class ProfileDocument {
  readonly source: string;
  readonly #lines = new LineCounter();
  readonly #document: Document;

  constructor(text: string, source: string) {
    this.source = source;
    const marked = text.replaceAll(/\$\{(\w+)\}/g, `${opening}$1${closing}`);
    this.#document = parseDocument(marked, { lineCounter: this.#lines, prettyErrors: false });
    const [error] = this.#document.errors;
    if (error !== undefined) throw this.#error('yaml', `this is no YAML: ${error.message}`, error.pos[0]);
  }

  get content(): unknown {
    return this.#document.toJS();
  }

  /** Puts values in the place of `${NAME}`; returns for each path whose whole value was one variable its name. */
  fillIn(valueOf: (name: string) => string | undefined): Readonly<Record<string, string>> {
    const wholes = new Map<Node, string>();
    visit(this.#document, {
      Scalar: (_key, node) => {
        if (typeof node.value !== 'string' || !node.value.includes(opening)) return;
        const [match] = node.value.matchAll(placeholder);
        if (match?.[0] === node.value && match[1] !== undefined) wholes.set(node, match[1]);
        node.value = node.value.replaceAll(
          placeholder,
          (_all, name: string) => valueOf(name) ?? this.#missing(name, node),
        );
      },
    });
    return this.#pathsOf(wholes);
  }

  /** Where the values of mappings stand: dotted path -> `line:column`, 1-based. */
  places(): Readonly<Record<string, string>> {
    const places: Record<string, string> = {};
    const walk = (node: unknown, path: string): void => {
      if (path !== '' && isNode(node)) places[path] = this.#placeAt(node.range?.[0] ?? 0);
      if (!isMap(node)) return;
      for (const { key, value } of node.items) {
        const name = isScalar(key) ? String(key.value) : '';
        walk(value, path === '' ? name : `${path}.${name}`);
      }
    };
    walk(this.#document.contents, '');
    return places;
  }

  /** An error at the value under a path, or at the key of that name in it. */
  errorAt(path: Path, sentence: string, key?: string): ProfileError {
    return this.#error('content', sentence, this.#offsetOf(path, key));
  }

  #missing(name: string, node: Node): never {
    throw this.#error(
      'variable',
      `the environment variable ${name} is not set; export ${name}=... before the run`,
      node.range?.[0] ?? 0,
    );
  }

  #pathsOf(wholes: ReadonlyMap<Node, string>): Readonly<Record<string, string>> {
    const paths: Record<string, string> = {};
    const walk = (node: unknown, path: string): void => {
      if (isNode(node) && wholes.has(node)) paths[path] = wholes.get(node) ?? '';
      if (!isMap(node)) return;
      for (const pair of node.items) {
        const key = isScalar(pair.key) ? String(pair.key.value) : '';
        walk(pair.value, path === '' ? key : `${path}.${key}`);
      }
    };
    walk(this.#document.contents, '');
    return paths;
  }

  #offsetOf(path: Path, key?: string): number {
    const node = path.length === 0 ? this.#document.contents : this.#document.getIn(path, true);
    if (key !== undefined && isMap(node)) {
      const pair = node.items.find((item) => isScalar(item.key) && item.key.value === key);
      if (isNode(pair?.key)) return pair.key.range?.[0] ?? 0;
    }
    return isNode(node) ? (node.range?.[0] ?? 0) : 0;
  }

  #placeAt(offset: number): string {
    const { line, col } = this.#lines.linePos(offset);
    return `${line}:${col}`;
  }

  #error(code: ProfileErrorCode, sentence: string, offset: number): ProfileError {
    const { line, col } = this.#lines.linePos(offset);
    return new ProfileError(code, sentence, { file: this.source, line: Math.max(1, line), column: Math.max(1, col) });
  }
}
