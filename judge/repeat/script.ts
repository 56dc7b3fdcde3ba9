import { bodyPipe, isForm } from '../curl/curl.ts';
import { signatureVariable } from '../../contract/names.ts';
import { hostDirectoryName, mountedAtName } from '../curl/variables.ts';
import type { WireRequest } from '../client/wire.ts';
import { signatureCommand } from '../service/signature.ts';
import { baseVariable, type BodyTemplate, type Step } from './flow.ts';
import type { Credentials } from './credentials.ts';
import { fileScheme } from './kind.ts';
import { type Shrunk, usedBy } from './replay.ts';
import type { BodyPart, Check, Repetition, ScriptPart, ScriptStep } from './repetition.ts';
import { type Showing, spellingsOf, templatesIn } from './showing.ts';
import { type Template, variablesIn, withoutSecrets } from './template.ts';

interface Scripting {
  readonly removals: readonly Step[];
  readonly secrets: Credentials;
  /** What lets so much time pass, in ms; undefined where that is waited for. */
  readonly passOf: (ms: number) => Step | undefined;
}

export function scriptOf(
  { steps: all, showing, others }: Shrunk,
  { removals, secrets, passOf }: Scripting,
): Pick<Repetition, 'steps' | 'check' | 'afterwards'> | undefined {
  const check = checkOf(showing, secrets);
  const { steps, pauses, later } = inOnePass(all, passOf);
  const shown = [showing, ...steps.flatMap((step) => others.get(step) ?? [])].flatMap(templatesIn);
  const used = new Set([...[...steps, ...removals].flatMap(usedBy), ...shown.flatMap(variablesIn)]);
  const made = steps.map((step) => {
    const other = others.get(step);
    const found = other && checkOf(other, secrets);
    const pauseMs = pauses.get(step);
    const scripted = scriptStep(step, used, secrets);
    return (
      scripted && {
        ...scripted,
        ...(other?.kind === 'lines' && {
          found: found?.kind === 'lines' ? found : { kind: 'lines' as const, status: other.status, lines: [] },
        }),
        ...(pauseMs !== undefined && { pauseMs }),
        ...(later.has(step) && { isLater: true as const }),
      }
    );
  });
  const known = made.filter((step) => step !== undefined);
  if (check === undefined || known.length < made.length) return undefined;
  const afterwards = removals.map((step) => scriptStep(step, used, secrets)).filter((step) => step !== undefined);
  return { steps: known, check, ...(afterwards.length > 0 && { afterwards }) };
}

/** After it a token may have ended, in ms. */
const longMs = 600_000;

/** What passes between two requests passes at once, or is waited for before the second, in ms. */
function inOnePass(all: readonly Step[], passOf: Scripting['passOf']) {
  const steps: Step[] = [];
  const pauses = new Map<Step, number>();
  const later = new Set<Step>();
  let passMs = 0;
  let settlesMs = 0;
  for (const step of all) {
    const { passMs: ms } = step.sent.request;
    passMs += ms ?? 0;
    if (ms !== undefined && ms > 0) continue;
    const pass = passMs > 0 ? passOf(passMs) : undefined;
    if (pass !== undefined) steps.push(pass);
    else if (passMs > 0) pauses.set(step, passMs);
    if (settlesMs > 0) pauses.set(step, settlesMs + (pauses.get(step) ?? 0));
    if (passMs >= longMs) later.add(step);
    passMs = 0;
    settlesMs = step.sent.request.settlesMs ?? 0;
    // what was not moved goes on by itself
    if (ms === 0 && !steps.some(({ kind }) => kind === 'pass')) continue;
    steps.push(step);
  }
  return { steps, pauses, later };
}

function checkOf(showing: Showing, secrets: Credentials): Check | undefined {
  if (showing.kind !== 'lines') return showing;
  const lines = showing.lines.map((line) => withoutSecrets(line, secrets)).filter((line) => line !== undefined);
  const { expected, lacksBody: _lacksBody, isCounted: _isCounted, ...rest } = showing;
  const [wanted, alsoRight] = spellingsOf(expected).map((line) => withoutSecrets(line, secrets));
  if (lines.length === 0 && wanted === undefined && rest.sum === undefined) return undefined;
  return { ...rest, lines, ...(wanted && { expected: wanted }), ...(alsoRight && { alsoRight }) };
}

