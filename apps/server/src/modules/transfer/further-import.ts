import type { FurtherKind } from '@thingwright/contracts/transfer.words'
import type { TenantScope } from '../../lib/database/database.ts'
import { isAppError } from '../../lib/errors.ts'
import type { TransferSource, TransferTarget } from '../../lib/transfer-source.ts'
import type { Archive } from './archive.ts'
import { ConnectionLine } from './rows.ts'
import { type ImportState, type KindCount, none } from './transfer.import.ts'
import * as repo from './transfer.repo.ts'
import { hereOf } from './trigger-import.ts'

const keyOf = (kind: FurtherKind, id: string) => `${kind}/${id}`

function targetOf(scope: TenantScope, state: ImportState): TransferTarget {
  return {
    ...hereOf(scope, state),
    existing: state.existing,
    entry: (kind, id) => state.further.get(keyOf(kind, id)),
  }
}

/** Brings in a kind of a module: an entry that the module refuses is named with its reason, and the others go on. */
export async function bringFurther(
  scope: TenantScope,
  archive: Archive,
  source: TransferSource | undefined,
  state: ImportState,
): Promise<KindCount> {
  const counts = none()
  // A process that has no module for the kind.
  if (!source) return counts
  const to = targetOf(scope, state)
  for await (const line of archive.lines(source.kind, source.line)) {
    state.onRow()
    const { name, id } = line as { name: string; id?: string }
    await repo.markEntry(scope)
    try {
      const brought = await source.bring(scope, state.ctx, line, to)
      await repo.keepEntry(scope)
      counts[brought.what]++
      if (brought.note) state.note(name, brought.note.code, brought.note.params)
      if (id !== undefined && brought.id !== null) state.further.set(keyOf(source.kind, id), brought.id)
    } catch (error) {
      if (!isAppError(error)) throw error
      await repo.undoEntry(scope)
      // What is wrong with a field says more than that something is.
      const field = Object.values(error.fields ?? {})[0]
      state.note(name, (field?.code as typeof error.code | undefined) ?? error.code, field?.params ?? error.params)
    }
  }
  return counts
}

/** Where entries of a kind that is not brought in are already, for kinds that refer to them. */
export async function findFurther(
  scope: TenantScope,
  archive: Archive,
  source: TransferSource,
  state: ImportState,
): Promise<void> {
  if (!source.find) return
  for await (const line of archive.lines(source.kind, source.line)) {
    const { id } = line as { id?: string }
    const found = id === undefined ? undefined : await source.find(scope, line)
    if (id !== undefined && found !== undefined) state.further.set(keyOf(source.kind, id), found)
  }
}

/** Connections to other systems are not made by a file, which holds none of their secrets: they are named, to be made again. */
export async function listConnections(
  archive: Archive,
  wish: {
    failed: (item: string, code: 'transfer.connection_again', params: Record<string, unknown>) => void
    onRow(): void
  },
): Promise<KindCount> {
  const counts = none()
  for await (const line of archive.lines('connections', ConnectionLine)) {
    wish.onRow()
    wish.failed(line.name, 'transfer.connection_again', { system: line.system, address: line.address })
    counts.kept++
  }
  return counts
}
