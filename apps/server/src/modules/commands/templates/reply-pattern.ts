import type { ReplyPattern } from '@thingwright/contracts/command-schemas'
import { AppError } from '../../../lib/errors.ts'
import { PatternError, patternOrProblem } from '../../../lib/patterns/pattern.ts'
import { endsWithChecksum } from './checksums.ts'

/** A pattern without fields: what is stored with a command. */
export type StoredPattern = ReplyPattern

/** As `ReplyMatcher` of the device path. */
export interface CompiledPattern {
  matches(frame: Buffer): boolean
  readonly carriesData: boolean
}

/**
 * Recognises a device's answer: everything the pattern says must hold. Never throws: an expression that was stored when
 * more was allowed matches nothing, so that the command ends by its time-out.
 */
export function compileReply(pattern: StoredPattern): CompiledPattern {
  const equals = pattern.equals === undefined ? null : Buffer.from(pattern.equals, 'hex')
  const prefix = pattern.prefix === undefined ? null : Buffer.from(pattern.prefix, 'hex')
  const regex = pattern.regex === undefined ? null : patternOrProblem(pattern.regex)
  const { checksum, minLength = 1, maxLength = 8192 } = pattern
  return {
    carriesData: pattern.carriesData === true,
    matches(frame) {
      if (regex instanceof PatternError || frame.length < minLength || frame.length > maxLength) return false
      if (equals && !frame.equals(equals)) return false
      if (prefix && !frame.subarray(0, prefix.length).equals(prefix)) return false
      // The dearest look is the last.
      if (checksum !== undefined && !endsWithChecksum(checksum, frame)) return false
      return regex === null || regex.test(frame)
    },
  }
}

/**
 * Whether the expression of an answer may be used, asked when it is saved and again when a command is made of it.
 * @param place the field that it was sent in
 * @throws AppError pattern.look_around, pattern.back_reference, pattern.repeats, pattern.too_large, pattern.not_readable
 */
export function assertPattern(source: string | undefined, place: string): void {
  if (source === undefined) return
  const found = patternOrProblem(source)
  if (!(found instanceof PatternError)) return
  const code = `pattern.${found.problem}` as const
  const params = { part: found.part }
  throw new AppError(code, { params, fields: { [place]: { code, params } } })
}
