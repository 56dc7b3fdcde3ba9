import type { CaseContext } from './case.ts';
import type { Exchange } from './exchange.ts';
import { isObject } from './json.ts';
import { PreconditionFailed, Undecidable, unlessRefused, Violation } from './violation.ts';

/**
 * Why a case whose remove was refused shows nothing, where it does not: from an object that lacks something mandatory anyway nothing may be
 * removed. What a service takes is complete where it takes no object without any member; elsewhere the smallest body of the profile may not be.
 */
export async function unlessIncomplete(error: unknown, context: CaseContext): Promise<unknown> {
  if (!isRefusedRemove(error)) return error;
  const empty = await unlessRefused(() => context.service.create({}));
  if (empty === undefined || empty.status >= 300) return error;
  return new Undecidable(
    'a remove is refused, which is right where the smallest body of the profile lacks a mandatory member: the service takes objects without any',
  );
}

function isRefusedRemove(error: unknown): boolean {
  if (error instanceof PreconditionFailed) return isRemove(error.reply?.exchange);
  if (!(error instanceof Violation) || error.claim?.about !== 'status') return false;
  return error.claim.expected === '2xx' && isRemove(error.reply?.exchange);
}

function isRemove(exchange: Exchange | undefined): boolean {
  const { method, body = '' } = exchange?.request ?? {};
  if (method !== 'PATCH' || (exchange?.response?.status ?? 0) < 400) return false;
  try {
    const operations: unknown = JSON.parse(body);
    return Array.isArray(operations) && operations.some((one) => isObject(one) && one['op'] === 'remove');
  } catch {
    return false;
  }
}
