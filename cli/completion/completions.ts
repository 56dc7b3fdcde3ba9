import type { Argument, Command, Option } from 'commander';
import { areas } from '../../contract/areas.ts';
import { classNames } from '../../contract/classes.ts';
import { permissionNames } from '../../contract/names.ts';
import { cassetteFormats, reportFormats, shellNames, topicNames, trafficReportFormats } from '../options.ts';
import { listedRules } from '../rule-list.ts';
import {
  areaList,
  classList,
  levelList,
  levels,
  permissionList,
  reportFormat,
  reportList,
  ruleId,
  ruleIdList,
  rulePatternList,
  shellName,
  trafficReportList,
} from '../values.ts';

/** A command, and what may stand behind it. */
export interface Line {
  /** Words of the command behind the name of the program; none for the program itself. */
  readonly line: string;
  readonly below: readonly Described[];
  readonly flags: readonly (Described & { readonly takes?: Taken })[];
  /** What its arguments are, in their order; the last one may come again and again. */
  readonly takes: readonly Taken[];
}

export interface Described {
  readonly name: string;
  readonly description: string;
}

/** What may stand as a value. */
export interface Taken {
  /** `named` offers the names, `reports` a name and then a file; `free` is for the user alone to know. */
  readonly kind: 'named' | 'reports' | 'files' | 'folders' | 'free';
  readonly names?: readonly string[];
  /** Several of them, with commas between. */
  readonly isList?: true;
  /** Each further word is one as well. */
  readonly isVariadic?: true;
}

type Reader = Option['parseArg'];

const rules = named(listedRules.map(({ id }) => id));

/** What the readers of values take, where that can be listed. */
const takenByReader: ReadonlyMap<unknown, Taken> = new Map<unknown, Taken>([
  [areaList, { ...named(areas), isList: true }],
  [classList, { ...named(classNames), isList: true }],
  [levelList, { ...named(levels), isList: true }],
  [permissionList, { ...named(permissionNames), isList: true }],
  [ruleId, rules],
  [ruleIdList, { ...rules, isList: true }],
  [rulePatternList, { ...rules, isList: true }],
  [reportFormat, named([...reportFormats, ...cassetteFormats])],
  [reportList, { kind: 'reports', names: reportFormats }],
  [trafficReportList, { kind: 'reports', names: trafficReportFormats }],
  [shellName, named(shellNames)],
]);

/** What a shell offers, command by command. */
export function linesOf(program: Command): readonly Line[] {
  return linesBelow(program, '');
}

function linesBelow(command: Command, line: string): readonly Line[] {
  const further = command.commands.flatMap((below) => linesBelow(below, `${line} ${below.name()}`.trim()));
  const own = command.options.filter(({ hidden }) => !hidden);
  return [
    {
      line,
      below: command.commands.map((below) => ({ name: below.name(), description: below.description() })),
      flags: [...own.map(flagOf), { name: '--help', description: 'display help for command' }],
      takes: command.registeredArguments.map((argument) => takenBy(argument, argument.name())),
    },
    ...further,
  ];
}

function flagOf(option: Option): Line['flags'][number] {
  const { long, short, description, required, optional } = option;
  const told = { name: long ?? short ?? '', description };
  return required || optional
    ? { ...told, takes: takenBy(option, /[<[](.*?)(?:\.{3})?[\]>]/.exec(option.flags)?.[1] ?? '') }
    : told;
}

/** By its choices, by what reads it, else by the word that stands for it. */
function takenBy(taker: Option | Argument, word: string): Taken {
  const { argChoices, parseArg, variadic } = taker;
  const taken =
    argChoices === undefined ? (takenByReader.get(parseArg as Reader) ?? takenByWord(word)) : named(argChoices);
  return variadic ? { ...taken, isVariadic: true } : taken;
}

function named(names: readonly string[]): Taken {
  return { kind: 'named', names };
}

function takenByWord(word: string): Taken {
  if (word === 'topic') return named(topicNames);
  if (/^(?:files?|path|profile|before|after|report|profile-or-url)$/.test(word)) return { kind: 'files' };
  return { kind: word === 'dir' ? 'folders' : 'free' };
}
