import { headerNames } from '../../contract/names.ts';
import { replacing, together, type Fault } from '../faults/fault.ts';
import { Refusal } from '../problem.ts';
import { isObject } from './json.ts';

/** An integer may be spelled in any way; what is none does not equal the version of the server, hence 409. */
export const looseVersions: Fault = replacing('versionHeaderOf', (right) => (service, call) => {
  const text = call.headers[headerNames.version.toLowerCase()];
  if (text === undefined) return right(service, call);
  const version = Number(text.replace(/^"(.*)"$/, '$1'));
  if (Number.isInteger(version)) return version;
  throw new Refusal(409, `The object is not at version ${text}.`);
});

/** A write that changes nothing makes no version, as far as that shows without a second look. */
export const noVersionForNothing: Fault = together(
  replacing(
    'versionAfterMerge',
    (right) => (service, object, body) => (holds(object.content, body) ? object.version : right(service, object, body)),
  ),
  replacing(
    'versionAfterOperations',
    (right) => (service, object, operations) =>
      operations.length === 0 ? object.version : right(service, object, operations),
  ),
);

function holds(content: Readonly<Record<string, unknown>>, body: unknown): boolean {
  return (
    isObject(body) &&
    Object.entries(body).every(([name, value]) => typeof value !== 'object' && content[name] === value)
  );
}

/** DELETE asks for the version as PUT does. */
export const versionForDelete: Fault = replacing('assertVersionWhenGiven', () => (service, call, object) => {
  service.behaviours.assertVersion(service, call, object);
});
