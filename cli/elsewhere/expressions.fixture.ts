/** What an expression of GitHub Actions may read; a name that is not there is a mistake in the file. */
export interface Contexts {
  readonly inputs?: Readonly<Record<string, string>>;
  readonly secrets?: Readonly<Record<string, string>>;
  readonly steps: Readonly<Record<string, { readonly outputs: Readonly<Record<string, string>> }>>;
}

/** Those steps that the job has come to, and whether one of them failed. */
export interface Progress extends Contexts {
  readonly failed: boolean;
}

/** The text with every `${{ … }}` replaced. @throws {Error} a name that is not there, or words that are not known here */
export function filledIn(text: string, contexts: Contexts): string {
  return text.replace(/\$\{\{(.*?)\}\}/g, (_whole, expression: string) => valueOf(expression.trim(), contexts));
}

/** Whether a step runs: as its condition says, and after a failure only where that speaks of failures. */
export function applies(condition: string | undefined, progress: Progress): boolean {
  const terms = (condition ?? 'success()').replace(/^\$\{\{(.*)\}\}$/, '$1').split('&&');
  return terms.map((term) => term.trim()).every((term) => holds(term, progress));
}

function holds(term: string, progress: Progress): boolean {
  if (term === 'success()') return !progress.failed;
  if (term === '!cancelled()' || term === 'always()') return true;
  return valueOf(term, progress) !== '';
}

function valueOf(path: string, { inputs = {}, secrets = {}, steps }: Contexts): string {
  const [, root, name = '', output = ''] =
    /^(inputs|secrets|steps)\.([\w-]+)(?:\.outputs\.([\w-]+))?$/.exec(path) ?? [];
  if (root === 'inputs') return present(inputs, name, path);
  if (root === 'secrets') return present(secrets, name, path);
  if (root === 'steps') return present(present(steps, name, path).outputs, output, path);
  throw new Error(`cannot tell what \${{ ${path} }} is`);
}

function present<Value>(record: Readonly<Record<string, Value>>, name: string, path: string): Value {
  const value = record[name];
  if (value === undefined) throw new Error(`\${{ ${path} }} names nothing; there is ${Object.keys(record).join(', ')}`);
  return value;
}
