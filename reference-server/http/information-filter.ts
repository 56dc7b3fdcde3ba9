import { headerNames } from '../../contract/names.ts';
import { isRfc3339 } from '../clock/iso-time.ts';
import { Refusal } from '../problem.ts';
import type { InformationFilter } from '../service.ts';

/** Standard alphabet with padding. Source: RFC 4648 section 4 */
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const decoder = new TextDecoder('utf-8', { fatal: true });

/** The filter that the text of its header holds. @throws {Refusal} 400 */
export function informationFilterFrom(header: string): InformationFilter {
  const { time, role } = objectFrom(header);
  if (time !== undefined && !isRfc3339(time)) throw malformed('to have a time that is an RFC 3339 time');
  if (role !== undefined && typeof role !== 'string') throw malformed('to have a role that is a text');
  return { ...(time === undefined ? {} : { time }), ...(role === undefined ? {} : { role }) };
}

function objectFrom(header: string): { readonly time?: unknown; readonly role?: unknown } {
  if (header === '' || !base64.test(header)) throw malformed('to be Base64 with padding (RFC 4648 section 4)');
  const value = jsonFrom(header);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw malformed('to be a JSON object');
  return value;
}

function jsonFrom(header: string): unknown {
  try {
    return JSON.parse(decoder.decode(Buffer.from(header, 'base64')));
  } catch {
    throw malformed('to be Base64 of a JSON object in UTF-8');
  }
}

function malformed(expected: string): Refusal {
  return new Refusal(400, `Expected the information filter ${expected}.`, { pointer: headerNames.informationFilter });
}
