import type { SystemScope } from '../../lib/database/database.ts'

/** What an end user may do now: what he and everybody above him are granted, and whether one of them is closed. */
export interface EndUserStanding {
  /** Words of END_USER_RIGHTS: what the whole line above him has too. */
  rights: readonly string[]
  /** Pages of the console among those that the rights open. */
  pages: readonly string[]
  /** Devices that he may have, with those below him; null: no limit. */
  deviceLimit: number | null
  /** Frozen: he, or somebody above him. */
  frozen: boolean
  /** The first end of his and of those above him, epoch ms; null: none. */
  endsAt: number | null
}

/** Reads the standing of an end user's login; null when it is no end user's. */
export type StandingOf = (scope: Pick<SystemScope, 'run'>, loginId: string) => Promise<EndUserStanding | null>
