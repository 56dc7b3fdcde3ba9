import { isObject } from './envelope.ts';
import type { Entry } from './entry.ts';
import type { Step } from './step.ts';

/** The right answer for a request of its kind. Source: extensions, Calls to extensions; Errors 4 and 5 */
export function defaultAnswer(request: Entry, records: readonly unknown[]): Step {
  switch (request.kind) {
    case 'metadata':
      return { status: 200, json: records };
    case 'validation':
      return { status: 200, json: { isValid: true, message: '' } };
    case 'action':
      return { status: 200, json: actionResult(request.envelope?.payload ?? {}) };
    case 'event':
    case 'task':
    case 'email':
    case 'endpoint':
      return { status: 200 };
    case 'other':
      return { status: 404 };
  }
}

/** One result, or an array of them for a batch. */
export function actionResult(payload: Readonly<Record<string, unknown>>): object | readonly object[] {
  const { contentPayload, httpVerb, requestedRoute, svcUOIVersion } = payload;
  const version = Number.isInteger(svcUOIVersion) ? Number(svcUOIVersion) + 1 : 1;
  const one = (verb: unknown, route: unknown): object => ({
    statusCode: verb === 'POST' ? 201 : 200,
    location: typeof route === 'string' ? locationOf(verb, route) : '',
    svcUOIVersion: version,
  });
  if (!Array.isArray(contentPayload)) return one(httpVerb, requestedRoute);
  return contentPayload.map((operation: unknown) =>
    isObject(operation) ? one(operation['method'], operation['href']) : one(httpVerb, requestedRoute),
  );
}

/** What a POST makes is below its route. */
function locationOf(verb: unknown, route: string): string {
  const path = route.split('?', 1)[0] ?? '';
  return verb === 'POST' ? `${path}/made` : route;
}
