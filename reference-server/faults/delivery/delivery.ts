import type { FaultsOf } from '../fault.ts';
import { rateFaults } from './rate.ts';
import { retryFaults } from './retries.ts';
import { validationFaults } from './validation.ts';

export const deliveryFaults: FaultsOf<'delivery'> = { ...retryFaults, ...validationFaults, ...rateFaults };
