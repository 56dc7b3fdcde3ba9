import { Refusal } from '../problem.ts';
import type { Call, Service } from '../service.ts';

const header = 'checksum';
/** MD5 as lower-case hexadecimal without separators. Source: extensions, File routes, stream upload; ledger checksum-notation */
const md5Form = /^[0-9a-f]{32}$/;

/** What the content has to have as MD5. Source: ledger checksum-mismatch-status, chunk-checksum-enforcement. @throws {Refusal} 400 */
export function expectedChecksum(service: Service, call: Call): string | undefined {
  const given = call.headers[header];
  if (given === undefined) throw service.behaviours.missingChecksum();
  if (!md5Form.test(given)) throw service.behaviours.malformedChecksum(given);
  return given;
}

export function missingChecksum(): Refusal {
  return new Refusal(400, 'Expected the header checksum with the MD5 of the content in lower-case hex, found none.', {
    pointer: header,
  });
}

export function malformedChecksum(given: string): Refusal {
  const detail = `Expected a checksum of 32 digits in lower-case hex without separators, found ${JSON.stringify(given.slice(0, 80))}.`;
  return new Refusal(400, detail, { pointer: header });
}

/** Lets content pass that has the MD5 it should have, or of which none is known. @throws {Refusal} 400 */
export function assertChecksum(service: Service, expected: string | undefined, md5: string): void {
  if (expected === undefined || service.behaviours.checksumMatches(expected, md5)) return;
  throw new Refusal(400, `Expected content with the MD5 ${expected}, found some with ${md5}; send it again.`, {
    pointer: header,
  });
}

export function checksumMatches(expected: string, md5: string): boolean {
  return expected === md5;
}
