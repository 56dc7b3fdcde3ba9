import { isUtf8 } from 'node:buffer';
import type { Reply } from '../../judge/exchange.ts';
import { type Arrival, headerOf } from '../../judge/host/arrival.ts';
import type { HostContext } from '../../judge/host/context.ts';

const byteOrderMark = [0xef, 0xbb, 0xbf];

/** Some who read JSON take no byte order mark, and none may be sent. Source: RFC 8259, section 8.1 */
export function tellMark({ notes }: HostContext, reply: Reply, what: string): void {
  if (hasMark(reply)) notes.remark(`${what} begins with a byte order mark, which JSON does not`);
}

/** Who wants an object reads it by its type, if at all. Source: extensions, Errors 5; core, Common request headers, row Content-Type */
export function tellReply(context: HostContext, reply: Reply, what: string): void {
  tellMark(context, reply, what);
  if (!isUtf8(reply.bytes)) context.notes.remark(`${what} is not UTF-8, which JSON is`);
  const type = reply.headers['content-type'];
  // who says none is read by what comes
  if (typeof reply.json === 'object' && reply.json !== null && type !== undefined && !/json/i.test(type))
    context.notes.remark(`${what} is JSON that goes as ${type}`);
}

/** What goes by no type of JSON need not be read as such, and what is not UTF-8 is read as something else, if at all. Source: core, Common request headers, row Content-Type; RFC 8259, section 8.1 */
export function tellTypes({ notes }: HostContext, arrivals: readonly Arrival[]): void {
  const isJson = ({ json }: Arrival): boolean => typeof json === 'object' && json !== null;
  const typeOf = (arrival: Arrival): string => headerOf(arrival, 'content-type') ?? 'nothing';
  const all = arrivals.filter(isJson);
  const mistyped = all.find((arrival) => !/json/i.test(typeOf(arrival)));
  if (mistyped !== undefined) notes.remark(`${mistyped.method} ${mistyped.path} sends JSON as ${typeOf(mistyped)}`);
  const marked = all.find(hasMark);
  if (marked !== undefined)
    notes.remark(`${marked.method} ${marked.path} begins with a byte order mark, which JSON does not`);
  const garbled = all.find(({ bytes }) => !isUtf8(bytes));
  if (garbled !== undefined) notes.remark(`${garbled.method} ${garbled.path} sends JSON that is not UTF-8`);
}

function hasMark({ bytes }: { readonly bytes: Uint8Array }): boolean {
  return byteOrderMark.every((byte, index) => bytes[index] === byte);
}
