import type { CommandView } from '@thingwright/contracts/commands.contract'
import { LONGEST_TIMEOUT_MS } from '@thingwright/contracts/commands.words'
import type { Body } from '../../../lib/api-client.ts'
import type { StatusKind } from '../../../ui/status-tag.tsx'

export type CommandState = CommandView['state']

const FINAL: ReadonlySet<CommandState> = new Set([
  'succeeded',
  'rejected',
  'timed_out',
  'expired',
  'failed',
  'cancelled',
])

/** Nothing more will happen to the command. */
export const isFinal = (state: CommandState) => FINAL.has(state)

/** The sign beside a state's word. */
export function kindOfState(state: CommandState): StatusKind {
  switch (state) {
    case 'succeeded':
      return 'success'
    case 'queued':
      return 'neutral'
    case 'sent':
    case 'delivered':
      return 'processing'
    case 'timed_out':
    case 'expired':
      return 'warning'
    case 'cancelled':
      return 'disabled'
    default:
      return 'error'
  }
}

export interface CommandStep {
  key: 'created' | 'sent' | 'delivered' | 'finished'
  at: string | null
}

/** The way of a command so far; steps it never took have no time, and a finished one skips what it did not reach. */
export function stepsOf(command: CommandView): CommandStep[] {
  const steps: CommandStep[] = [
    { key: 'created', at: command.createdAt },
    { key: 'sent', at: command.sentAt },
    { key: 'delivered', at: command.deliveredAt },
    { key: 'finished', at: command.finishedAt },
  ]
  return isFinal(command.state) ? steps.filter(step => step.at !== null) : steps
}

/** A newer view of a command replaces an older one; an older that arrives late changes nothing. */
export function newer(known: CommandView | undefined, next: CommandView): CommandView {
  if (!known) return next
  if (isFinal(known.state) && !isFinal(next.state)) return known
  return rank(next) >= rank(known) ? next : known
}

const RANK: Record<string, number> = { queued: 0, sent: 1, delivered: 2 }
/** A command may be sent again after a lost session: the attempt counts first. */
const rank = (command: CommandView) => command.attempt * 10 + (isFinal(command.state) ? 9 : (RANK[command.state] ?? 0))

/** Codes of the platform itself, which have words in the locale files; other codes are the device's own. */
const OWN_CODES: ReadonlySet<string> = new Set([
  'superseded',
  'cancelled',
  'device_recycled',
  'expired',
  'no_reply',
  'not_read_back',
  'connection_lost',
  'interlocked',
  'not_encodable',
  'script_error',
  'script_timeout',
  'script_memory',
])

/** The request that does once more what a command did; its expiry and place are new. */
export function repeatOf(command: CommandView): Body<'commands.create'> {
  const { kind, identifier, params, template, confirm, timeoutMs, lora } = command
  if (kind === 'firmware') throw new Error('a notice of firmware is sent by its campaign alone')
  const way = lora ? { lora: { ...(lora.port === null ? {} : { port: lora.port }), confirmed: lora.confirmed } } : {}
  if (template) return { kind: 'template', templateId: template.id, params: template.params, ...way }
  // A frame that might wait for weeks was waited for as long.
  const options = {
    timeoutMs: Math.min(timeoutMs, LONGEST_TIMEOUT_MS),
    ...way,
    ...(confirm === 'auto' ? {} : { confirm }),
  }
  if (kind === 'raw') return { kind, payload: { hex: String(params.hex ?? '') }, ...options }
  return { kind, ...(identifier === null ? {} : { identifier }), params, ...options }
}

/** Why a command did not succeed, in words: the device's message with its code, or what the platform did. Empty: it says nothing. */
export function reasonOf(command: Pick<CommandView, 'errorCode' | 'errorMessage'>, t: (key: string) => string): string {
  const { errorCode, errorMessage } = command
  const code = errorCode === null ? '' : OWN_CODES.has(errorCode) ? t(`commandReason.${errorCode}`) : errorCode
  return errorMessage ? (code ? `${errorMessage} (${code})` : errorMessage) : code
}
