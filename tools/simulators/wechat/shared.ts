export type Body = Record<string, unknown>
export type Answer = Record<string, unknown> | { picture: Buffer }

/** What the parts of the simulator have in common. */
export interface Shared {
  now(): number
  /** Ever another number. */
  serial(): number
  /** What somebody did who should have known better. */
  faults: string[]
}

export const refuse = (errcode: number, errmsg: string): Answer => ({
  errcode,
  errmsg: `${errmsg} rid: sim-${errcode}`,
})
