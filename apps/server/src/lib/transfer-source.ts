import type { ErrorCode } from '@thingwright/contracts/errors'
import type { Permission } from '@thingwright/contracts/permissions'
import type { FurtherKind } from '@thingwright/contracts/transfer.words'
import type { Static, TSchema } from 'typebox'
import type { Ctx } from './context.ts'
import type { Database, TenantScope } from './database/database.ts'

/** Where in this company what a file names is; undefined: it is not here. */
export interface TransferTarget {
  /** What is done with an entry that is here already. */
  existing: 'keep' | 'replace'
  product(id: string): string | undefined
  group(id: string): string | undefined
  device(productId: string, deviceNo: string): Promise<string | undefined>
  /** What an entry of another kind of sources is here. */
  entry(kind: FurtherKind, id: string): string | undefined
}

export interface BroughtEntry {
  what: 'created' | 'replaced' | 'kept'
  /** Of the entry here; null: it is only named. */
  id: string | null
  /** What a person is to look at, although it was brought in. */
  note?: { code: ErrorCode; params: Record<string, unknown> }
}

/**
 * A kind of configuration that a module puts into the file of a company and brings in again (modules/transfer). Lines
 * have a name; those that others refer to also have the id that they have in the file.
 */
export interface TransferSource {
  kind: FurtherKind
  /** Rights that bringing it in takes, beside `company:write`: those of the routes that make the same. */
  permissions: readonly Permission[]
  line: TSchema
  pack(scope: TenantScope): Promise<readonly { name: string; id?: string }[]>
  /**
   * Brings one entry in and writes its line of the operation log, in a transaction that is kept or undone as a whole.
   * @throws AppError the entry is left out and named with the reason
   */
  bring(scope: TenantScope, ctx: Ctx, line: unknown, to: TransferTarget): Promise<BroughtEntry>
  /** The same entry, where it is here already, for kinds that refer to it and are brought in without it. */
  find?(scope: TenantScope, line: unknown): Promise<string | undefined>
}

/** A source whose lines have the type of its schema. */
export function transferSource<S extends TSchema>(
  source: Omit<TransferSource, 'line' | 'pack' | 'bring' | 'find'> & {
    line: S
    pack(scope: TenantScope): Promise<readonly (Static<S> & { name: string; id?: string })[]>
    bring(scope: TenantScope, ctx: Ctx, line: Static<S>, to: TransferTarget): Promise<BroughtEntry>
    find?(scope: TenantScope, line: Static<S>): Promise<string | undefined>
  },
): TransferSource {
  // The reader of the file checked each line against the schema.
  return source as unknown as TransferSource
}

/** A connection to another system: only its name and address go into a file, because its secrets stay at home. */
export interface ConnectionNames {
  system: ConnectedSystem
  list(scope: TenantScope): Promise<readonly { name: string; address: string }[]>
}
export type ConnectedSystem = 'chirpstack' | 'carrier' | 'telecom' | 'ezviz' | 'wechat' | 'mini-program'

/** The database as a service sees it that works in a transaction which another one began. */
export function within(database: Database, scope: TenantScope): Database {
  return { ...database, withTenant: (_ctx, work) => work(scope) }
}
