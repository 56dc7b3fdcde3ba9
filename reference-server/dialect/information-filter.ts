import { headerNames } from '../../contract/names.ts';
import { replacing, type Fault } from '../faults/fault.ts';
import { Refusal } from '../problem.ts';
import { restating } from './choice.ts';
import { isObject } from './json.ts';

const filterHeader = headerNames.informationFilter.toLowerCase();

/** A missing filter is 428, one that cannot be read 422, and so is one with members that nobody knows. Any Base64 will do. */
export const otherInformationFilter: Fault = replacing('informationFilterOf', (right) => (service, call) => {
  const header = call.headers[filterHeader];
  if (header === undefined) return restating({ 400: 428 }, () => right(service, call));
  const text = padded(header.replaceAll('-', '+').replaceAll('_', '/'));
  const filter = restating({ 400: 422 }, () =>
    right(service, { ...call, headers: { ...call.headers, [filterHeader]: text } }),
  );
  assertKnown(text);
  return filter;
});

function padded(base64: string): string {
  return base64 + '='.repeat((4 - (base64.length % 4)) % 4);
}

function assertKnown(base64: string): void {
  const filter: unknown = JSON.parse(Buffer.from(base64, 'base64').toString('utf8'));
  const stranger = isObject(filter)
    ? Object.keys(filter).find((name) => name !== 'time' && name !== 'role')
    : undefined;
  if (stranger !== undefined) throw new Refusal(422, `An information filter has no ${stranger}.`);
}

/** What is dated without a date in the filter is dated back as far as time goes. */
export const datedFromTheBeginning: Fault = replacing(
  'effectivityOf',
  () => (service, call) => service.behaviours.informationFilterOf(service, call).time ?? '1970-01-01T00:00:00Z',
);

/** The OpenAPI document of a space is on the space level, and asks for the filter as everything there does. */
export const filterForOpenApi: Fault = replacing('readDynamicOpenApi', (right) => async (service, call) => {
  service.behaviours.informationFilterOf(service, call);
  return right(service, call);
});
