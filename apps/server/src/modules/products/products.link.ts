import type { BodyOf } from '@thingwright/contracts'
import type { LinkSettingsInput, LinkTrial, LinkView, linksContract } from '@thingwright/contracts/links.contract'
import { recordAudit } from '../../lib/audit.ts'
import type { Ctx } from '../../lib/context.ts'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import { isUniqueViolation } from '../../lib/database/database-errors.ts'
import { AppError } from '../../lib/errors.ts'
import { type LinkProblem, linkProblems } from '../../lib/links/check.ts'
import type { CutKind } from '../../lib/links/framer.ts'
import { linkSettings, RAW_LINKS } from '../../lib/links/settings.ts'
import { tryLink } from '../../lib/links/trial.ts'
import type { GatewayPort } from '../devices/gateway.port.ts'
import { readableText } from './products.format.ts'
import { claimPort, findProduct, updateProduct } from './products.repo.ts'
import type { ProductRow } from './products.rows.ts'

type Contract = typeof linksContract

/** Framing scripts, by the same code as the device path. */
export interface FramingTools {
  /** Why the script cannot be used; null: it can. */
  check(source: string): Promise<string | null>
  cut(source: string, stream: Buffer, maxFrameBytes: number): Promise<{ kind: CutKind; bytes: Buffer }[]>
}

export interface ProductLinkDeps {
  database: Database
  gateway: Pick<GatewayPort, 'forget' | 'linkPorts'>
  /** Runs framing scripts; absent: there are none. */
  framing?: FramingTools
  /** Ports that products may claim, both ends included (TCP_PORT_RANGE). */
  ownPorts?: { from: number; to: number }
}

export interface ProductLinkService {
  get(ctx: Ctx, id: string): Promise<LinkView>
  set(ctx: Ctx, id: string, input: BodyOf<Contract['set']>): Promise<LinkView>
  try(ctx: Ctx, id: string, input: BodyOf<Contract['try']>): Promise<LinkTrial>
}

const DEFAULT_RANGE = { from: 6100, to: 6199 }

/** How devices of a product connect by TCP or UDP: register packet, heartbeat, framing, port, polling. */
export function createProductLinkService({
  database,
  gateway,
  ownPorts,
  framing,
}: ProductLinkDeps): ProductLinkService {
  const range = ownPorts ?? DEFAULT_RANGE

  async function existing(scope: TenantScope, id: string, lock?: 'update'): Promise<ProductRow> {
    const row = await findProduct(scope, id, lock)
    if (row) return row
    if (lock && scope.limited && (await findProduct(scope, id))) throw new AppError('scope.outside')
    throw new AppError('product.not_found')
  }

  async function view(row: ProductRow): Promise<LinkView> {
    const settings = linkSettings(row.link, row.format.kind)
    return {
      settings,
      isDefault: Object.keys(row.link).length === 0,
      port: await portState(row, settings.port.mode === 'own'),
      ownPorts: range,
      version: row.version,
    }
  }

  async function portState(row: ProductRow, own: boolean): Promise<LinkView['port']> {
    if (!RAW_LINKS.has(row.linkType)) return { state: 'unused', number: null, error: null }
    if (!own || row.ownPort === null) return { state: 'shared', number: null, error: null }
    const open = (await gateway.linkPorts?.())?.find(port => port.product === row.num && port.port === row.ownPort)
    return { state: open?.state ?? 'unknown', number: row.ownPort, error: open?.error ?? null }
  }

  return {
    get: async (ctx, id) => view(await database.withTenant(ctx, scope => existing(scope, id))),

    async set(ctx, id, { version, ...input }) {
      const script = input.framing?.kind === 'script' ? await scriptProblem(framing, input.framing.source) : null
      const row = await database.withTenant(ctx, async scope => {
        const before = await existing(scope, id, 'update')
        if (!RAW_LINKS.has(before.linkType))
          throw new AppError('product.link_unavailable', { params: { linkType: before.linkType } })
        if (version !== undefined && before.version !== version)
          throw new AppError('version.conflict', { params: { current: await view(before) } })
        check(input, range, script)
        const own = input.port?.mode === 'own'
        const ownPort = own ? await chosenPort(scope, before, input.port?.number ?? null, range) : null
        // The number stands in a column of its own: a copy of the settings must not carry it along.
        const link = { ...input, ...(input.port ? { port: { mode: input.port.mode } } : {}) }
        try {
          await updateProduct(scope, id, { link, ownPort })
        } catch (error) {
          if (isUniqueViolation(error, 'products_own_port_idx'))
            throw new AppError('product.port_taken', { params: { port: ownPort } })
          throw error
        }
        const after = await existing(scope, id)
        await recordAudit(scope, ctx, {
          action: 'product.link',
          objectType: 'product',
          objectId: id,
          objectName: after.name,
          before: { link: before.link, ownPort: before.ownPort },
          after: { link: after.link, ownPort: after.ownPort },
        })
        scope.afterCommit(() => gateway.forget({ product: before.num }))
        return after
      })
      return view(row)
    },

    async try(ctx, id, input) {
      const row = await database.withTenant(ctx, scope => existing(scope, id))
      if (input.settings) check(input.settings, range, null)
      const settings = linkSettings(input.settings ?? row.link, row.format.kind)
      const register = input.register === undefined ? null : Buffer.from(input.register, 'hex')
      const stream = Buffer.from(input.stream ?? '', 'hex')
      const scripted =
        settings.framing.kind === 'script'
          ? await (framing?.cut(settings.framing.source, stream, settings.maxFrameBytes) ?? [])
          : undefined
      return tryLink(settings, register, stream, readableText, scripted)
    },
  }
}

/** @throws AppError product.link_invalid with one field for each problem */
function check(input: LinkSettingsInput, range: { from: number; to: number }, script: LinkProblem | null): void {
  const problems = [...linkProblems(input, range), ...(script ? [script] : [])]
  if (problems.length === 0) return
  throw new AppError('product.link_invalid', {
    params: { count: problems.length },
    fields: Object.fromEntries(
      problems.map(({ path, code, params }) => [path, { code, ...(params ? { params } : {}) }]),
    ),
  })
}

async function scriptProblem(framing: FramingTools | undefined, source: string): Promise<LinkProblem | null> {
  if (!framing) return { path: 'framing.source', code: 'link.script_unavailable' }
  const reason = await framing.check(source)
  return reason === null ? null : { path: 'framing.source', code: 'link.script_invalid', params: { reason } }
}

/** @throws AppError product.ports_used_up */
async function chosenPort(
  scope: TenantScope,
  row: ProductRow,
  wanted: number | null,
  range: { from: number; to: number },
): Promise<number> {
  if (wanted !== null) return wanted
  const { ownPort } = row
  if (ownPort !== null && ownPort >= range.from && ownPort <= range.to) return ownPort
  const free = await claimPort(scope, range)
  if (free === null) throw new AppError('product.ports_used_up', { params: { ...range } })
  return free
}
