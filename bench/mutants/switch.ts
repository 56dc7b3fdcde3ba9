import { bitOf, type Circumstance, circumstancesOf, forgetRequests } from './circumstances.ts';

/** What the instrumenter's code reads and writes: one object of the process. */
interface Switchboard {
  /** Id of the mutant that is switched on. */
  activeMutant?: string;
  /** In whose name what runs is noted. */
  currentTestId?: string | undefined;
  /** Whether the mutant that is switched on is so in what goes on now; always, unless given. */
  holds?: ((mutant: string) => boolean) | undefined;
  /** What a place is noted with, in bits. */
  bitsAt?: ((mutant: string) => number) | undefined;
  mutantCoverage?: {
    readonly static: Readonly<Record<string, number>>;
    readonly perTest: Record<string, Readonly<Record<string, number>>>;
  };
}

/** The variable by which a mutant is switched on before the first module is loaded. */
export const activeMutantVariable = '__STRYKER_ACTIVE_MUTANT__';

const board = (globalThis as unknown as { __stryker__?: Switchboard }).__stryker__ ?? {};
Object.assign(globalThis, { __stryker__: board });

/** The bit behind those of the circumstances: it ran at all. */
const ran = 1 << 30;

/** Lets a mutant be on only in that circumstance, in all that comes. */
export function limitTo(circumstance: Circumstance | undefined): void {
  const bit = circumstance === undefined ? 0 : bitOf(circumstance);
  board.holds = circumstance === undefined ? undefined : (mutant) => (circumstancesOf(mutant) & bit) !== 0;
}

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
  forgetRequests();
  board.bitsAt = name === atLoading ? undefined : (mutant) => ran | circumstancesOf(mutant);
  board.currentTestId = name;
}

/** Ids of the mutants whose place ran in that name. */
export function ranFor(name: string): readonly string[] {
  return Object.keys(board.mutantCoverage?.perTest[name] ?? {});
}

/** The same, each with the circumstances in which it did. */
export function circumstancesFor(name: string): readonly (readonly [id: string, bits: number])[] {
  return Object.entries(board.mutantCoverage?.perTest[name] ?? {}).map(([id, bits]) => [id, bits & ~ran]);
}

/** Ids of those whose place ran while modules were loaded. */
export function ranAtLoading(): readonly string[] {
  return Object.keys(board.mutantCoverage?.static ?? {});
}
