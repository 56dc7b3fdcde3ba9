import { commandLines, type Environment, environments } from './environments.ts';
import { addresses, files, granted, plain, places, wrongTypes } from './profiles.ts';
import { spoilers } from './spoilers.ts';
import { bodies, captive, answer, redirects, type Wire, wires, yesMen } from './wires.ts';

/** What listens: a wire that says the same to everybody, the right server behind somebody who spoils each n-th answer, one with a fault. */
export type Target =
  | { readonly kind: 'wire'; readonly wire: Wire; readonly tls?: 'unknown' | 'over' | 'other-name' }
  | { readonly kind: 'spoiled'; readonly spoiler: string; readonly every: number }
  | { readonly kind: 'faulty'; readonly fault: string }
  | { readonly kind: 'none' };

/** Something that no run may call green. */
export interface Hostile extends Environment {
  readonly name: string;
  readonly target: Target;
  /** Text of the profile with `{{url}}` in it, or a path; that of the server itself unless given. */
  readonly profile?: { readonly text: string | Buffer } | { readonly at: string };
  readonly command: 'check' | 'doctor' | 'init' | 'traffic' | 'check-extension';
  /** More for the command line. */
  readonly args?: readonly string[];
}

const text = (profile: object): { readonly text: string } => ({ text: JSON.stringify(profile) });
const wired = (wire: Wire): Target => ({ kind: 'wire', wire });
const faulty: Target = { kind: 'faulty', fault: 'caching.match.status-304' };
const few = ['--rules', 'caching.*'];

function entries<T>(all: Readonly<Record<string, T>>): readonly (readonly [string, T])[] {
  return Object.entries(all);
}

/** Every n-th, so that a kind has a share in what costs more. */
function each<T>(all: readonly T[], step: number, from = 0): readonly T[] {
  return all.filter((_item, index) => index % step === from);
}

const spoiled = entries(spoilers).flatMap(([spoiler]) =>
  [1, 2, 7].map((every): Hostile => ({
    name: `spoiled: ${spoiler}, each ${every}.`,
    target: { kind: 'spoiled', spoiler, every },
    command: 'check',
    args: ['--rules', 'reading.*', 'paging.*', 'headers.*', 'versioning.*'],
  })),
);

const listening = [
  ...entries(wires).map(([name, wire]) => [`wire: ${name}`, wire] as const),
  ...entries(captive).map(([name, wire]) => [`portal: ${name}`, wire] as const),
  ...entries(redirects).map(([name, wire]) => [`redirect: ${name}`, wire] as const),
  ...entries(yesMen).map(([name, wire]) => [`body: ${name}`, wire] as const),
];

/** Other commands meet a share of the same. */
const otherCommands = (['doctor', 'init', 'traffic', 'check-extension'] as const).flatMap((command, index) =>
  each(listening, 16, index * 3).map(([name, wire]): Hostile => ({
    name: `${command}, ${name}`,
    target: wired(wire),
    profile: text(plain),
    command,
  })),
);

const grants = entries(bodies).map(([name, body]): Hostile => ({
  name: `grant: ${name}`,
  target: wired([answer(200, body.replace('{', '{"access_token":"a.b.c",'))]),
  profile: text(granted),
  command: 'check',
}));

const certificates = (['unknown', 'over', 'other-name'] as const).map((tls): Hostile => ({
  name: `certificate: ${tls}`,
  target: { kind: 'wire', wire: [answer(200, '{}')], tls },
  profile: text(plain),
  command: 'check',
}));

const profiles = [...entries(wrongTypes), ...entries(files), ...entries(addresses)].map(([name, content]): Hostile => ({
  name: `profile: ${name}`,
  target: wired([answer(404, '{}')]),
  profile: { text: content },
  command: 'check',
}));

/** All of it. */
export const corpus: readonly Hostile[] = [
  ...listening.map(([name, wire]): Hostile => ({ name, target: wired(wire), profile: text(plain), command: 'check' })),
  ...otherCommands,
  ...grants,
  ...certificates,
  ...spoiled,
  ...profiles,
  ...places.map((at): Hostile => ({
    name: `place: ${at.slice(0, 60)}`,
    target: { kind: 'none' },
    profile: { at },
    command: 'check',
  })),
  ...entries(environments).map(([name, environment]): Hostile => ({
    name: `environment: ${name}`,
    target: faulty,
    command: 'check',
    ...environment,
    args: [...few, ...(environment.args ?? [])],
  })),
  ...entries(commandLines).map(([name, args]): Hostile => ({
    name: `command line: ${name}`,
    target: faulty,
    command: 'check',
    args: [...few, ...args],
  })),
];
