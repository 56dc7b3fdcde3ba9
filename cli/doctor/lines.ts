import type { Examination } from '../../judge/probe/examination.ts';
import type { Exchange } from '../../judge/exchange.ts';
import { cut, plain } from '../../judge/plain-text.ts';
import type { NeedFinding, NeedState } from './findings.ts';

/** Longest body of a request or an answer that is shown. */
const mostCharacters = 400;

type Redact = (text: string) => string;

/** What was tried, with request and answer where it failed; secrets are taken out. */
export function examinationLines(
  examinations: readonly Examination[],
  redact: Redact,
  quiet: boolean,
): readonly string[] {
  return examinations.flatMap(({ what, failure, exchange }) => {
    if (failure === undefined) return quiet ? [] : [`  ok      ${plain(what)}`];
    return [
      `  failed  ${plain(what)}`,
      `          ${plain(redact(failure))}`,
      ...(exchange === undefined ? [] : exchangeLines(exchange, redact)),
    ];
  });
}

function exchangeLines({ request, response, error }: Exchange, redact: Redact): readonly string[] {
  const shown = (text: string): string => cut(plain(redact(text)), mostCharacters);
  const headers = request.headers.filter(([name]) => /^(authorization|content-type|svc-)/i.test(name));
  return [
    `          > ${shown(`${request.method} ${request.url}`)}`,
    ...headers.map(([name, value]) => `          > ${shown(`${name}: ${value}`)}`),
    ...(request.body === undefined || request.body === '' ? [] : [`          > ${shown(request.body)}`]),
    ...(response === undefined ? [`          < ${shown(error ?? 'no answer')}`] : [`          < ${response.status}`]),
    ...(response === undefined || response.body === '' ? [] : [`          < ${shown(response.body)}`]),
  ];
}

const headings: readonly (readonly [NeedState, string])[] = [
  ['failed', 'Needs that fail'],
  ['missing', 'Needs that the profile does not declare'],
  ['not offered', 'Needs that are not offered'],
  ['declared', 'Needs that are declared, and were not tried here'],
  ['met', 'Needs that are met'],
];

/** Every need with its state; those without a word to say share lines. */
export function needLines(findings: readonly NeedFinding[], quiet: boolean): readonly string[] {
  return headings.flatMap(([state, heading]) => {
    const own = findings.filter((finding) => finding.state === state);
    if (own.length === 0 || (quiet && state !== 'failed')) return [];
    return [
      `${heading}: ${own.length}`,
      ...own.map(({ need, detail }) => (detail === undefined ? `  ${need}` : `  ${need.padEnd(24)} ${plain(detail)}`)),
    ];
  });
}
