import type { PresetTrigger, TriggerTemplates } from '@thingwright/contracts/trigger-presets.contract'
import type { TenantScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import * as repo from './presets.repo.ts'
import { MAX_PRESETS, withoutSecrets } from './presets.service.ts'

/** A preset as it stands in the file of a company. */
export interface PackedPreset {
  name: string
  note: string
  triggers: PresetTrigger[]
  /** Absent in older files. */
  templates?: TriggerTemplates
}

/** Presets of triggers to and from the file of a company; a name is one preset, whatever its case. */
export interface PresetTransfer {
  pack(scope: TenantScope): Promise<PackedPreset[]>
  /** @throws AppError trigger_preset.limit */
  bring(
    scope: TenantScope,
    line: PackedPreset,
    existing: 'keep' | 'replace',
  ): Promise<{ what: 'created' | 'replaced' | 'kept'; id: string }>
}

export const presetTransfer: PresetTransfer = {
  async pack(scope) {
    const rows = await repo.list(scope, MAX_PRESETS, null, '')
    return rows.map(({ name, note, triggers, templates }) => ({ name, note, triggers, templates }))
  },

  async bring(scope, line, existing) {
    const row = { ...line, triggers: line.triggers.map(withoutSecrets), templates: line.templates ?? {} }
    const found = await repo.findNamed(scope, line.name)
    if (found && existing === 'keep') return { what: 'kept', id: found.id }
    if (found) {
      await repo.update(scope, { ...row, id: found.id, version: found.version })
      return { what: 'replaced', id: found.id }
    }
    if ((await repo.count(scope)) >= MAX_PRESETS)
      throw new AppError('trigger_preset.limit', { params: { limit: MAX_PRESETS } })
    const id = newId()
    await repo.insert(scope, { ...row, id })
    return { what: 'created', id }
  },
}
