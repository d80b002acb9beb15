import type { Ctx } from './context.ts'
import type { TenantScope } from './database/database.ts'

/** Devices that have another owner: an end user, or the company itself. */
export interface OwnerChange {
  deviceIds: readonly string[]
  /** The former owners, without the company. */
  from: readonly string[]
  /** The new owner; null: the company. */
  to: string | null
  /** The new owner with everybody above him: whoever of end users still sees the devices. */
  toPath: readonly string[]
  /** What the owners before made for these devices alone goes to the new owner instead of stopping. */
  goesAlong: boolean
  /** They belong to another company now: what members made for them stops too. */
  leaves?: boolean
}

/** Objects of a module that an end user made for devices of his: they stop when the devices are no longer his. */
export interface DependentObjects {
  kind: string
  /** In the transaction of the hand-over. @returns those that stopped */
  ownerChanged(scope: TenantScope, ctx: Ctx, change: OwnerChange): Promise<{ id: string; name: string }[]>
}
