import type { BodyOf, QueryOf, ResponseOf } from '@thingwright/contracts'
import { TEMPLATE_VARIABLES } from '@thingwright/contracts/contacts.words'
import type {
  PresetTrigger,
  TriggerPresetView,
  TriggerTemplates,
  triggerPresetsContract,
} from '@thingwright/contracts/trigger-presets.contract'
import type { TriggerInput } from '@thingwright/contracts/triggers.contract'
import type { RuleDocument } from '@thingwright/rules'
import { recordAudit } from '../../lib/audit.ts'
import type { Ctx } from '../../lib/context.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import { AppError, isAppError } from '../../lib/errors.ts'
import { errorText } from '../../lib/i18n.ts'
import { newId } from '../../lib/ids.ts'
import { decodeCursor, encodeCursor, readFrom } from '../../lib/lists/paging.ts'
import * as repo from './presets.repo.ts'
import * as triggersRepo from './triggers.repo.ts'
import type { TriggersService } from './triggers.service.ts'

type Contract = typeof triggerPresetsContract

/** Presets of one company. */
export const MAX_PRESETS = 200

export interface TriggerPresets {
  list(ctx: Ctx, input: QueryOf<Contract['list']>): Promise<ResponseOf<Contract['list']>>
  /** @throws AppError trigger_preset.name_taken, trigger_preset.empty, trigger_preset.limit, trigger.not_found */
  create(ctx: Ctx, input: BodyOf<Contract['create']>): Promise<TriggerPresetView>
  /** @throws AppError template.variable with the name of a variable that does not exist */
  update(ctx: Ctx, id: string, input: BodyOf<Contract['update']>): Promise<TriggerPresetView>
  /** Each trigger is made or fails on its own, with its reason. @throws AppError trigger_preset.product_unknown */
  apply(ctx: Ctx, id: string, input: BodyOf<Contract['apply']>): Promise<ResponseOf<Contract['apply']>>
  remove(ctx: Ctx, id: string): Promise<{ ok: boolean }>
}

