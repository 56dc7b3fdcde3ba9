import { mediaTypes } from '../../contract/names.ts';
import type { Instance } from '../../contract/wire.ts';
import type { SchemaView } from '../configuration.ts';
import type { Answer, Service, SpaceCall } from '../service.ts';
import type { Reading, StoredObject } from '../store/store.ts';

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
const memories = new WeakMap<Service, Memory>();

/** The answer of a read as it was assembled just now. */
export function freshRead(body: Instance): Answer {
  return { status: 200, headers, body };
}

/**
 * The answer of an unfiltered read: the text of an earlier one of the same version, view and rights, or assembled and
 * kept.
 * A fault whose answer differs from read to read replaces this with one that always assembles.
 */
export async function rememberedRead(
  service: Service,
  call: SpaceCall,
  reading: Reading,
  object: StoredObject,
  view: SchemaView,
  assemble: () => Promise<Instance>,
): Promise<Answer> {
  // Inside a change set a version is not final: after a roll-back the same number comes again with other content.
  if ('insertObject' in reading) return freshRead(await assemble());
  const variant = `${view.id} ${service.behaviours.rightsOf(service, call)}`;
  const known = recall(service, object, variant);
  if (known !== undefined) return { status: 200, headers: rawHeaders, raw: known };
  const text = JSON.stringify(await assemble());
  keep(service, object, variant, text);
  return { status: 200, headers: rawHeaders, raw: text };
}

/** What tells apart the users whose reads of one object differ. */
export function rightsOf(service: Service, call: SpaceCall): string {
  return service.behaviours.rolesOf(service, call.user, call.space).join();
}

/** Drops what is kept of an object; every write to it calls this. */
export function forgetReads(service: Service, spaceId: string, oid: string): void {
  const memory = memoryOf(service);
  drop(memory, keyOf(spaceId, oid));
}

function recall(service: Service, object: StoredObject, variant: string): string | undefined {
  const remembered = memoryOf(service).objects.get(keyOf(object.spaceId, object.oid));
  return remembered?.version === object.version ? remembered.texts.get(variant) : undefined;
}

function keep(service: Service, object: StoredObject, variant: string, text: string): void {
  const memory = memoryOf(service);
  const remembered = rememberedAt(memory, object);
  remembered.texts.set(variant, text);
  remembered.sizeChars += text.length;
  memory.sizeChars += text.length;
  for (const key of memory.objects.keys()) {
    if (memory.sizeChars <= capacityChars) return;
    drop(memory, key);
  }
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

function memoryOf(service: Service): Memory {
  const known = memories.get(service);
  if (known !== undefined) return known;
  const fresh: Memory = { objects: new Map(), sizeChars: 0 };
  memories.set(service, fresh);
  return fresh;
}

function keyOf(spaceId: string, oid: string): string {
  return `${spaceId}/${oid}`;
}
