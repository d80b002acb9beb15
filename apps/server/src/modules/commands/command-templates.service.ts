import type { BodyOf } from '@thingwright/contracts'
import type { CommandRules, FeatureRule } from '@thingwright/contracts/command-schemas'
import type {
  CommandPreview,
  CommandRulesView,
  CommandTemplateView,
  commandTemplatesContract,
} from '@thingwright/contracts/command-templates.contract'
import { recordAudit } from '../../lib/audit.ts'
import { actorId, type Ctx } from '../../lib/context.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import type { GatewayPort } from '../devices/gateway.port.ts'
import { authoriseDevice } from '../devices/index.ts'
import { type CommandPins, hashPin } from './command-pins.ts'
import { type ProductRules, productRules, updateRules } from './command-rules.repo.ts'
import * as repo from './command-templates.repo.ts'
import { subAddressOf } from './commands.repo.ts'
import { checkTemplate, renderTemplate } from './templates/render.ts'

type Contract = typeof commandTemplatesContract
export type NewTemplate = BodyOf<Contract['create']>

export interface CommandTemplatesService {
  list(ctx: Ctx, productId: string): Promise<{ items: CommandTemplateView[] }>
  create(ctx: Ctx, productId: string, input: NewTemplate): Promise<CommandTemplateView>
  update(
    ctx: Ctx,
    productId: string,
    templateId: string,
    input: BodyOf<Contract['update']>,
  ): Promise<CommandTemplateView>
  duplicate(ctx: Ctx, productId: string, templateId: string): Promise<CommandTemplateView>
  order(ctx: Ctx, productId: string, ids: readonly string[]): Promise<{ ok: boolean }>
  remove(ctx: Ctx, productId: string, templateId: string): Promise<{ ok: boolean }>
  preview(ctx: Ctx, productId: string, input: BodyOf<Contract['preview']>): Promise<CommandPreview>
  /** What can be sent to a device, for those who may not see its product's pages. */
  ofDevice(ctx: Ctx, deviceId: string): Promise<{ items: CommandTemplateView[]; rules: CommandRules; pinSet: boolean }>
  rules(ctx: Ctx, productId: string): Promise<CommandRulesView>
  setRules(ctx: Ctx, productId: string, input: BodyOf<Contract['setRules']>): Promise<CommandRulesView>
}

/** Templates of one product. */
export const MAX_TEMPLATES = 200

