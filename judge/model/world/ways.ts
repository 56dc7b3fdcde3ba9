/** In what whoever takes a step may differ from another, and in what one look at an object. What stands twice is drawn twice as often. */
export const senderFactors = {
  as: ['own', 'own', 'second editor', 'personal token'],
  taken: ['plain', 'packed'],
} as const;

export const lookFactors = {
  by: ['first read and pages', 'long route', 'pages', 'linked pages', 'another schema', 'forbidden'],
  filter: ['none', 'none', 'fixed', 'by value'],
  as: [...senderFactors.as, 'reader'],
  sent: ['alone', 'alone', 'in a batch'],
  taken: senderFactors.taken,
} as const;

type Drawn<F extends Readonly<Record<string, readonly string[]>>> = { readonly [Name in keyof F]: F[Name][number] };

/** How an object is looked at behind a step. */
export type Look = Drawn<typeof lookFactors>;
/** Who sends a request of a history, and what kind of answer he takes. */
export type Sender = Pick<Look, 'as' | 'taken'>;

/** The plain look, which shows in which order entries are. */
export const firstLook: Look = { by: 'first read and pages', filter: 'none', as: 'own', sent: 'alone', taken: 'plain' };

/** Who takes a step, in words. */
export function tellSender({ as, taken }: Sender): string {
  return `${as === 'own' ? '' : ` by the ${as}`}${taken === 'plain' ? '' : ' who takes packed answers'}`;
}

/** What a look has beside its route, in words. */
export function tellLook({ filter, as, sent, taken }: Look): string {
  return [
    filter === 'none' ? '' : ` under the filter${filter === 'fixed' ? '' : ' by value'}`,
    as === 'own' ? '' : ` for the ${as}`,
    sent === 'alone' ? '' : ' in a batch',
    taken === 'plain' ? '' : ' by who takes packed answers',
  ].join('');
}
