/** Characters that no report may carry raw: control characters besides line feed and tab, direction marks, half surrogates. */
export const hiddenCharacters = /(?![\n\t])[\p{Cc}\p{Cs}\u200e\u200f\u2028-\u202e\u2066-\u2069]/u;
