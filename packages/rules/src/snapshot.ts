import type { Target } from './io.ts'
import type { Memory } from './memory.ts'

export const SNAPSHOT_FORMAT = 1

/** What an instance remembers; by the condition's own text, so that it outlives a change of the rule around it. */
export interface InstanceState {
  on: boolean
  eager: boolean
  memory: Record<string, Memory>
}

export interface RaisedState {
  alarm: string
  /** Lane time of the last effect about it. */
  toldAt: number
  count: number
}

/** What is known of one alarm-to-be: of a device, or of a whole scope. */
export interface HolderState {
  raised: RaisedState | null
  /** Lane times of the last raises, as far back as the guard looks. */
  recent: number[]
  lastRaisedAt: number | null
  /** Where it was last raised, and how often there. */
  last: { lane: number; seq: number; times: number } | null
  paused: boolean
  scheduled: { at: number; index: number; alarm: string }[]
  /** That which was seen last. */
  device: number
}

/** All that is known of a rule. */
export interface RuleState {
  id: string
  version: number
  /** Of the program; absent: never. */
  switchedOff?: number
  perScope: boolean
  /** Of the program; absent: it asks for no geofence. */
  places?: string
  instances: [device: number, state: InstanceState][]
  holders: [target: Target, state: HolderState][]
}

/** The whole memory of an engine as plain values: what JSON makes of it and back is the same. */
export interface Snapshot {
  format: typeof SNAPSHOT_FORMAT
  now: number
  stood: number
  graceUntil: number
  /** The last row or fact. */
  last: { lane: number; seq: number }
  /** The last row of each lane. */
  seqs: [lane: number, seq: number][]
  devices: {
    device: number
    presence: number
    at: number
    slots: [property: string, value: unknown, ts: number | null, at: number][]
  }[]
  rules: RuleState[]
}
