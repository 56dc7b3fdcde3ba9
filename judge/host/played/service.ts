import { type Arrival, type ArrivalKind, askedBy } from '../arrival.ts';
import { decodeSegment } from '../../service/requests.ts';
import type { StageAnswer } from '../stage-server.ts';
import { EntryIds } from './content.ts';
import { PlayedFiles } from './files.ts';
import { PlayedObjects } from './objects.ts';

export interface ServiceParts {
  /** Members of the objects that can be read, by their id; undefined where any id can. */
  readonly known: Readonly<Record<string, unknown>> | undefined;
  /** Whether the entries of the first array have texts as their ids. */
  readonly hasTextIds: boolean;
}

/** Methods of kinds that are known by their path. */
const methods: Partial<Readonly<Record<ArrivalKind, string>>> = {
  progress: 'PUT',
  acquire: 'POST',
  upload: 'POST',
  chunk: 'POST',
  keyed: 'POST',
};

/** What an installation of the service that the suite plays keeps, and how it answers what it lets in. */
export class PlayedService {
  readonly files = new PlayedFiles();
  readonly objects: PlayedObjects;
  readonly #parts: ServiceParts;
  /** Of spaces that have objects of their own, by their id. */
  readonly #objectsOf = new Map<string, PlayedObjects>();

  constructor(parts: ServiceParts) {
    this.#parts = parts;
    this.objects = this.#newObjects();
  }

  /** The space has objects of its own from now on. */
  addSpace(spaceId: string): void {
    this.#objectsOf.set(spaceId, this.#newObjects());
  }

  /** Those of the space, where it has its own. */
  objectsIn(spaceId: string): PlayedObjects {
    return this.#objectsOf.get(spaceId) ?? this.objects;
  }

  /** HEAD is answered as GET is. */
  answer(arrival: Arrival): StageAnswer {
    const asked = askedBy(arrival);
    const method = methods[asked.kind] ?? asked.method;
    if (asked.method !== method) return { status: 405, headers: { Allow: method } };
    switch (asked.kind) {
      case 'progress':
      case 'status':
      case 'acquire':
        return { status: 204 };
      case 'directory':
        return this.files.list(asked);
      case 'download':
        return this.files.download(asked);
      case 'upload':
        return this.files.storeStream(asked);
      case 'chunk':
        return this.files.storeChunk(asked);
      case 'deletion':
        return this.files.remove(asked);
      case 'keyed':
        return { status: 200, body: {} };
      case 'object':
        return this.#objectsAt(asked.path).answer(asked);
      case 'other':
        return { status: 404, body: { title: 'Not found' } };
    }
  }

  #newObjects(): PlayedObjects {
    return new PlayedObjects(this.#parts.known, new EntryIds(this.#parts.hasTextIds));
  }

  #objectsAt(path: string): PlayedObjects {
    const [, spaceId = ''] = /\/space\/([^/]+)/.exec(path) ?? [];
    return this.objectsIn(decodeSegment(spaceId));
  }
}
