import { QueueModel } from './queue-in-memory.fixture.ts';
import type { QueueReading, QueueWriting } from './deliveries.ts';
import type { Content, Reading, StoredDocument, StoredEntry, StoredObject, Writing } from './store.ts';

type Item = { readonly entryId?: number; readonly content: Content };

/** What a store promises, in its plainest form: maps and arrays, copied whole for a change set. For tests of stores only. */
export class Model {
  objects = new Map<string, StoredObject>();
  ports = new Map<string, { nextId: number; entries: StoredEntry[] }>();
  documents = new Map<string, string>();
  queue = new QueueModel();

  copy(): Model {
    return Object.assign(
      new Model(),
      structuredClone({ objects: this.objects, ports: this.ports, documents: this.documents }),
      { queue: this.queue.copy() },
    );
  }

  port(oid: string, port: string): { nextId: number; entries: StoredEntry[] } {
    const key = JSON.stringify([oid, port]);
    const found = this.ports.get(key) ?? { nextId: 1, entries: [] };
    this.ports.set(key, found);
    return found;
  }

  writing(): Writing {
    return { ...this.#reading(), ...this.#writes(), ...this.queue.reading(), ...this.queue.writing() };
  }

  #reading(): Omit<Reading, keyof QueueReading> {
    const admitted = (oid: string, port: string, condition?: { member: string; value: string }) =>
      this.port(oid, port).entries.filter(
        (entry) => !condition || String(entry.content[condition.member]) === condition.value,
      );
    return {
      object: async (spaceId, oid) => {
        const found = this.objects.get(oid);
        return found?.spaceId === spaceId ? found : undefined;
      },
      countEntries: async (oid, port, condition) => admitted(oid, port, condition).length,
      entries: async (oid, port, { from, to }, condition) => admitted(oid, port, condition).slice(from, to),
      entry: async (oid, port, entryId) => this.port(oid, port).entries.find((entry) => entry.entryId === entryId),
      objectsHolding: async (spaceId, softType, text, limit) =>
        [...this.objects.values()]
          .filter((object) => object.spaceId === spaceId && object.softType === softType)
          .filter((object) => JSON.stringify(object.content).includes(JSON.stringify(text).slice(1, -1)))
          .slice(0, limit),
      document: async (kind, id) => this.documents.get(JSON.stringify([kind, id])),
      documents: async (kind) => this.#documentsOf(kind),
    };
  }

  #documentsOf(kind: string): readonly StoredDocument[] {
    const all = [...this.documents].map(([key, text]) => ({ key: JSON.parse(key), text }));
    const ofKind = all.filter(({ key }) => key[0] === kind).map(({ key, text }) => ({ id: String(key[1]), text }));
    return ofKind.toSorted((one, other) => Buffer.compare(Buffer.from(one.id), Buffer.from(other.id)));
  }

  #writes(): Omit<Writing, keyof Reading | keyof QueueWriting> {
    return {
      insertObject: async (object) => void this.objects.set(object.oid, object),
      updateObject: async (_space, oid, version, content) => {
        const before = this.objects.get(oid);
        if (before) this.objects.set(oid, { ...before, version, content });
      },
      deleteObject: async (_space, oid) => {
        this.objects.delete(oid);
        for (const key of this.ports.keys()) if (JSON.parse(key)[0] === oid) this.ports.delete(key);
      },
      appendEntries: async (oid, port, contents) =>
        this.#append(
          oid,
          port,
          contents.map((content) => ({ content })),
        ),
      updateEntry: async (oid, port, entryId, content) => {
        const { entries } = this.port(oid, port);
        entries[entries.findIndex((entry) => entry.entryId === entryId)] = { entryId, content };
      },
      removeEntry: async (oid, port, entryId) => {
        const { entries } = this.port(oid, port);
        entries.splice(
          entries.findIndex((entry) => entry.entryId === entryId),
          1,
        );
      },
      replaceEntries: async (oid, port, items) => {
        const known = new Set(this.port(oid, port).entries.map((entry) => entry.entryId));
        this.port(oid, port).entries = [];
        this.#append(
          oid,
          port,
          items.map((item) => (known.delete(item.entryId ?? -1) ? item : { content: item.content })),
        );
      },
      putDocument: async (kind, id, text) => void this.documents.set(JSON.stringify([kind, id]), text),
      deleteDocument: async (kind, id) => void this.documents.delete(JSON.stringify([kind, id])),
      empty: async () => {
        this.objects.clear();
        this.ports.clear();
        this.documents.clear();
        this.queue = new QueueModel();
      },
    };
  }

  #append(oid: string, portId: string, items: readonly Item[]): number[] {
    const port = this.port(oid, portId);
    const added = items.map(({ entryId, content }) => ({ entryId: entryId ?? port.nextId++, content }));
    port.entries.push(...added);
    return added.map((entry) => entry.entryId);
  }
}
