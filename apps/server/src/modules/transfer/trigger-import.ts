import { MAX_TRIGGERS } from '@thingwright/contracts/triggers.contract'
import { recordAudits } from '../../lib/audit.ts'
import type { TenantScope } from '../../lib/database/database.ts'
import { AppError, isAppError } from '../../lib/errors.ts'
import type { AlarmLevelsTransfer } from '../alarms/index.ts'
import type { PresetTransfer, TriggerTransfer } from '../triggers/index.ts'
import type { AlarmLevelsLine, TriggerLine, TriggerPresetLine } from './rows.ts'
import { eachEntry, type ImportState, type KindCount, lineOf, nameOf, none } from './transfer.import.ts'
import * as repo from './transfer.repo.ts'

/** Names, colours and sounds of the five levels. */
export async function importAlarmLevels(
  scope: TenantScope,
  rows: AsyncIterable<AlarmLevelsLine>,
  state: ImportState,
  to: AlarmLevelsTransfer,
): Promise<KindCount> {
  const count = none()
  for await (const { levels } of rows) {
    state.onRow()
    const inOrder = [...levels].sort((a, b) => a.level - b.level)
    if (inOrder.some(({ level }, i) => level !== i + 1)) throw new AppError('alarm.levels_incomplete')
    const what = await to.bring(scope, inOrder, state.existing)
    count[what]++
    if (what === 'replaced')
      await recordAudits(scope, state.ctx, [lineOf('alarm_levels', 'replaced', { id: scope.tenantId, name: '' })])
  }
  return count
}

/** Where what the file names is in this company; undefined: it is not here. */
export function hereOf(scope: TenantScope, state: ImportState) {
  return {
    product: (id: string) => state.products.get(id)?.id,
    group: (id: string) => state.groups.get(id),
    page: (id: string) => state.pages.get(id),
    fence: (id: string) => state.fences.get(id),
    async device(productId: string, deviceNo: string) {
      const product = state.products.get(productId)
      const found = product && (await repo.findDevice(scope, product.id, deviceNo))
      return found && !found.recycled ? found.id : undefined
    },
  }
}

/** What a trigger names and is not here leaves it disabled with the reason; one that cannot be read is named and left out. */
export async function importTriggers(
  scope: TenantScope,
  rows: AsyncIterable<TriggerLine>,
  state: ImportState,
  to: TriggerTransfer,
): Promise<KindCount> {
  const lines: TriggerLine[] = []
  for await (const line of rows) {
    if (lines.length >= MAX_TRIGGERS) throw new AppError('trigger.limit', { params: { limit: MAX_TRIGGERS } })
    lines.push(line)
  }
  const here = hereOf(scope, state)
  const places = await to.places(scope, lines, here)
  const entries = { itemOf: nameOf, objectType: 'trigger' }
  return eachEntry(scope, each(lines), state, entries, async (line, count) => {
    try {
      const done = await to.bring(scope, state.ctx, line, { here, places, existing: state.existing })
      count(done.what, { id: done.id, name: line.name })
      if (done.missing.length > 0)
        state.note(line.name, 'transfer.trigger_disabled', { what: done.missing.slice(0, 10).join(', ') })
      if (done.isIncomplete) state.note(line.name, 'transfer.trigger_incomplete', {})
    } catch (error) {
      if (!isAppError(error) || error.code !== 'trigger.rule_invalid') throw error
      state.note(line.name, error.code, error.params)
    }
  })
}

export function importTriggerPresets(
  scope: TenantScope,
  rows: AsyncIterable<TriggerPresetLine>,
  state: ImportState,
  to: PresetTransfer,
): Promise<KindCount> {
  const entries = { itemOf: nameOf, objectType: 'trigger_preset' }
  return eachEntry(scope, rows, state, entries, async (line, count) => {
    const { what, id } = await to.bring(scope, line, state.existing)
    count(what, { id, name: line.name })
  })
}

async function* each<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items
}
