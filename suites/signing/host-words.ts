import type { HostContext } from '../../judge/host/host.ts';
import type { Reply } from '../../judge/exchange.ts';
import type { HostRecord } from '../../judge/host/records.ts';
import { isObject } from '../../judge/answer.ts';

/** Neither 401 nor 403: the signature was taken, whatever else the host says. */
export function expectAdmitted({ expect }: HostContext, reply: Reply, what: string): void {
  expect(reply.status, `status of ${what}`, reply).toSatisfy(
    'neither 401 nor 403',
    (status) => status !== 401 && status !== 403,
  );
}

/** Asserts a refusal of a request to the host, without metadata in it, and what the profile binds about its status, which is returned. */
export function expectRefused({ expect, binding }: HostContext, reply: Reply, what: string): number {
  expect(reply.status, `status of ${what}`, reply).toSatisfy('no 2xx', (status) => status < 200 || status > 299);
  expect(holdsMetadata(reply), `metadata in the answer to ${what}`, reply).toEqual(false);
  if (binding.refusalStatus !== undefined)
    expect(reply.status, `status of ${what}, as extensionHost.refusalStatus of the profile says`, reply).toEqual(
      binding.refusalStatus,
    );
  return reply.status;
}

/** That the host is well: a case that judges refusals stands on it. */
export async function assumeWell({ host, given }: HostContext): Promise<void> {
  given.succeeded(await host.metadata(), 'rightly signed metadata are served', [
    'signing.extension-host.right-signature-accepted',
  ]);
}

/** Which record, in words. */
export function callOf({ id }: HostRecord): string {
  return `a call of record ${JSON.stringify(id)}`;
}

function holdsMetadata({ json }: Reply): boolean {
  return Array.isArray(json) && json.some((item) => isObject(item) && 'extensionType' in item);
}
