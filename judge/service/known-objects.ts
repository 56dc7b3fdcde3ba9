import type { Profile } from '../../contract/profile.ts';
import { isObject, memberIn, objectsIn } from '../json.ts';
import { stateFieldsIn } from './state-fields.ts';
import { softTypesOf } from './soft-types.ts';
import { createHash } from 'node:crypto';
import type { Reply, RequestSpec } from '../exchange.ts';

/** Root members with plain texts, texts of entries, and the states of maturity processes. */
type Members = Readonly<Record<string, string>>;

/** A write that was accepted, as far as it is said what it does. */
export interface KnownWrite {
  readonly kind: 'create' | 'merge' | 'put' | 'operations' | 'move';
  /** Whether its body is of the input schema of the profile, whose members read by the names by which they are written. */
  readonly isOfUsualSchema: boolean;
  readonly body: unknown;
}

/** A member of a read that is not what was written, or read, of the same version. */
interface Contradiction {
  readonly member: string;
  readonly expected: string;
  readonly actual: string;
}

/** No text in which anything could be stored or shown in another way. */
const plainText = /^[A-Za-z0-9](?:[A-Za-z0-9 ._-]{0,78}[A-Za-z0-9])?$/;

const absent = 'nothing';

/**
 * What accepted writes and reads have told of objects, by version: an edit leaves what it does not name, and reads of one version agree,
 * whoever asks by whichever route. Source: core, Versioning; Merge PATCH; States and transitions
 */
export class KnownObjects {
  readonly #scalars: ReadonlySet<string>;
  /** The text of an entry, by the array in which it stands. */
  readonly #texts: ReadonlyMap<string, string>;
  readonly #objects = new Map<string, Map<number, Members>>();
  /** Objects of which a version does not tell the states. */
  readonly #moving = new Set<string>();
  /** Members that a way to read has shown. */
  readonly #shown = new Map<string, Set<string>>();

  constructor(profile: Profile) {
    const types = softTypesOf(profile);
    this.#scalars = new Set(types.flatMap(({ scalars = [] }) => scalars));
    const ports = types.flatMap(({ arrayPort, secondArrayPort }) => [arrayPort, secondArrayPort]);
    this.#texts = new Map(ports.flatMap((port) => (port === undefined ? [] : [[port.member, port.text]])));
  }

  /** An object that is made again under its id begins anew. */
  forget(id: string): void {
    this.#objects.delete(id);
    this.#moving.delete(id);
  }

  /** An object that a demote leaves at its version has several states there. */
  forgetStates(id: string): void {
    this.#moving.add(id);
    const versions = this.#objects.get(id) ?? new Map<number, Members>();
    for (const [version, members] of versions) versions.set(version, without(members, isState));
  }

  /** @param version that the write was told to lead to */
  written(id: string, version: number, write: KnownWrite): void {
    const before = write.kind === 'create' ? {} : (this.#objects.get(id)?.get(version - 1) ?? {});
    this.#learn(id, version, this.#after(before, write));
  }

  /** @param way by which it was asked for @returns what differs from what is known of that version */
  read(id: string, version: number, data: Readonly<Record<string, unknown>>, way: string): readonly Contradiction[] {
    const plain = this.#plainIn(data);
    const seen = this.#moving.has(id) ? without(plain, isState) : plain;
    const shown = this.#shown.get(way) ?? new Set();
    this.#shown.set(way, shown);
    for (const member of Object.keys(seen)) if (!isInEntry(member)) shown.add(member);
    const known = this.#objects.get(id)?.get(version) ?? {};
    const contradictions = Object.entries(known).flatMap(([member, expected]): Contradiction[] => {
      const actual = (Object.hasOwn(seen, member) ? seen[member] : undefined) ?? this.#otherIn(data, member);
      // another schema may not have it
      return actual === expected || (actual === absent && !shown.has(member)) ? [] : [{ member, expected, actual }];
    });
    this.#learn(id, version, seen);
    return contradictions;
  }

  #learn(id: string, version: number, members: Members): void {
    const versions = this.#objects.get(id) ?? new Map<number, Members>();
    this.#objects.set(id, versions);
    versions.set(version, { ...members, ...versions.get(version) });
  }

  #after(before: Members, { kind, isOfUsualSchema, body }: KnownWrite): Members {
    if (kind === 'move') return without(before, isState);
    if (kind === 'operations') return this.#afterOperations(before, body);
    if (!isObject(body)) return {};
    // a PUT names no state, and whether it leaves them is not said
    const kept = kind === 'merge' ? without(before, (name) => Object.hasOwn(body, rootOf(name))) : {};
    return isOfUsualSchema ? { ...kept, ...this.#textsIn(body) } : kept;
  }

