import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { pointerBelow } from '../patch/pointer.ts';

/** The first thing about a JSON value that its schema does not allow. */
export class Misfit {
  /** JSON Pointer to it. */
  readonly pointer: string;
  /** What was expected, as the end of a sentence. */
  readonly complaint: string;

  constructor(pointer: string, complaint: string) {
    this.pointer = pointer;
    this.complaint = complaint;
  }
}

export type Decoder<T> = (value: unknown) => T | Misfit;

/** Takes values for what the schema describes, when they are. Compiles the schema at its first use. @param schema describes T */
export function decoderOf<T>(schema: object): Decoder<T> {
  let fits: ValidateFunction<T> | undefined;
  return (value) => {
    // The schemas are ours: to compile the schema of schemas just to check them takes longer than all of them.
    fits ??= new Ajv({ strict: true, strictTypes: false, validateSchema: false }).compile<T>(schema);
    return fits(value) ? value : misfitOf(fits.errors?.[0]);
  };
}

function misfitOf(error: ErrorObject | undefined): Misfit {
  if (error === undefined) return new Misfit('', 'another value');
  const { instancePath, params, message = 'must be another one' } = error;
  const missing: unknown = params['missingProperty'];
  if (typeof missing === 'string') return new Misfit(pointerBelow(instancePath, missing), 'must be there');
  const extra: unknown = params['additionalProperty'];
  if (typeof extra === 'string') return new Misfit(pointerBelow(instancePath, extra), 'must not be there');
  const allowed: unknown = params['allowedValues'];
  return new Misfit(instancePath, Array.isArray(allowed) ? `must be one of ${allowed.join(', ')}` : message);
}
