import { Admission } from './areas/admission.ts';
import { ApiKeys } from './areas/api-keys.ts';
import { Auth } from './areas/auth.ts';
import { Batch, type OperationRoute, isOperationRoute } from './areas/batch.ts';
import { BulkUpload } from './areas/bulk-upload.ts';
import { Caching } from './areas/caching.ts';
import { Callees } from './areas/callees.ts';
import { Chunks } from './areas/chunks.ts';
import { Collection } from './areas/collection.ts';
import { Contents } from './areas/content.ts';
import { Deliveries } from './areas/deliveries.ts';
import { DeliveryDispatcher } from './areas/delivery-dispatcher.ts';
import { DeliveryEnds } from './areas/delivery-ends.ts';
import { DeliveryLog } from './areas/delivery-log.ts';
import { DeliveryPolicies } from './areas/delivery-policies.ts';
import { DeliveryQueue } from './areas/delivery-queue.ts';
import { Editing } from './areas/editing.ts';
import { Entries } from './areas/entries.ts';
import { TriggeredCalls } from './areas/triggered-calls.ts';
import { FileAreas } from './areas/file-areas.ts';
import { Files } from './areas/files.ts';
import { Grants } from './areas/grants.ts';
import { Hypermedia } from './areas/hypermedia.ts';
import { Instances } from './areas/instances.ts';
import { Jobs } from './areas/jobs.ts';
import { Locks } from './areas/locks.ts';
import { Maturity } from './areas/maturity.ts';
import { Messages } from './areas/messages.ts';
import { Metadata } from './areas/metadata.ts';
import { MultiCreate } from './areas/multi-create.ts';
import { Objects } from './areas/objects.ts';
import { OpenApi } from './areas/openapi.ts';
import { Operations } from './areas/operations.ts';
import { OutgoingCalls } from './areas/outgoing-calls.ts';
import { Paging } from './areas/paging.ts';
import { ReadMemory } from './areas/read-memory.ts';
import { Registrations } from './areas/registrations.ts';
import { Registry } from './areas/registry.ts';
import { Requests } from './areas/requests.ts';
import { Signing } from './areas/signing.ts';
import { Tokens } from './areas/tokens.ts';
import { Triggers } from './areas/triggers.ts';
import { ValidatedWrites } from './areas/validated-writes.ts';
import { Validation } from './areas/validation.ts';
import { Versioning } from './areas/versioning.ts';
import { Dispatcher } from './http/dispatcher.ts';
import type { Configuration } from './configuration.ts';
import type { Log } from './http/call.ts';
import type { Route } from './http/route.ts';
import type { Clock } from '../clock/clock.ts';
import type { FileStore } from './ports/file-store.ts';
import type { Outgoing } from './ports/outgoing.ts';
import type { Store } from './ports/store.ts';

/** What keeps the world out, and what every area may ask for. */
export interface Ports {
  readonly store: Store;
  readonly fileStore: FileStore;
  readonly clock: Clock;
  readonly configuration: Configuration;
  readonly log: Log;
  /** Connections to other hosts. */
  readonly outgoing: Outgoing;
  /** Where the server listens, for those configurations that name no base address. @throws {Error} before it listens */
  readonly baseAddress?: () => string;
}

/** The right classes, by the name under which others need them. */
export const rightAreas = {
  messages: Messages,
  caching: Caching,
  tokens: Tokens,
  auth: Auth,
  grants: Grants,
  collection: Collection,
  objects: Objects,
  entries: Entries,
  paging: Paging,
  memory: ReadMemory,
  contents: Contents,
  openApi: OpenApi,
  signing: Signing,
  registry: Registry,
  callees: Callees,
  requests: Requests,
  deliveryLog: DeliveryLog,
  policies: DeliveryPolicies,
  triggeredCalls: TriggeredCalls,
  jobs: Jobs,
  fileAreas: FileAreas,
  chunks: Chunks,
  versioning: Versioning,
  hypermedia: Hypermedia,
  instances: Instances,
  locks: Locks,
  admission: Admission,
  dispatcher: Dispatcher,
  batch: Batch,
  deliveryEnds: DeliveryEnds,
  files: Files,
  editing: Editing,
  operations: Operations,
  multiCreate: MultiCreate,
  queue: DeliveryQueue,
  deliveries: Deliveries,
  outgoingCalls: OutgoingCalls,
  validation: Validation,
  triggers: Triggers,
  apiKeys: ApiKeys,
  bulkUpload: BulkUpload,
  deliveryDispatcher: DeliveryDispatcher,
  maturity: Maturity,
  metadata: Metadata,
  validatedWrites: ValidatedWrites,
  registrations: Registrations,
};

