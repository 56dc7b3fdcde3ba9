import type { JourneyName, Mix } from './mix.ts';
import type { HttpStep, Result } from './step.ts';

/** What a journey gets back where no answer came. */
export const noAnswer: Result = { status: 0, headers: {}, body: '' };

/** Pauses between the requests of a user, drawn alike by every engine. @returns ms */
export function pausesOf(mix: Pick<Mix, 'journeys'>, name: JourneyName, random: () => number): () => number {
  const [shortest, longest] = mix.journeys[name]?.thinkMs ?? [0, 0];
  return () => (longest === 0 ? 0 : shortest + random() * (longest - shortest));
}

/** Whether a status is no error. */
export function isAcceptedStatus({ accept }: Pick<HttpStep, 'accept'>, status: number): boolean {
  return accept?.includes(status) ?? (status >= 200 && status < 300);
}
