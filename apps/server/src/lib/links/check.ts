import type { LinkSettingsInput, WrittenBytes } from '@thingwright/contracts/links.contract'
import { PatternError, patternOrProblem } from '../patterns/pattern.ts'
import { pathSteps } from './register-packet.ts'
import { bytesOf } from './written-bytes.ts'

/** One thing about link settings that the schema cannot see; `code` is an error code with the prefix `link.` or `pattern.`. */
export interface LinkProblem {
  path: string
  code: string
  params?: Record<string, unknown>
}

/**
 * What keeps settings from being used; empty: nothing.
 * @param range ports that products may claim
 */
export function linkProblems(settings: LinkSettingsInput, range: { from: number; to: number }): LinkProblem[] {
  const { register, heartbeat, framing, port, maxFrameBytes = 8_192 } = settings
  const problems: LinkProblem[] = []
  const add = (path: string, code: string, params?: Record<string, unknown>) =>
    problems.push({ path, code: code.includes('.') ? code : `link.${code}`, ...(params ? { params } : {}) })
  const checkBytes = (path: string, bytes: WrittenBytes | null | undefined) => {
    if (bytes && !bytesOf(bytes)) add(`${path}.value`, 'hex_invalid')
  }
  if (register?.end === 'length' && register.length === undefined) add('register.length', 'required')
  if (register?.kind === 'regex') {
    const reason = patternProblem(register.pattern)
    if (reason !== null) add('register.pattern', reason.code, reason.params)
  }
  if (register?.kind === 'json') {
    if (register.path === undefined) add('register.path', 'required')
    else if (pathSteps(register.path) === null) add('register.path', 'path_invalid')
  }
  checkBytes('heartbeat.packet', heartbeat?.packet)
  checkBytes('heartbeat.reply', heartbeat?.reply)
  if (framing?.kind === 'delimiter') checkBytes('framing.delimiter', framing.delimiter)
  if (framing?.kind === 'fixed' && framing.length > maxFrameBytes) add('framing.length', 'longer_than_frame')
  if (framing?.kind === 'length' && framing.offset + framing.bytes > maxFrameBytes)
    add('framing.offset', 'longer_than_frame')
  if (port?.mode === 'own' && port.number != null && !(port.number >= range.from && port.number <= range.to))
    add('port.number', 'port_out_of_range', { ...range })
  return problems
}

function patternProblem(pattern: string | undefined): { code: string; params?: Record<string, unknown> } | null {
  if (pattern === undefined) return { code: 'required' }
  const found = patternOrProblem(pattern)
  if (found instanceof PatternError) return { code: `pattern.${found.problem}`, params: { part: found.part } }
  return found.groups === 0 ? { code: 'pattern_group' } : null
}
