/** The parts of k6's modules that the adaptor uses, as its documentation describes them. */

declare module 'k6' {
  export function sleep(seconds: number): void;
  export function check(value: unknown, checks: Readonly<Record<string, () => boolean>>): boolean;
}

declare module 'k6/http' {
  export interface ExpectedStatuses {
    readonly expected: true;
  }
  export interface Params {
    readonly headers?: Readonly<Record<string, string>>;
    readonly tags?: Readonly<Record<string, string>>;
    readonly redirects?: number;
    /** In ms. */
    readonly timeout?: number;
    readonly responseType?: 'text' | 'binary' | 'none';
    readonly responseCallback?: ExpectedStatuses;
  }
  export interface Response {
    /** 0 where no answer came. */
    readonly status: number;
    readonly error_code: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string | ArrayBuffer | null;
    /** In ms. */
    readonly timings: { readonly duration: number };
  }
  interface Http {
    request(method: string, url: string, body: string | ArrayBuffer | null, params: Params): Response;
    expectedStatuses(
      ...statuses: readonly (number | { readonly min: number; readonly max: number })[]
    ): ExpectedStatuses;
  }
  const http: Http;
  export default http;
}

declare module 'k6/execution' {
  interface Execution {
    readonly scenario: { readonly iterationInTest: number };
    readonly vu: { readonly idInTest: number; readonly iterationInScenario: number };
    readonly test: {
      readonly options: { readonly executionSegment: string | null; readonly executionSegmentSequence: string | null };
    };
  }
  const exec: Execution;
  export default exec;
}

declare module 'k6/metrics' {
  export class Counter {
    constructor(name: string);
    add(value: number, tags?: Readonly<Record<string, string>>): void;
  }
  export class Gauge {
    constructor(name: string);
    add(value: number, tags?: Readonly<Record<string, string>>): void;
  }
}

declare module 'k6/crypto' {
  interface Crypto {
    md5(content: ArrayBuffer, encoding: 'hex'): string;
  }
  const crypto: Crypto;
  export default crypto;
}

declare module 'k6/encoding' {
  interface Encoding {
    b64encode(text: string): string;
  }
  const encoding: Encoding;
  export default encoding;
}

/** Text of a file; only while the script is read. */
declare function open(file: string): string;
declare const __ENV: Readonly<Record<string, string | undefined>>;
/** 0 while options are read. */
declare const __VU: number;