export function createTriggerPresets(deps: {
  database: Database
  triggers: Pick<TriggersService, 'create' | 'row'>
}): TriggerPresets {
  const { database, triggers } = deps

  async function known(scope: TenantScope, id: string): Promise<repo.PresetRow> {
    const row = await repo.find(scope, id)
    if (!row) throw new AppError('trigger_preset.not_found')
    return row
  }
  const taken = (name: string) => new AppError('trigger_preset.name_taken', { params: { name } })
  const note = (scope: TenantScope, ctx: Ctx, verb: string, row: repo.PresetRow, values: object) =>
    recordAudit(scope, ctx, {
      action: `trigger_preset.${verb}`,
      objectType: 'trigger_preset',
      objectId: row.id,
      objectName: row.name,
      ...values,
    })

  async function copied(scope: TenantScope, ids: readonly string[]): Promise<PresetTrigger[]> {
    const found: PresetTrigger[] = []
    for (const id of ids) {
      const { name, description, document } = await triggers.row(scope, id)
      found.push({ name, ...(description === '' ? {} : { description }), ...withoutDevices(document) })
    }
    return found
  }

  return {
    list: (ctx, input) =>
      readFrom(input.cursor, () =>
        database.withTenant(ctx, async scope => {
          const limit = input.limit ?? 20
          const after = decodeCursor(input.cursor, 2) as readonly [string, string] | null
          const rows = await repo.list(scope, limit + 1, after, input.q?.trim() ?? '')
          const page = rows.slice(0, limit)
          const last = page.at(-1)
          return {
            items: page.map(viewOf),
            nextCursor: rows.length > limit && last ? encodeCursor([last.name.toLowerCase(), last.id]) : null,
          }
        }),
      ),

    create: (ctx, input) =>
      database.withTenant(ctx, async scope => {
        refuseVariables(input.templates)
        if ((await repo.count(scope)) >= MAX_PRESETS)
          throw new AppError('trigger_preset.limit', { params: { limit: MAX_PRESETS } })
        const rules = [...(input.triggers ?? []), ...(await copied(scope, input.triggerIds ?? []))]
        if (rules.length === 0) throw new AppError('trigger_preset.empty')
        const id = newId(ctx.now)
        const row = {
          id,
          name: input.name,
          note: input.note ?? '',
          triggers: rules.map(withoutSecrets),
          templates: input.templates ?? {},
        }
        if (!(await repo.insert(scope, row))) throw taken(input.name)
        const made = await known(scope, id)
        await note(scope, ctx, 'create', made, { after: { triggers: made.triggers.map(one => one.name) } })
        return viewOf(made)
      }),

    update: (ctx, id, input) =>
      database.withTenant(ctx, async scope => {
        refuseVariables(input.templates)
        const before = await known(scope, id)
        const name = input.name ?? before.name
        if (await repo.isTaken(scope, name, id)) throw taken(name)
        const next = {
          id,
          version: input.version,
          name,
          note: input.note ?? before.note,
          triggers: input.triggers?.map(withoutSecrets) ?? before.triggers,
          templates: input.templates ?? before.templates,
        }
        if (!(await repo.update(scope, next)))
          throw new AppError('version.conflict', { params: { current: viewOf(before) } })
        const row = await known(scope, id)
        const shown = (one: repo.PresetRow) => ({
          name: one.name,
          note: one.note,
          triggers: one.triggers.map(trigger => trigger.name),
          templates: one.templates,
        })
        await note(scope, ctx, 'update', row, { before: shown(before), after: shown(row) })
        return viewOf(row)
      }),

    async apply(ctx, id, { productIds }) {
      const { preset, names } = await database.withTenant(ctx, async scope => ({
        preset: await known(scope, id),
        names: await triggersRepo.namesOf(scope, 'productIds', productIds),
      }))
      const unknown = productIds.find(one => !names.has(one))
      if (unknown !== undefined) throw new AppError('trigger_preset.product_unknown', { params: { id: unknown } })
      const reply: ResponseOf<Contract['apply']> = { made: [], there: [], failed: [] }
      for (const productId of productIds) {
        const has = await database.withTenant(ctx, scope => repo.namesOfProduct(scope, productId))
        for (const rule of preset.triggers) {
          const one = { trigger: rule.name, productId, productName: names.get(productId)! }
          if (has.has(rule.name)) {
            reply.there.push(one)
            continue
          }
          try {
            const made = await triggers.create(ctx, { ...rule, scope: { productIds: [productId] } } as TriggerInput)
            reply.made.push({ ...one, id: made.id })
          } catch (error) {
            if (!isAppError(error)) throw error
            const message = errorText(ctx.locale, error.code, error.params)
            reply.failed.push({ ...one, code: error.code, message })
          }
        }
      }
      await database.withTenant(ctx, async scope => {
        await repo.noteMadeFrom(
          scope,
          reply.made.map(one => one.id),
          preset.id,
        )
        await note(scope, ctx, 'apply', preset, {
          after: {
            products: productIds.map(one => names.get(one)),
            made: reply.made.length,
            failed: reply.failed.length,
          },
        })
      })
      return reply
    },

    remove: (ctx, id) =>
      database.withTenant(ctx, async scope => {
        const row = await known(scope, id)
        await repo.remove(scope, id)
        await note(scope, ctx, 'remove', row, { before: { triggers: row.triggers.map(one => one.name) } })
        return { ok: true }
      }),
  }
}

const viewOf = (row: repo.PresetRow): TriggerPresetView => ({ ...row, createdAt: row.createdAt.toISOString() })

const VARIABLE = /\$\{([^}]*)\}/g

/** @throws AppError template.variable: such a variable would stay empty in every message */
function refuseVariables(templates: TriggerTemplates = {}): void {
  for (const { body = '' } of Object.values(templates))
    for (const [, name = ''] of body.matchAll(VARIABLE))
      if (!(TEMPLATE_VARIABLES as readonly string[]).includes(name))
        throw new AppError('template.variable', { params: { name: name.slice(0, 40) } })
}

function withoutDevices({ scope: _, format: __, ...rule }: RuleDocument): Omit<PresetTrigger, 'name'> {
  return rule as unknown as Omit<PresetTrigger, 'name'>
}

/** A preset is read by many, so it holds no secret of a webhook. */
export function withoutSecrets(rule: PresetTrigger): PresetTrigger {
  if (!rule.actions) return rule
  return {
    ...rule,
    actions: rule.actions.map(action => {
      const { secret: _, hasSecret: __, ...rest } = action as typeof action & { secret?: unknown; hasSecret?: unknown }
      return rest
    }),
  }
}