  /** What they name is known where the last one of a list gives it a text. */
  #afterOperations(before: Members, body: unknown): Members {
    if (!Array.isArray(body)) return {};
    let members = before;
    for (const operation of objectsIn(body)) {
      const [root, member = '', ...inside] = String(operation['path']).split('/');
      // some services take other spellings of a path, which may lead anywhere
      if (root !== '' || !(this.#scalars.has(member) || this.#texts.has(member))) return {};
      members = without(members, (name) => rootOf(name) === member);
      if (inside.length === 0 && operation['op'] !== 'remove')
        members = { ...members, ...this.#textsIn({ [member]: operation['value'] }) };
    }
    return members;
  }

  #plainIn(data: Readonly<Record<string, unknown>>): Members {
    return { ...this.#textsIn(data), ...Object.fromEntries(this.#entriesIn(data)), ...statesIn(data) };
  }

  /** What a read shows of a member that is no plain text there. */
  #otherIn(data: Readonly<Record<string, unknown>>, member: string): string {
    if (isState(member) || isInEntry(member)) return absent;
    return JSON.stringify(memberIn(data, member) ?? undefined) ?? absent;
  }

  *#entriesIn(data: Readonly<Record<string, unknown>>): Generator<[member: string, text: string]> {
    for (const [member, text] of this.#texts)
      for (const entry of objectsIn(memberIn(data, member))) {
        const [id, value] = [entry['$entryId'], memberIn(entry, text)];
        if (id !== undefined && typeof value === 'string' && plainText.test(value))
          yield [`${member}${ofEntry}${String(id)}`, value];
      }
  }

  #textsIn(members: Readonly<Record<string, unknown>>): Members {
    return Object.fromEntries(
      Object.entries(members).filter(
        (member): member is [string, string] =>
          this.#scalars.has(member[0]) && typeof member[1] === 'string' && plainText.test(member[1]),
      ),
    );
  }
}

const stateOf = 'state of ';
const ofEntry = ' of entry ';

function isState(name: string): boolean {
  return name.startsWith(stateOf);
}

/** Which of them a read shows hangs on where they stand. */
function isInEntry(name: string): boolean {
  return name.includes(ofEntry);
}

/** The member of an object in which it stands. */
function rootOf(name: string): string {
  const [member = ''] = isState(name) ? name.slice(stateOf.length).split('/') : name.split(ofEntry);
  return member;
}

function statesIn(data: Readonly<Record<string, unknown>>): Members {
  return Object.fromEntries(stateFieldsIn(data).map(([name, { state }]) => [stateOf + name, String(state)]));
}

function without(members: Members, isGone: (name: string) => boolean): Members {
  return Object.fromEntries(Object.entries(members).filter(([name]) => !isGone(name)));
}

/** Texts that a case made, by the mark that no others have; see `uniqueTexts`. */
export const madeTexts = /[a-z]-[0-9a-f]{8}-\d+(?![0-9a-f-])/g;

/** Of SoftTypes, wherever they are listed, the documents promise no ETag. */
const softTypes = /"\$(?:softType|entryId)"/;

/**
 * What an ETag stood for when it was read: it stands for no data that hold other texts of this run. What else an answer tells may be another
 * thing each time, such as when it was given. Source: core, Versioning 4
 */
export class KnownTags {
  readonly #seen = new Map<string, { readonly texts: string; readonly length: number }>();

  /** @returns whether the ETag of a read is that of former data of the same address */
  isOfFormerData({ method, as, headers = {} }: RequestSpec, reply: Reply): boolean {
    const { etag, 'content-type': type = '' } = reply.headers;
    const isUsual = Object.keys(headers).every((name) => name.toLowerCase() === 'if-none-match');
    if (method !== 'GET' || reply.status !== 200 || !etag || !isUsual) return false;
    const text = textOf(reply);
    if (softTypes.test(text)) return false;
    const key = `${String(as)} ${reply.url} ${etag}`;
    const now = { texts: textsIn(text), length: reply.bytes.length };
    const before = this.#seen.get(key) ?? now;
    this.#seen.set(key, before);
    // many servers tag a file by its length and the second of its last change
    return before.texts !== now.texts && (type.includes('json') || before.length !== now.length);
  }
}

/** JSON with every character as itself, whichever are escaped from time to time. What is looked for is ASCII, and a file may be long and no text. */
function textOf({ json, bytes }: Reply): string {
  if (json !== undefined) return JSON.stringify(json);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
}

/** Those that the run made, in whatever order, as one short text. */
function textsIn(text: string): string {
  const found = new Set(text.match(madeTexts));
  return createHash('sha256')
    .update([...found].toSorted().join(' '))
    .digest('base64url');
}
