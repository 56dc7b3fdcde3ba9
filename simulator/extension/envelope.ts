/** Body of a call to a registered extension, as far as it is one. Source: extensions, Call envelope */
export interface Envelope {
  readonly id?: string;
  readonly accessToken?: string;
  readonly baseAddress?: string;
  readonly informationFilter?: string;
  readonly payload?: Readonly<Record<string, unknown>>;
}

/** The documented members that have their type; undefined for anything but an object. */
export function envelopeOf(json: unknown): Envelope | undefined {
  if (!isObject(json)) return undefined;
  const texts = (['id', 'accessToken', 'baseAddress', 'informationFilter'] as const).flatMap((name) =>
    typeof json[name] === 'string' ? [[name, json[name]]] : [],
  );
  return { ...Object.fromEntries(texts), ...(isObject(json['payload']) && { payload: json['payload'] }) };
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
