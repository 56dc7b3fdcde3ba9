import { jsonOf } from '../json.ts';
import type { MissingMethod, Reply } from '../exchange.ts';
import type { WireAnswer } from './wire.ts';

const decoder = new TextDecoder();

/** An answer as cases read it; text and JSON are decoded when they are asked for. */
export function replyOf(answer: WireAnswer, url: string, missingMethod?: MissingMethod): Reply {
  return new ReceivedReply(answer, url, missingMethod);
}

class ReceivedReply implements Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly bytes: Uint8Array;
  readonly url: string;
  readonly exchange: Reply['exchange'];
  readonly missingMethod: MissingMethod | undefined;
  #text: string | undefined;
  #json: { readonly value: unknown } | undefined;

  constructor(answer: WireAnswer, url: string, missingMethod: MissingMethod | undefined) {
    this.status = answer.status;
    this.headers = joined(answer.headers);
    this.bytes = answer.bytes;
    this.url = url;
    this.exchange = answer.exchange;
    this.missingMethod = missingMethod;
  }

  get text(): string {
    this.#text ??= decoder.decode(this.bytes);
    return this.#text;
  }

  get json(): unknown {
    this.#json ??= { value: jsonOf(this.text) };
    return this.#json.value;
  }
}

function joined(headers: WireAnswer['headers']): Record<string, string> {
  const byName: Record<string, string> = Object.create(null);
  for (const [name, value] of headers) {
    const key = name.toLowerCase();
    byName[key] = key in byName ? `${byName[key]}, ${value}` : value;
  }
  return byName;
}
