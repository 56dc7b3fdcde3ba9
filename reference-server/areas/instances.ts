import { Area } from '../area.ts';
import { routes } from '../../contract/routes.ts';
import type { Instance } from '../../contract/wire.ts';
import type { SchemaView, SoftType, Space } from '../configuration.ts';
import type { Answer, SpaceCall } from '../http/call.ts';
import { type FoundContent, type FoundObject, type Route, readingRoute } from '../http/route.ts';
import type { Reading, StoredObject } from '../ports/store.ts';
import type { AppliedFilter, Entries } from './entries.ts';
import type { Hypermedia } from './hypermedia.ts';
import type { Objects, OutputView } from './objects.ts';
import { type ReadMemory, freshRead } from './read-memory.ts';
import { type JsonSchema, type Slice, outputJsonSchema, rootSections, storedStates } from './soft-type.ts';

/** Instances that one answer lists at most. */
const longestListing = 100;

interface Needs {
  readonly entries: Entries;
  readonly hypermedia: Hypermedia;
  readonly memory: ReadMemory;
  readonly objects: Objects;
}

export class Instances extends Area<Needs> {
  private readonly schemas = new Map<SchemaView, JsonSchema>();

  routes(): readonly Route[] {
    return [routes.instanceShort, routes.instanceLong].map((path) =>
      readingRoute({
        method: 'GET',
        path,
        access: 'space',
        effect: 'read',
        needs: {
          object: true,
          place: (call, _reading, object) => this.needs.objects.viewOfRead(call, object),
          filter: true,
        },
        handle: (call, reading) => this.readInstance(call, reading),
      }),
    );
  }

  /** What no batch may hold. */
  listingRoutes(): readonly Route[] {
    return [
      readingRoute({
        method: 'GET',
        path: '/api/space/{spaceId}/instances/{definitionId}',
        access: 'space',
        effect: 'read',
        needs: { place: (call) => this.needs.objects.softTypeOf(call.space, call.params['definitionId'] ?? '') },
        handle: (call, reading) => this.listInstances(call, reading),
      }),
    ];
  }

  async readInstance(call: SpaceCall & FoundObject<OutputView>, reading: Reading): Promise<Answer> {
    const { object, place } = call;
    const { softType, view } = place;
    const filter = this.needs.entries.filterOf(call, softType, 'softTypeFilterId');
    const assemble = () => this.assembleInstance(call, reading, object, view, filter);
    if (filter !== undefined) return freshRead(await assemble());
    return this.needs.memory.rememberedRead(call, reading, object, view, assemble);
  }

  /** The read response. Source: core, SoftType read response */
  async assembleInstance(
    call: SpaceCall,
    reading: Reading,
    object: StoredObject,
    view: SchemaView,
    filter?: AppliedFilter,
  ): Promise<Instance> {
    const softType = this.needs.objects.softTypeOf(call.space, object.softType);
    const slices: Slice[] = [];
    for (const section of rootSections(softType, view)) {
      slices.push(await this.needs.entries.firstSlice(reading, object, section, filter));
    }
    return {
      href: this.needs.objects.instanceHref(object, softType, view),
      data: this.dataOf(call.space, object, view, slices),
      version: object.version,
      links: this.needs.hypermedia.linksOf(call, object, view, slices, filter),
      schema: this.schemaOf(softType, view),
    };
  }

  /** `data` of a read response: system members, current states, then the members of the view in its order. */
  dataOf(space: Space, object: StoredObject, view: SchemaView, slices: readonly Slice[]): Instance['data'] {
    const arrays = new Map(slices.map(({ section, entries }) => [section.path, { section, entries }]));
    const members: Record<string, unknown> = {};
    for (const [name, canonical] of view.names) {
      const array = arrays.get(name);
      const value =
        array?.entries.map((entry) => this.needs.entries.entryOut(space, array.section.member, entry)) ??
        object.content[canonical];
      if (value !== undefined) members[name] = value;
    }
    return { ...this.systemMembers(object), ...storedStates(object), ...members };
  }

  /** Source: core, System properties inside `data` */
  systemMembers(object: StoredObject): { $version: number; $oid: string; $softType: string } {
    return { $version: object.version, $oid: object.oid, $softType: object.softType };
  }

  /** `schema` of a read response. Source: core, SoftType read response */
  schemaOf(softType: SoftType, view: SchemaView): JsonSchema {
    const known = this.schemas.get(view);
    if (known !== undefined) return known;
    const schema = outputJsonSchema(softType, view);
    this.schemas.set(view, schema);
    return schema;
  }

  /** Instances of a definition that hold a text, so that a client can see what exists. The documents show no such route. @throws {Refusal} 404 */
  private async listInstances(call: SpaceCall & FoundContent<SoftType>, reading: Reading): Promise<Answer> {
    const { place: softType } = call;
    const text = call.query.get('text') ?? '';
    const objects = await reading.objectsHolding(call.space.id, softType.id, text, longestListing);
    return {
      status: 200,
      headers: { 'Cache-Control': 'no-store' },
      body: { href: call.url, data: objects.map((object) => this.describeListed(object)) },
    };
  }

  private describeListed({ spaceId, oid, softType, version, content }: StoredObject): object {
    return { href: this.needs.objects.locationOf(spaceId, oid), $oid: oid, $softType: softType, version, content };
  }
}
