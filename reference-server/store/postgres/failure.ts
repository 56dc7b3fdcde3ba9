import pg from 'pg';
import { StoreUnavailableError } from '../unavailable.ts';

/** Classes and codes of failures that pass by themselves, or when somebody looks after the server. */
const passing = /^(?:08|57P|53|25P0[34]|55P03|57014|58)/;

/** A failure of the server or of the way there. Says nothing of rows or values: what they hold may be secret. */
export function failureOf(error: unknown): Error {
  if (error instanceof StoreUnavailableError) return error;
  if (!(error instanceof pg.DatabaseError)) return unavailable(textOf(error));
  const found = `${error.code ?? 'no code'}: ${error.message}`;
  if (passing.test(error.code ?? '')) return unavailable(found);
  return new Error(`PostgreSQL refused a statement (${found}).`);
}

function unavailable(found: string): StoreUnavailableError {
  return new StoreUnavailableError(
    `Expected an answer of PostgreSQL, found ${found}. It is asked anew with the next request.`,
  );
}

/** Several addresses of one name fail together, in an error without a message of its own. */
function textOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(textOf).join('; ');
  return error instanceof Error ? error.message : String(error);
}
