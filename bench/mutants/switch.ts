/** What the instrumenter's code reads and writes: one object of the process. */
interface Switchboard {
  /** Id of the mutant that is switched on. */
  activeMutant?: string;
  /** In whose name what runs is noted. */
  currentTestId?: string | undefined;
  mutantCoverage?: {
    readonly static: Readonly<Record<string, number>>;
    readonly perTest: Record<string, Readonly<Record<string, number>>>;
  };
}

/** The variable by which a mutant is switched on before the first module is loaded. */
export const activeMutantVariable = '__STRYKER_ACTIVE_MUTANT__';

const board = (globalThis as unknown as { __stryker__?: Switchboard }).__stryker__ ?? {};
Object.assign(globalThis, { __stryker__: board });

/** Switches that mutant on and any other off; none unless given. The one that the process was started with stays. */
export function switchOn(mutant: string | undefined): void {
  if (process.env[activeMutantVariable] !== undefined) return;
  if (mutant === undefined) delete board.activeMutant;
  else board.activeMutant = mutant;
}

/** In nobody's name, as what runs while modules are loaded. */
export const atLoading = '';

/** Notes from here on what runs in that name. */
export function noteFor(name: string): void {
  board.currentTestId = name;
}

/** Ids of the mutants whose place ran in that name. */
export function ranFor(name: string): readonly string[] {
  return Object.keys(board.mutantCoverage?.perTest[name] ?? {});
}

/** Ids of those whose place ran while modules were loaded. */
export function ranAtLoading(): readonly string[] {
  return Object.keys(board.mutantCoverage?.static ?? {});
}
