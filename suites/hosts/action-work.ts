import { isSuccess, type Reply } from '../../judge/exchange.ts';
import type { Arrival } from '../../judge/host/arrival.ts';
import type { HostContext } from '../../judge/host/context.ts';
import type { ActionSample, HostCall } from '../../judge/host/host.ts';
import type { Installation } from '../../judge/host/installation.ts';
import type { Edit } from '../../judge/host/played/objects.ts';
import { isRibbon } from '../../judge/host/payloads.ts';
import { isObject } from '../../judge/json.ts';

/** An action that was called. */
export interface Acted {
  readonly installation: Installation;
  readonly call: HostCall;
  readonly payload: ActionSample['payload'];
  readonly reply: Reply;
  /** What the service that the suite plays refused because of it. */
  readonly refused: Arrival | undefined;
}

/** What an action that edits its object in the place of the service says of that. That it has to go by the version it was told, and to tell the one that it made, is said of the service alone. Source: core, Errors 1 */
export async function tellOfEdits({ host, notes }: HostContext, acted: Acted): Promise<void> {
  const { installation, call, payload, reply } = acted;
  const [otherwise] = installation.arrivals({
    of: call,
    where: ({ method, path, target }) =>
      [path, target].includes(String(payload['requestedRoute'])) &&
      ![payload['httpVerb'], 'GET', 'HEAD'].includes(method),
  });
  if (otherwise !== undefined)
    notes.remark(
      `the action sent ${otherwise.method} to the route that the form requests with ${String(payload['httpVerb'])}`,
    );
  const edit = editBecauseOf(installation, call);
  if (edit === undefined || edit.isInBatch) return;
  const made = Number(edit.version) + 1;
  const told = isObject(reply.json) ? reply.json['svcUOIVersion'] : undefined;
  if (Number.isInteger(told) && told !== made)
    notes.remark(`the action tells version ${String(told)} of an object of which the service made version ${made}`);
  const { objectId, svcUOIVersion } = payload;
  const isOfObject = edit.path.endsWith(`/${encodeURIComponent(String(objectId))}`);
  if (!isOfObject || typeof svcUOIVersion !== 'number') return;
  installation.editElsewhere();
  const later = installation.call(call.record, payload);
  notes.observe('status of an action on a version that is over', (await host.call(later)).status);
  if (editBecauseOf(installation, later) !== undefined)
    notes.remark('an action on a version of its object that others edited since wrote over what they made of it');
}

/** The last edit that the service took because of a call. */
function editBecauseOf({ edits }: Installation, { envelope }: HostCall): Edit | undefined {
  return edits.filter(({ callId, seen }) => callId === envelope.id && isSuccess(seen.status)).at(-1);
}

/** Asserts the form of the result of an action. Source: extensions, Errors 4 */
export function expectResult(
  { expect, notes }: HostContext,
  reply: Reply,
  result: unknown,
  payload: ActionSample['payload'],
  what: string,
): void {
  expect(result, what, reply).toBeAnObject();
  const { statusCode, location, svcUOIVersion } = Object(result) as Readonly<Record<string, unknown>>;
  expect(statusCode, `statusCode of ${what}`, reply).toBeAnInteger();
  // it need not have made anything, nor changed anything
  const isBare = isRibbon(payload) || payload['httpVerb'] === 'GET' || payload['httpVerb'] === 'DELETE';
  const isMissing = (member: unknown): boolean => isBare && (member ?? undefined) === undefined;
  if (isMissing(location)) notes.observe('location of an action that makes nothing', 'missing');
  else expect(location, `location of ${what}`, reply).toBeAString();
  if (isMissing(svcUOIVersion)) notes.observe('svcUOIVersion of an action that makes nothing', 'missing');
  else expect(svcUOIVersion, `svcUOIVersion of ${what}`, reply).toBeAnInteger();
  // several objects are made, or other things done, by a POST as well
  const isCreation =
    payload['httpVerb'] === 'POST' && !/\/(?:batch|softtype)\/?$/i.test(String(payload['requestedRoute']));
  const isEdit = payload['httpVerb'] === 'PUT' || payload['httpVerb'] === 'PATCH';
  const isSuccess = Number(statusCode) >= 200 && Number(statusCode) < 300;
  const right = isCreation ? statusCode === 201 : isSuccess && !(isEdit && statusCode === 201);
  if (!right)
    notes.remark(
      `statusCode ${String(statusCode)} does not fit the verb ${String(payload['httpVerb'] ?? 'of the action')}`,
    );
}
