// Journeys of one's own for `simulate traffic`: types alone, the program makes the load.
export type { OwnJourney } from '../simulator/traffic/own-journeys.ts';
