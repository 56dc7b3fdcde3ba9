import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Static } from 'typebox';
import type { Document, LineCounter } from 'yaml';
import { fitting, offsetIn } from '../../contract/misfit.ts';
import { readTextFile } from '../../contract/named-file.ts';
import { loadYaml } from '../../contract/packages.ts';
import { messageOf } from '../../contract/thrown.ts';
import type { Script } from './script.ts';
import { type ScriptedAnswer, scriptSchema } from './step.ts';

/** A script that cannot be used; the message is one sentence that names file, line and column where they are known. */
export class ScriptError extends Error {
  readonly code = 'SCRIPT';
}

const readScript = fitting<Static<typeof scriptSchema>>(scriptSchema, {}, 'the script');

/** Reads a script: YAML (or JSON) with `answers`, or a TypeScript or JavaScript module that exports `script`. @throws {ScriptError} */
export async function loadScript(file: string): Promise<Script> {
  return /\.[cm]?[jt]s$/.test(file) ? scriptIn(file) : scriptFrom(textIn(file), file);
}

/** Reads a script from its YAML text; `source` names it in errors. @throws {ScriptError} */
export function scriptFrom(text: string, source: string): Script {
  const { LineCounter, parseDocument } = loadYaml();
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const [error] = document.errors;
  if (error !== undefined) throw errorAt(source, lines, error.pos[0], `this is no YAML: ${error.message}`);
  const read = readScript(contentOf(document, source));
  if ('value' in read) return read.value.answers;
  const { path, key, sentence } = read.misfit;
  throw errorAt(source, lines, offsetIn(document, path, key), sentence);
}

async function scriptIn(file: string): Promise<Script> {
  const exported: unknown = await import(pathToFileURL(resolve(file)).href).catch((error: unknown) => {
    throw new ScriptError(`${file}: the module cannot be loaded (${messageOf(error)})`);
  });
  const script: unknown = Reflect.get(Object(exported), 'script');
  if (isFunction(script)) return script;
  if (!Array.isArray(script))
    throw new ScriptError(`${file}: expected an export "script" that is a function or an array of answers`);
  return heldAnswers(script, `${file}: in its export "script", `);
}

/** Answers that a program has made. @param where begins the sentence that says what is wrong with them @throws {ScriptError} */
export function heldAnswers(answers: readonly unknown[], where = ''): readonly ScriptedAnswer[] {
  const read = readScript({ answers });
  if ('value' in read) return read.value.answers;
  throw new ScriptError(`${where}${read.misfit.sentence}`);
}

function isFunction(value: unknown): value is Exclude<Script, readonly unknown[]> {
  return typeof value === 'function';
}

function textIn(file: string): string {
  const refusal = (why: string): Error =>
    new ScriptError(`${file}: the script cannot be read: ${why}; name an existing file`);
  return readTextFile(file, refusal);
}

/** @throws {ScriptError} aliases of aliases without end */
function contentOf(document: Document, file: string): unknown {
  try {
    return document.toJS();
  } catch (error) {
    throw new ScriptError(`${file}: this is no YAML of a script: ${messageOf(error)}`);
  }
}

function errorAt(source: string, lines: LineCounter, offset: number, sentence: string): ScriptError {
  const { line, col } = lines.linePos(offset);
  return new ScriptError(`${source}:${Math.max(1, line)}:${Math.max(1, col)}: ${sentence}`);
}
