import { trimmed } from '../../lib/trimmed.ts'

/**
 * What two spellings of one version have in common: a "V" before the number and blanks, line ends or NULs around it say
 * nothing of a version. `firmware_version_key` of the database says the same.
 */
export function versionKey(version: string): string {
  return trimmed(version, /[\s\0]/).replace(/^v(?=\d)/i, '')
}

/** Whether both name the same version; an unknown one is no other. */
export function isSameVersion(a: string | null, b: string | null): boolean {
  return a !== null && b !== null ? versionKey(a) === versionKey(b) : a === b
}
