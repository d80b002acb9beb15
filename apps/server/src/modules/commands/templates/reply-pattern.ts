import type { ReplyPattern } from '@thingwright/contracts/command-schemas'
import { endsWithChecksum } from './checksums.ts'

/** A pattern without fields: what is stored with a command. */
export type StoredPattern = ReplyPattern

/** As `ReplyMatcher` of the device path. */
export interface CompiledPattern {
  matches(frame: Buffer): boolean
  readonly carriesData: boolean
}

/** Bytes that a regular expression looks at. */
const REGEX_BYTES = 256

/** Recognises a device's answer: everything the pattern says must hold. Never throws; what cannot be read matches nothing. */
export function compilePattern(pattern: StoredPattern): CompiledPattern {
  const equals = pattern.equals === undefined ? null : Buffer.from(pattern.equals, 'hex')
  const prefix = pattern.prefix === undefined ? null : Buffer.from(pattern.prefix, 'hex')
  const regex = pattern.regex === undefined || !isSafePattern(pattern.regex) ? null : new RegExp(pattern.regex)
  const unreadable = pattern.regex !== undefined && regex === null
  const { checksum, minLength = 1, maxLength = 8192 } = pattern
  return {
    carriesData: pattern.carriesData === true,
    matches(frame) {
      if (unreadable || frame.length < minLength || frame.length > maxLength) return false
      if (equals && !frame.equals(equals)) return false
      if (prefix && !frame.subarray(0, prefix.length).equals(prefix)) return false
      if (regex && !regex.test(frame.toString('latin1', 0, REGEX_BYTES))) return false
      return checksum === undefined || endsWithChecksum(checksum, frame)
    },
  }
}

/**
 * Whether a pattern from a person may run in the device path: no look-around, no back references, no repeated group that
 * repeats inside, at most two open repetitions. Over 256 bytes such a pattern ends at once.
 */
export function isSafePattern(source: string): boolean {
  if (source.length > 128 || /\(\?(?!:)|\\[1-9k]/.test(source)) return false
  const plain = source.replaceAll(/\\./g, 'a').replaceAll(/\[[^\]]*\]/g, 'a')
  if ((plain.match(/[*+]|\{\d+,\d*\}/g) ?? []).length > 2) return false
  // A group that is repeated must hold nothing repeated, and no choice.
  if (/\([^()]*[*+{|][^()]*\)\s*[*+{]/.test(plain) || /\([^()]*\([^)]*\)[^()]*\)\s*[*+{]/.test(plain)) return false
  try {
    new RegExp(source)
    return true
  } catch {
    return false
  }
}
