/** Where something stands in a lane. */
export interface Position {
  lane: number
  /** Of what has no row of its own (a button, an outage): that of the row before it. */
  seq: number
  /** Epoch ms. Within a lane it never decreases. */
  arrived: number
}

/** What is judged, in the order of its lane. A row of the journal is judged once, however often it is given. */
export type Input = Position &
  (
    | {
        kind: 'property'
        device: number
        /** The time the values count for. */
        ts: number
        values: Readonly<Record<string, unknown>>
        /** Not trusted: a sign of life, and no more. */
        bad?: boolean
        late?: boolean
      }
    | {
        kind: 'event'
        device: number
        identifier: string
        params: Readonly<Record<string, unknown>>
        late?: boolean
      }
    | { kind: 'online' | 'offline'; device: number }
    // Facts, which are no rows of the journal.
    | { kind: 'command_failed'; device: number; command: string }
    | { kind: 'button' | 'api'; key: string; device?: number }
    /** Nothing could be taken from `from` to `arrived`: the time of the lane stood still. */
    | { kind: 'outage'; from: number; graceMs: number }
    /** Somebody cleared an alarm by hand. */
    | { kind: 'cleared'; rule: string; target: Target }
    /** Somebody lets a rule go on that had been stopped by its guard. */
    | { kind: 'resumed'; rule: string; target: Target | 'all' }
  )

/** The number of a device, or the whole scope of a rule. */
export type Target = number | 'scope'

/** What was seen when an effect came about. */
export interface Cause {
  lane: number
  seq: number
  /** When it is so, epoch ms: arrival of the row, or the moment at which a time was over. */
  at: number
  by: 'row' | 'timer' | 'rule'
  /** The device in question; of a rule about others too, the one it is judged for. */
  device: number
  /** The values that the rule looks at, as they were judged. */
  values: { device: number; property: string; value: unknown; ts: number }[]
}

interface OfAlarm {
  rule: string
  version: number
  target: Target
  /** From rule, version, target, lane and sequence: the same for the same cause, however often it is replayed. */
  alarm: string
  cause: Cause
}

export type Effect =
  | (OfAlarm & { kind: 'raised'; level: number | null })
  /** It goes on: `count` is how often it was seen since it was raised. */
  | (OfAlarm & { kind: 'repeated'; count: number })
  | (OfAlarm & { kind: 'cleared'; count: number })
  /** The action at this place of the rule's list is due. */
  | (OfAlarm & { kind: 'action'; index: number })
  /** It raised too often in too short a time and stays quiet until somebody lets it go on. */
  | (Omit<OfAlarm, 'alarm'> & { kind: 'paused' })
