import type { CommandView } from '@thingwright/contracts/commands.contract'
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
