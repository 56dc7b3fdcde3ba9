import { jsonOf } from '../json.ts';
import type { Headers, MissingMethod, Reply } from '../exchange.ts';
import type { WireAnswer } from './wire.ts';

const decoder = new TextDecoder();

/** An answer as cases read it; text and JSON are decoded when they are asked for. */
export function replyOf(answer: WireAnswer, url: string): ReceivedReply {
  return new ReceivedReply(answer, url);
}

class ReceivedReply implements Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly bytes: Uint8Array;
  readonly url: string;
  readonly exchange: Reply['exchange'];
  /** Set by who knows the roles. */
  missingMethod: MissingMethod | undefined;
  #text: string | undefined;
  #json: { readonly value: unknown } | undefined;

  constructor(answer: WireAnswer, url: string) {
    this.status = answer.status;
    this.headers = joined(answer.headers);
    this.bytes = answer.bytes;
    this.url = url;
    this.exchange = answer.exchange;
    this.missingMethod = undefined;
  }

  get text(): string {
    this.#text ??= decoder.decode(this.bytes);
    return this.#text;
  }

  get json(): unknown {
    this.#json ??= { value: mayBeJson(this.bytes) ? jsonOf(this.text) : undefined };
    return this.#json.value;
  }
}

/** How a JSON text begins, and the first byte of a mark of byte order before it. */
const beginnings: ReadonlySet<number> = new Set(Buffer.from('{["-0123456789tfn\xef', 'latin1'));
const blanks: ReadonlySet<number> = new Set(Buffer.from(' \t\r\n'));

/** By the first byte that is no blank: most files are told by it, and to decode a large one takes long. */
function mayBeJson(bytes: Uint8Array): boolean {
  const first = bytes.find((byte) => !blanks.has(byte));
  return first !== undefined && beginnings.has(first);
}

function joined(headers: Headers): Record<string, string> {
  const byName: Record<string, string> = Object.create(null);
  for (const [name, value] of headers) {
    const key = name.toLowerCase();
    byName[key] = key in byName ? `${byName[key]}, ${value}` : value;
  }
  return byName;
}
