import { entriesPerPage } from '../../contract/limits.ts';
import { entriesOf as readEntries, entriesOfPage, textsOf, versionOf } from '../answer.ts';
import type { Comparison } from './compare.ts';
import { comparePageLinks } from './links.ts';
import type { View } from './reads.ts';
import { entriesOf } from './state.ts';

/** Instance read and pages with the fixed filter show what it admits, each entry once; nothing is said about their order. */
export function compareFiltered(comparison: Comparison, { filtered }: View): void {
  const { context, shape, subject, where } = comparison;
  const { expect } = context;
  const [port] = shape.ports;
  if (filtered === undefined || port === undefined) return;
  const { instance, pages } = filtered;
  const admitted = entriesOf(subject.state, 0).filter((entry) => entry.admitted);
  const place = `${port.member} of ${where} with the filter`;
  expect(instance).toAnswer(200);
  expect(versionOf(instance), `version of ${where} with the filter`, instance).toEqual(subject.state.version);
  const first = sorted(textsOf(readEntries(instance, port), port));
  expect(first.length, `entries of ${place}`, instance).toEqual(Math.min(entriesPerPage, admitted.length));
  comparePageLinks(comparison, instance, port, admitted.length);
  const paged = pages.map((page) => {
    expect(page).toAnswer(200);
    return textsOf(entriesOfPage(page), port);
  });
  if (pages.length > 0) expect(sorted(paged[0] ?? []), `page 0 of ${place}`, pages[0]).toEqual(first);
  const all = pages.length > 0 ? paged.flat() : first;
  expect(sorted(all), `texts of ${place}, all pages`, pages.at(-1) ?? instance).toEqual(
    sorted(admitted.map(({ text }) => text)),
  );
}

function sorted(texts: readonly unknown[]): readonly string[] {
  return texts.map((text) => (typeof text === 'string' ? text : '')).sort();
}