/** A class for each area: the right ones, or subclasses of them. */
export type AreaClasses = typeof rightAreas;

/** The areas of one server with its ports. */
export type Areas = Ports & { readonly [Name in keyof AreaClasses]: InstanceType<AreaClasses[Name]> };

/** Adds one area after another to a record; each finds there what it needs, or does not compile. */
class Composition<Parts extends object> {
  readonly parts: Parts;

  constructor(parts: Parts) {
    this.parts = parts;
  }

  with<Name extends string, Area>(
    name: Name,
    Area: new (needs: Parts) => Area,
  ): Composition<Parts & Readonly<Record<Name, Area>>> {
    const added: Readonly<Record<string, Area>> = { [name]: new Area(this.parts) };
    return new Composition(Object.assign(this.parts, added as Readonly<Record<Name, Area>>));
  }
}

/** Builds the areas bottom-up. All of them get the same record, which is whole in the end. */
export function composeAreas(classes: AreaClasses, ports: Ports): Areas {
  return new Composition({ ...ports })
    .with('messages', classes.messages)
    .with('caching', classes.caching)
    .with('tokens', classes.tokens)
    .with('auth', classes.auth)
    .with('grants', classes.grants)
    .with('collection', classes.collection)
    .with('objects', classes.objects)
    .with('entries', classes.entries)
    .with('paging', classes.paging)
    .with('memory', classes.memory)
    .with('contents', classes.contents)
    .with('openApi', classes.openApi)
    .with('signing', classes.signing)
    .with('registry', classes.registry)
    .with('callees', classes.callees)
    .with('requests', classes.requests)
    .with('deliveryLog', classes.deliveryLog)
    .with('policies', classes.policies)
    .with('triggeredCalls', classes.triggeredCalls)
    .with('jobs', classes.jobs)
    .with('fileAreas', classes.fileAreas)
    .with('chunks', classes.chunks)
    .with('versioning', classes.versioning)
    .with('hypermedia', classes.hypermedia)
    .with('instances', classes.instances)
    .with('locks', classes.locks)
    .with('admission', classes.admission)
    .with('dispatcher', classes.dispatcher)
    .with('batch', classes.batch)
    .with('deliveryEnds', classes.deliveryEnds)
    .with('files', classes.files)
    .with('editing', classes.editing)
    .with('operations', classes.operations)
    .with('multiCreate', classes.multiCreate)
    .with('queue', classes.queue)
    .with('deliveries', classes.deliveries)
    .with('outgoingCalls', classes.outgoingCalls)
    .with('validation', classes.validation)
    .with('triggers', classes.triggers)
    .with('apiKeys', classes.apiKeys)
    .with('bulkUpload', classes.bulkUpload)
    .with('deliveryDispatcher', classes.deliveryDispatcher)
    .with('maturity', classes.maturity)
    .with('metadata', classes.metadata)
    .with('validatedWrites', classes.validatedWrites)
    .with('registrations', classes.registrations).parts;
}

/** Everything that is served, area by area. */
export function routesOf(areas: Areas): readonly Route[] {
  const operations = operationRoutes(areas);
  return [
    ...operations,
    ...areas.validatedWrites.batchRoutes(operations),
    ...areas.grants.routes(),
    ...areas.collection.routes(),
    ...areas.openApi.routes(),
    ...areas.instances.listingRoutes(),
    ...areas.registrations.routes(),
    ...areas.triggers.routes(),
    ...areas.deliveryLog.routes(),
    ...areas.files.routes(),
    ...areas.apiKeys.routes(),
    ...areas.jobs.routes(),
    ...areas.bulkUpload.routes(),
  ];
}

/** The route that is served so, and may be an operation of a batch. @throws {RangeError} there is none */
export function operationRouteOf(areas: Areas, method: Route['method'], path: string): OperationRoute {
  const found = operationRoutes(areas).find((route) => route.method === method && route.path === path);
  if (found !== undefined && isOperationRoute(found)) return found;
  throw new RangeError(`There is no ${method} of ${path}.`);
}

/** Everything that a batch may hold. Source: core, Batch rules 2 and 4; ledger batch-delete, batch-unsupported-routes */
function operationRoutes(areas: Areas): readonly Route[] {
  return [
    ...areas.instances.routes(),
    ...areas.paging.routes(),
    ...areas.editing.routes(),
    ...areas.operations.routes(),
    ...areas.maturity.routes(),
    ...areas.validatedWrites.routes(),
    ...areas.locks.routes(),
    ...areas.multiCreate.routes(),
  ];
}
