import { Area } from '../area.ts';
import { mediaTypes } from '../../contract/names.ts';
import type { Instance } from '../../contract/wire.ts';
import type { SchemaView } from '../configuration.ts';
import type { Answer, SpaceCall } from '../http/call.ts';
import type { Reading, StoredObject } from '../ports/store.ts';
import type { Auth } from './auth.ts';

/** Texts of reads of one object at one version, by view and rights. */
interface Remembered {
  readonly version: number;
  readonly texts: Map<string, string>;
  sizeChars: number;
}

interface Memory {
  readonly objects: Map<string, Remembered>;
  sizeChars: number;
}

/** Bounds what one server keeps; two bytes a character at most. */
const capacityChars = 16 * 1024 * 1024;

const headers = { 'Cache-Control': 'no-store' };

const rawHeaders = { ...headers, 'Content-Type': mediaTypes.json };

interface Needs {
  readonly auth: Auth;
}

/** Texts of reads, kept until the next write. */
export class ReadMemory extends Area<Needs> {
  private readonly memory: Memory = { objects: new Map(), sizeChars: 0 };

  /**
   * The answer of an unfiltered read: the text of an earlier one of the same version, view and rights, or assembled and
   * kept.
   * A fault whose answer differs from read to read replaces this with one that always assembles.
   */
  async rememberedRead(
    call: SpaceCall,
    reading: Reading,
    object: StoredObject,
    view: SchemaView,
    assemble: () => Promise<Instance>,
  ): Promise<Answer> {
    // Inside a change set a version is not final: after a roll-back the same number comes again with other content.
    if ('insertObject' in reading) return freshRead(await assemble());
    const variant = `${view.id} ${this.rightsOf(call)}`;
    const known = this.recall(object, variant);
    if (known !== undefined) return { status: 200, headers: rawHeaders, raw: known };
    const text = JSON.stringify(await assemble());
    this.keep(object, variant, text);
    return { status: 200, headers: rawHeaders, raw: text };
  }

  /** What tells apart the users whose reads of one object differ. */
  rightsOf(call: SpaceCall): string {
    return this.needs.auth.rolesOf(call.user, call.space).join();
  }

  /** Drops what is kept of an object; every write to it calls this. */
  forgetReads(spaceId: string, oid: string): void {
    const { memory } = this;
    drop(memory, keyOf(spaceId, oid));
  }

  private recall(object: StoredObject, variant: string): string | undefined {
    const remembered = this.memory.objects.get(keyOf(object.spaceId, object.oid));
    return remembered?.version === object.version ? remembered.texts.get(variant) : undefined;
  }

  private keep(object: StoredObject, variant: string, text: string): void {
    const { memory } = this;
    const remembered = rememberedAt(memory, object);
    remembered.texts.set(variant, text);
    remembered.sizeChars += text.length;
    memory.sizeChars += text.length;
    for (const key of memory.objects.keys()) {
      if (memory.sizeChars <= capacityChars) return;
      drop(memory, key);
    }
  }
}

/** The answer of a read as it was assembled just now. */
export function freshRead(body: Instance): Answer {
  return { status: 200, headers, body };
}

function rememberedAt(memory: Memory, object: StoredObject): Remembered {
  const key = keyOf(object.spaceId, object.oid);
  const known = memory.objects.get(key);
  if (known?.version === object.version) return known;
  drop(memory, key);
  const fresh: Remembered = { version: object.version, texts: new Map(), sizeChars: 0 };
  memory.objects.set(key, fresh);
  return fresh;
}

function drop(memory: Memory, key: string): void {
  memory.sizeChars -= memory.objects.get(key)?.sizeChars ?? 0;
  memory.objects.delete(key);
}

function keyOf(spaceId: string, oid: string): string {
  return `${spaceId}/${oid}`;
}