function scriptStep(step: Step, used: ReadonlySet<string>, secrets: Credentials): ScriptStep | undefined {
  const { request, exchange } = step.sent;
  const isOfFiles = step.kind === 'file' || step.kind === 'look';
  const url = withoutSecrets(isOfFiles ? placeOf(step.url) : step.url, secrets);
  const headers = step.headers.map(([name, value]) => [name, withoutSecrets(value, secrets)] as const);
  const known = headers.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
  const body = bodyOf(step, secrets);
  const isSigned = known.some(([, value]) =>
    value.some((part) => 'variable' in part && part.variable === signatureVariable),
  );
  const signature = isSigned ? signatureOf(request, step.url) : '';
  if (url === undefined || known.length < headers.length || body === undefined || signature === undefined)
    return undefined;
  return {
    ...(isOfFiles && { file: fileDeedOf(request) }),
    method: request.method,
    url,
    headers: known,
    ...body,
    ...(signature !== '' && { signature }),
    ...(request.atOnce && { atOnce: true as const }),
    ...(request.raw && { raw: true as const }),
    ...(request.isOfToken && { isOfToken: true as const }),
    ...(request.unanswered && { unanswered: true as const }),
    status: step.told?.status ?? 0,
    captures: step.captures.filter(({ variable }) => used.has(variable)),
    exchange: secrets.shown(exchange),
  };
}

/** The path of a file, as whoever plays the script sees it. */
function placeOf(url: Template): Template {
  return url.flatMap((piece): Template => {
    if ('text' in piece) return piece.text === fileScheme ? [] : [piece];
    return 'variable' in piece && piece.variable === hostDirectoryName ? [{ variable: mountedAtName }] : [piece];
  });
}

function fileDeedOf({ method, url }: WireRequest): NonNullable<ScriptStep['file']> {
  const isDirectory = url.endsWith('/');
  if (method === 'PUT') return isDirectory ? 'make' : 'write';
  if (method === 'DELETE') return 'remove';
  return isDirectory ? 'list' : 'read';
}

/** Undefined where it would be over a path that is not known before. */
function signatureOf({ signedPath }: WireRequest, url: Template): string | undefined {
  if (signedPath === undefined) return undefined;
  const query = url.findIndex((piece) => 'text' in piece && piece.text.includes('?'));
  const path = query === -1 ? url : url.slice(0, query);
  if (variablesIn(path).some((name) => name !== baseVariable)) return undefined;
  return `SIGNATURE=$(${signatureCommand(signedPath, 'EXTENSION_API_KEY')})`;
}

function bodyOf({ body, sent }: Step, secrets: Credentials): Pick<ScriptStep, 'body' | 'form'> | undefined {
  if (body.length === 0) return sent.request.body === undefined ? {} : { body: [{ parts: [{ text: '' }] }] };
  const parts = body.map((part) => bodyPart(part, secrets));
  const known = parts.filter((part) => part !== undefined);
  if (known.length === parts.length) return { body: known };
  const form = formOf(sent.request, secrets);
  return form === undefined ? undefined : { form };
}

function bodyPart(part: BodyTemplate, secrets: Credentials): BodyPart | undefined {
  if ('bytes' in part) {
    const text = Buffer.from(part.bytes).toString('latin1');
    const command = secrets.redact(text) === text ? bodyPipe(part.bytes) : undefined;
    return command === undefined ? undefined : { command };
  }
  const isLong = part.template.some((piece) => 'text' in piece && piece.text.length > longestPiece);
  if (isLong && part.template.length === 1) {
    const [piece] = part.template;
    const command = piece !== undefined && 'text' in piece ? bodyPipe(Buffer.from(piece.text)) : undefined;
    return command === undefined ? undefined : { command };
  }
  const parts = withoutSecrets(part.template, secrets);
  return parts && { parts };
}

const longestPiece = 65_536;

function formOf({ headers, body }: WireRequest, secrets: Credentials): ScriptStep['form'] | undefined {
  if (!isForm(headers) || body === undefined) return undefined;
  const fields = [...new URLSearchParams(Buffer.from(body).toString())].map(
    ([name, value]) => [name, withoutSecrets([{ text: value }], secrets)] as const,
  );
  const known = fields.flatMap(([name, value]): (readonly [string, ScriptPart[]])[] =>
    value === undefined ? [] : [[name, value]],
  );
  return known.length === fields.length ? known : undefined;
}
