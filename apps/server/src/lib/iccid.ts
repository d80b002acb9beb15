/**
 * An ICCID as it is kept: without the blanks and hyphens between its groups, letters large, full-width signs of Chinese
 * input methods as plain ones. Whether the result is an ICCID is checked with `ICCID_PATTERN`.
 */
export const iccidOf = (written: string): string => written.normalize('NFKC').replaceAll(/[\s-]/g, '').toUpperCase()
