import type { ExtensionHostProfile } from '../../contract/profile/extension-host.ts';
import type { TaskSample } from './host.ts';
import type { HostRecord } from './records.ts';
import { isObject } from '../json.ts';

type Payload = Readonly<Record<string, unknown>>;

export interface PayloadParts {
  readonly samples: NonNullable<ExtensionHostProfile['samples']>;
  readonly spaceId: string;
  readonly informationFilter: string;
  readonly unique: (prefix?: string) => string;
  /** Those that the host can read, by their id; any unless given. */
  readonly objects?: Readonly<Record<string, unknown>> | undefined;
}

/** Id of an object that the host can read: what it does about one that is not there is not said. */
export function readableObject({ objects = {}, unique }: Pick<PayloadParts, 'objects' | 'unique'>): string {
  return Object.keys(objects)[0] ?? unique('object');
}

/** A payload of the type of the record, but for tasks: a sample that works where there is one. Source: extensions, Payloads by extension type */
export function payloadFor({ type, id }: HostRecord, parts: PayloadParts): Payload {
  const { samples, spaceId, unique } = parts;
  switch (type) {
    case 'ExternalEvent':
      return {
        contentPayload: (isFor(samples.eventRecord, id) ? samples.event : undefined) ?? { text: unique('event') },
        id: unique('event'),
        spaceId,
      };
    case 'ExternalValidation':
      return { objectId: readableObject(parts), spaceId, ...samples.validation?.valid };
    case 'Email':
      return {
        to: 'to@example.org',
        from: 'from@example.org',
        subject: unique('subject'),
        body: 'Text',
        ...(isFor(samples.emailRecord, id) && samples.email),
      };
    case 'ExternalAction':
      return actionPayload(
        parts,
        isFor(samples.action?.success?.record, id) ? samples.action?.success?.payload : undefined,
      );
    case 'ExternalTask':
      return {};
  }
}

/** The payload of an action: that of the sample, which alone decides what is selected, else a form action on an object. Where it names no route, that is one for what is selected. */
export function actionPayload(parts: PayloadParts, sample?: Payload): Payload {
  const usual = anAction(parts);
  if (sample === undefined) return usual;
  const { objectId: _objectId, svcUOIVersion: _version, requestedRoute: _route, httpVerb: _verb, ...common } = usual;
  return { ...common, ...(!isRibbon(sample) && formOn(sample, parts)), ...sample };
}

/** Creates where nothing is selected; an array is a batch. Source: extensions, Payloads, Action content payload */
function formOn({ objectId, spaceId, httpVerb, contentPayload }: Payload, parts: PayloadParts): Payload {
  const space = `/api/space/${typeof spaceId === 'string' ? spaceId : parts.spaceId}`;
  if (Array.isArray(contentPayload)) return { requestedRoute: `${space}/batch`, httpVerb: 'POST' };
  const route = `${space}/softtype/definition/schema`;
  const isCreation = httpVerb === 'POST' || (httpVerb === undefined && objectId === undefined);
  if (isCreation) return { requestedRoute: route, httpVerb: 'POST' };
  const edited = typeof objectId === 'string' ? objectId : readableObject(parts);
  return { requestedRoute: `${route}/${encodeURIComponent(edited)}`, httpVerb: 'PATCH', svcUOIVersion: 1 };
}

/** Form actions alone stand for a route. Source: extensions, Payloads, Action content payload */
export function isRibbon({ contentPayload }: Payload): boolean {
  return isObject(contentPayload) && ('selectedObject' in contentPayload || 'contextObject' in contentPayload);
}

/** A form action on an object. */
function anAction(parts: PayloadParts): Payload {
  const { spaceId, informationFilter } = parts;
  const objectId = readableObject(parts);
  return {
    objectId,
    spaceId,
    requestedRoute: `/api/space/${spaceId}/softtype/definition/schema/${objectId}`,
    httpVerb: 'PATCH',
    informationFilter,
    svcUOIVersion: 1,
    contentPayload: {},
    email: 'editor@example.org',
  };
}

function isFor(sampleRecord: string | undefined, id: string): boolean {
  return sampleRecord === undefined || sampleRecord === id;
}

/** Bytes of the input of a sample. */
export function inputOf(sample: TaskSample | undefined): Uint8Array {
  if (sample?.inputBase64 !== undefined) return Buffer.from(sample.inputBase64, 'base64');
  return Buffer.from(sample?.input ?? 'Text of the input.');
}