export function createCommandTemplatesService(deps: {
  database: Database
  gateway: Pick<GatewayPort, 'forget'>
  pins: CommandPins
}): CommandTemplatesService {
  const { database, gateway, pins } = deps

  return {
    list: (ctx, productId) =>
      database.withTenant(ctx, async scope => {
        await product(scope, productId)
        return { items: (await repo.listTemplates(scope, productId)).map(repo.toTemplateView) }
      }),

    create: (ctx, productId, input) =>
      database.withTenant(ctx, async scope => {
        checkTemplate(input.body)
        return insert(scope, ctx, productId, { ...input, description: input.description ?? '' })
      }),

    update: (ctx, productId, templateId, input) =>
      database.withTenant(ctx, async scope => {
        checkTemplate(input.body)
        await repo.lockProduct(scope, productId)
        const before = await template(scope, productId, templateId)
        const taken = await repo.templateByCode(scope, productId, input.code)
        if (taken && taken.id !== templateId) throw codeTaken(input.code)
        const row = await repo.updateTemplate(scope, {
          ...input,
          id: templateId,
          description: input.description ?? before.description,
        })
        if (!row) throw new AppError('version.conflict', { params: { current: repo.toTemplateView(before) } })
        await note(scope, ctx, 'command_template.update', row, before)
        return repo.toTemplateView(row)
      }),

    duplicate: (ctx, productId, templateId) =>
      database.withTenant(ctx, async scope => {
        const of = await template(scope, productId, templateId)
        await repo.lockProduct(scope, productId)
        const codes = new Set((await repo.listTemplates(scope, productId)).map(row => row.code))
        let n = 2
        while (codes.has(copyOf(of.code, n))) n++
        return insert(scope, ctx, productId, { ...of, code: copyOf(of.code, n) }, of.place)
      }),

    order: (ctx, productId, ids) =>
      database.withTenant(ctx, async scope => {
        const { name } = await product(scope, productId)
        await repo.lockProduct(scope, productId)
        await repo.orderTemplates(scope, productId, ids)
        await recordAudit(scope, ctx, {
          action: 'command_template.order',
          objectType: 'product',
          objectId: productId,
          objectName: name,
          after: { templates: ids.length },
        })
        return { ok: true }
      }),

    remove: (ctx, productId, templateId) =>
      database.withTenant(ctx, async scope => {
        const before = await template(scope, productId, templateId)
        await repo.holdOwnProduct(scope, productId)
        await repo.deleteTemplate(scope, templateId)
        await note(scope, ctx, 'command_template.remove', before, before)
        return { ok: true }
      }),

    preview: (ctx, productId, input) =>
      database.withTenant(ctx, async scope => {
        await product(scope, productId)
        checkTemplate(input.body)
        const device = input.deviceId ? await authoriseDevice(scope, input.deviceId) : null
        const rendered = renderTemplate(input.body, input.params ?? {}, {
          deviceNo: device?.deviceNo ?? 'DEVICE-NO',
          subAddress: device ? await subAddressOf(scope, device.num) : null,
          now: ctx.now,
        })
        const { kind, identifier, params, bytes, expects } = rendered
        return { kind, identifier, params, hex: bytes?.toString('hex') ?? null, expects }
      }),

    ofDevice: (ctx, deviceId) =>
      database.withTenant(ctx, async scope => {
        const device = await authoriseDevice(scope, deviceId)
        const { rules, pinHash } = await product(scope, device.productId)
        const items = (await repo.listTemplates(scope, device.productId)).map(repo.toTemplateView)
        return { items, rules, pinSet: pinHash !== null }
      }),

    rules: (ctx, productId) => database.withTenant(ctx, async scope => toRulesView(await product(scope, productId))),

    setRules: async (ctx, productId, input) => {
      const pinHash = input.pin ? await hashPin(input.pin) : input.pin
      return database.withTenant(ctx, async scope => {
        const before = await product(scope, productId)
        if (before.pinHash !== null && (pinHash !== undefined || losesPin(before.rules, input.rules))) {
          if (!input.currentPin) throw pinWanted()
          await pins.check(actorId(ctx.actor)!, productId, before.pinHash, input.currentPin)
        }
        const after = await updateRules(scope, productId, input.version, input.rules, pinHash)
        if (!after) throw new AppError('version.conflict', { params: { current: toRulesView(before) } })
        await recordAudit(scope, ctx, {
          action: 'product.command_rules',
          objectType: 'product',
          objectId: productId,
          objectName: after.name,
          before: { rules: before.rules, pinSet: before.pinHash !== null },
          after: { rules: after.rules, pinSet: after.pinHash !== null },
        })
        scope.afterCommit(() => gateway.forget({ product: after.num }))
        return toRulesView(after)
      })
    },
  }

  async function insert(
    scope: TenantScope,
    ctx: Ctx,
    productId: string,
    input: Pick<repo.TemplateRow, 'code' | 'name' | 'description' | 'body'>,
    behind?: number,
  ): Promise<CommandTemplateView> {
    await product(scope, productId)
    await repo.lockProduct(scope, productId)
    if ((await repo.listTemplates(scope, productId)).length >= MAX_TEMPLATES)
      throw new AppError('command_template.too_many', { params: { limit: MAX_TEMPLATES } })
    const { code, name, description, body } = input
    const row = await repo.insertTemplate(scope, { id: newId(), productId, code, name, description, body }, behind)
    if (!row) throw codeTaken(code)
    await note(scope, ctx, 'command_template.create', row, null)
    return repo.toTemplateView(row)
  }
}

/** `code-2`, within the 64 characters of a code. */
const copyOf = (code: string, n: number) => `${code.slice(0, 59)}-${n}`

function codeTaken(code: string): AppError {
  return new AppError('command_template.code_taken', {
    params: { code },
    fields: { code: { code: 'command_template.code_taken', params: { code } } },
  })
}

function pinWanted(): AppError {
  return new AppError('command.pin_required', {
    params: { text: '' },
    fields: { currentPin: { code: 'command.pin_required', params: { text: '' } } },
  })
}

/** Whether something that asks for the PIN asks for less afterwards. */
function losesPin(before: CommandRules, after: CommandRules): boolean {
  const asks = (rule: { danger?: { level: string } } | undefined) => rule?.danger?.level === 'pin'
  const lost = (was: Record<string, FeatureRule> = {}, is: Record<string, FeatureRule> = {}) =>
    Object.keys(was).some(name => asks(was[name]) && !asks(is[name]))
  return (
    lost(before.properties, after.properties) ||
    lost(before.services, after.services) ||
    (asks(before.raw) && !asks(after.raw))
  )
}

async function product(scope: TenantScope, id: string): Promise<ProductRules> {
  const row = await productRules(scope, id)
  if (!row) throw new AppError('product.not_found')
  return row
}

async function template(scope: TenantScope, productId: string, id: string): Promise<repo.TemplateRow> {
  const row = await repo.templateById(scope, id)
  if (!row || row.productId !== productId) throw new AppError('command_template.not_found')
  return row
}

function note(
  scope: TenantScope,
  ctx: Ctx,
  action: string,
  row: repo.TemplateRow,
  before: repo.TemplateRow | null,
): Promise<void> {
  const facts = ({ productId, code, name, body }: repo.TemplateRow) => ({ productId, template: code, name, body })
  return recordAudit(scope, ctx, {
    action,
    objectType: 'command_template',
    objectId: row.id,
    objectName: row.name,
    before: before ? facts(before) : null,
    after: action.endsWith('.remove') ? null : facts(row),
  })
}

function toRulesView({ rules, pinHash, version }: ProductRules): CommandRulesView {
  return { rules, pinSet: pinHash !== null, version }
}
