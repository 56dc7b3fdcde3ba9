import { headerNames } from '../contract/names.ts';
import { Refusal } from './problem.ts';
import type { Call, Service } from './service.ts';
import type { StoredObject } from './store/store.ts';

const versionHeader = headerNames.version.toLowerCase();
const integer = /^-?(?:0|[1-9]\d*)$/;

/** Version of an object that was just created. Source: core, Versioning 2. */
export function firstVersion(): number {
  return 1;
}

/** Version after one more accepted write. Source: core, Versioning 2. */
export function nextVersion(version: number): number {
  return version + 1;
}

/** Version after a merge PATCH, whatever its body names. */
export function versionAfterMerge(service: Service, object: StoredObject, _body: unknown): number {
  return service.behaviours.nextVersion(object.version);
}

/** Version after a PUT. */
export function versionAfterPut(service: Service, object: StoredObject): number {
  return service.behaviours.nextVersion(object.version);
}

/** Version after an operations PATCH, however many operations it lists. */
export function versionAfterOperations(
  service: Service,
  object: StoredObject,
  _operations: readonly unknown[],
): number {
  return service.behaviours.nextVersion(object.version);
}

/**
 * The integer in the version header. A minus sign makes it no less an integer, only one that no object has.
 * Source: core, Common request headers. @throws {Refusal} 412 absent, 400 any other spelling
 */
export function versionHeaderOf(_service: Service, call: Call): number {
  const text = call.headers[versionHeader];
  if (text === undefined) {
    throw new Refusal(412, `${headerNames.version} is missing: send the version that was read last.`, {
      pointer: headerNames.version,
    });
  }
  if (!integer.test(text)) {
    throw new Refusal(
      400,
      `${headerNames.version} takes decimal digits without sign, leading zero or quotes; found '${text}'.`,
      {
        pointer: headerNames.version,
      },
    );
  }
  return Number(text);
}

/** Whether the version sent is that of the object. Source: core, Versioning 3. */
export function sameVersion(sent: number, current: number): boolean {
  return sent === current;
}

/**
 * The version of the object, when the request names it. Source: core, Errors 1 and 2.
 * @throws {Refusal} 412 absent, 400 unreadable, 409 another version
 */
export function assertVersion(service: Service, call: Call, object: StoredObject): number {
  const sent = service.behaviours.versionHeaderOf(service, call);
  if (service.behaviours.sameVersion(sent, object.version)) return object.version;
  throw new Refusal(
    409,
    `The object is at version ${object.version}, the request was made for ${sent}: read it again and start over.`,
    {
      pointer: headerNames.version,
    },
  );
}

/** As assertVersion, for a request that may leave the header out. */
export function assertVersionWhenGiven(service: Service, call: Call, object: StoredObject): void {
  if (call.headers[versionHeader] !== undefined) service.behaviours.assertVersion(service, call, object);
}

export const versioningBehaviours = {
  firstVersion,
  nextVersion,
  versionAfterMerge,
  versionAfterPut,
  versionAfterOperations,
  versionHeaderOf,
  sameVersion,
  assertVersion,
  assertVersionWhenGiven,
};
