import type { BodyOf, QueryOf, ResponseOf } from '@thingwright/contracts'
import type { LoraGatewayView, loraGatewaysContract } from '@thingwright/contracts/lora-gateways.contract'
import { recordAudit } from '../../lib/audit.ts'
import type { Ctx } from '../../lib/context.ts'
import type { TenantScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { decodeCursor, encodeCursor, parseSort, readFrom } from '../../lib/lists/paging.ts'
import { containing, type ListPosition } from '../../lib/sql/list.ts'
import type { ConnectionRow } from './connections.repo.ts'
import { enabled } from './connections.service.ts'
import { asAppError, wrong } from './errors.ts'
import * as repo from './gateways.repo.ts'
import { type Lns, LnsError, type LnsGateway, type LnsGatewayFields, type MetricStep } from './lns.port.ts'
import { noted, type SyncDeps } from './sync.ts'

type Contract = typeof loraGatewaysContract

export interface GatewaysService {
  list(ctx: Ctx, input: QueryOf<Contract['list']>): Promise<ResponseOf<Contract['list']>>
  counts(ctx: Ctx): Promise<ResponseOf<Contract['counts']>>
  /** As ChirpStack has it now; as it was read last where that does not answer. */
  get(ctx: Ctx, id: string): Promise<LoraGatewayView>
  /** @throws AppError lora_gateway.range, gone, lora.unavailable … */
  metrics(ctx: Ctx, id: string, input: QueryOf<Contract['metrics']>): Promise<ResponseOf<Contract['metrics']>>
  /** @throws AppError lora_gateway.exists, lora.refused with ChirpStack's words */
  create(ctx: Ctx, input: BodyOf<Contract['create']>): Promise<LoraGatewayView>
  /** @throws AppError lora_gateway.not_found, gone, version.conflict */
  update(ctx: Ctx, id: string, input: BodyOf<Contract['update']>): Promise<LoraGatewayView>
  remove(ctx: Ctx, id: string): Promise<{ ok: boolean }>
  /** What ChirpStack keeps of its frames, and what comes within a moment. */
  frames(ctx: Ctx, id: string): Promise<ResponseOf<Contract['frames']>>
  /** Not kept anywhere: another call makes another one. @throws AppError lora_gateway.no_certificates */
  makeCertificate(ctx: Ctx, id: string): Promise<ResponseOf<Contract['makeCertificate']>>
}

/** As ChirpStack's own form begins. */
const DEFAULTS = { description: '', location: null, statsInterval: 30, downlinkPriority: 10, tags: {} }
const STEP_MS: Readonly<Record<MetricStep, number>> = {
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
  month: 28 * 86_400_000,
}
const MOST_POINTS = 1_500

export function createGatewaysService(deps: SyncDeps): GatewaysService {
  const { database, now } = deps

  const withConnection = (ctx: Ctx, id: string) =>
    database.withTenant(ctx, async scope => {
      const row = await known(scope, id)
      return { row, connection: await enabled(scope, row.connectionId) }
    })

  const asking = async <T>(connection: ConnectionRow, work: (lns: Lns) => Promise<T>): Promise<T> => {
    try {
      return await noted(deps, connection, work)
    } catch (error) {
      throw asAppError(error, 'lora_gateway.gone')
    }
  }

  /** The list says what a single answer does not: the state. It follows from when the gateway was heard last. */
  function stateOf(gateway: LnsGateway): LoraGatewayView['state'] {
    if (gateway.lastSeenAt === null) return 'never_seen'
    return now() - Date.parse(gateway.lastSeenAt) > 2_000 * gateway.statsInterval ? 'offline' : 'online'
  }

  async function learn(scope: TenantScope, connectionId: string, gateway: LnsGateway): Promise<repo.GatewayRow> {
    const ids = { id: newId(now()), tenantId: scope.tenantId, connectionId, now: new Date(now()) }
    const { id } = await repo.keep(scope, ids, {
      ...gateway,
      state: stateOf(gateway),
      regionConfigId: gateway.metadata.region_config_id ?? null,
    })
    await repo.keepWhole(scope, id, gateway)
    return known(scope, id)
  }

  return {
    list: (ctx, { limit = 20, cursor, q, sort, total, ...filter }) =>
      database.withTenant(ctx, async scope => {
        const order = parseSort(sort, repo.GATEWAY_SORTS, '-createdAt')
        const wanted = { ...filter, ...(q?.trim() ? { q: containing(q.trim()) } : {}) }
        const after = decodeCursor(cursor, 2) as ListPosition | null
        const { rows } = await readFrom(cursor, () =>
          scope.run(...repo.LIST.page({ filter: wanted, sort: order, after, limit: limit + 1 })),
        )
        const page = rows.slice(0, limit)
        const last = page.at(-1)
        return {
          items: page.map(row => viewOf(row, null)),
          nextCursor: rows.length > limit && last ? encodeCursor([last.position, last.id]) : null,
          ...(total === '1' ? { total: (await scope.run(...repo.LIST.count(wanted))).rows[0]!.n } : {}),
        }
      }),

    counts: ctx =>
      database.withTenant(ctx, async scope => {
        const rows = await repo.counts(scope)
        const of = (state: string) => rows.find(row => row.state === state)?.n ?? 0
        return {
          total: rows.reduce((sum, { n }) => sum + n, 0),
          neverSeen: of('never_seen'),
          online: of('online'),
          offline: of('offline'),
        }
      }),

    async get(ctx, id) {
      const row = await database.withTenant(ctx, scope => known(scope, id))
      try {
        const { connection } = await withConnection(ctx, id)
        const gateway = await noted(deps, connection, lns => lns.gateway(row.gatewayId))
        return await database.withTenant(ctx, async scope =>
          viewOf(await learn(scope, row.connectionId, gateway), null),
        )
      } catch (error) {
        const passing = error instanceof LnsError && error.fault !== 'gone'
        const disabled = error instanceof AppError && error.code === 'lora_connection.disabled'
        if (!passing && !disabled) throw asAppError(error, 'lora_gateway.gone')
        return viewOf(row, passing ? [error.code, error.text].filter(Boolean).join(' ') : 'disabled')
      }
    },

    async metrics(ctx, id, { from, to, step }) {
      const [begin, end] = [new Date(from), new Date(to)]
      const points = (end.getTime() - begin.getTime()) / STEP_MS[step]
      if (points <= 0 || points > MOST_POINTS) wrong('from', 'lora_gateway.range', { limit: MOST_POINTS })
      const { row, connection } = await withConnection(ctx, id)
      return { metrics: await asking(connection, lns => lns.metrics(row.gatewayId, begin, end, step)) }
    },

    async frames(ctx, id) {
      const { row, connection } = await withConnection(ctx, id)
      return { items: await asking(connection, lns => lns.traffic({ of: 'gateway', gatewayId: row.gatewayId })) }
    },

    async makeCertificate(ctx, id) {
      const { row, connection } = await withConnection(ctx, id)
      const certificate = await asking(connection, async lns => {
        try {
          return await lns.gatewayCertificate(row.gatewayId)
        } catch (error) {
          // A server without `ca_cert` and `ca_key` in its configuration.
          if (error instanceof LnsError && error.code === 'INTERNAL' && /ca_(cert|key)/i.test(error.text))
            throw new AppError('lora_gateway.no_certificates', { params: { text: error.text } })
          throw error
        }
      })
      await database.withTenant(ctx, scope =>
        recordAudit(scope, ctx, {
          action: 'lora_gateway.make_certificate',
          objectType: 'lora_gateway',
          objectId: id,
          objectName: row.name,
          after: { gatewayId: row.gatewayId, expiresAt: certificate.expiresAt },
        }),
      )
      return certificate
    },

    async create(ctx, { connectionId, gatewayId: typed, ...input }) {
      const gatewayId = typed.toLowerCase()
      const connection = await database.withTenant(ctx, scope => enabled(scope, connectionId))
      const fields: LnsGatewayFields = { ...DEFAULTS, ...input }
      const gateway = await asking(connection, async lns => {
        try {
          await lns.createGateway(gatewayId, fields)
        } catch (error) {
          if (error instanceof LnsError && error.fault === 'exists')
            wrong('gatewayId', 'lora_gateway.exists', { gatewayId })
          throw error
        }
        return lns.gateway(gatewayId)
      })
      return database.withTenant(ctx, async scope => {
        const row = await learn(scope, connectionId, gateway)
        await recordAudit(scope, ctx, {
          action: 'lora_gateway.create',
          objectType: 'lora_gateway',
          objectId: row.id,
          objectName: row.name,
          after: shown(row),
        })
        return viewOf(row, null)
      })
    },

    async update(ctx, id, { version, ...input }) {
      const { row, connection } = await withConnection(ctx, id)
      if (row.version !== version) throw new AppError('version.conflict', { params: { current: viewOf(row, null) } })
      const gateway = await asking(connection, async lns => {
        const { name, description, location, statsInterval, downlinkPriority, tags } = await lns.gateway(row.gatewayId)
        const before = { name, description, location, statsInterval, downlinkPriority, tags }
        await lns.updateGateway(row.gatewayId, { ...before, ...input })
        return lns.gateway(row.gatewayId)
      })
      return database.withTenant(ctx, async scope => {
        const after = await learn(scope, row.connectionId, gateway)
        await recordAudit(scope, ctx, {
          action: 'lora_gateway.update',
          objectType: 'lora_gateway',
          objectId: id,
          objectName: after.name,
          before: shown(row),
          after: shown(after),
        })
        return viewOf(after, null)
      })
    },

    async remove(ctx, id) {
      const { row, connection } = await withConnection(ctx, id)
      try {
        await noted(deps, connection, lns => lns.removeGateway(row.gatewayId))
      } catch (error) {
        // Gone already is what was wanted.
        if (!(error instanceof LnsError) || error.fault !== 'gone') throw asAppError(error, 'lora_gateway.gone')
      }
      return database.withTenant(ctx, async scope => {
        await repo.remove(scope, id)
        await recordAudit(scope, ctx, {
          action: 'lora_gateway.remove',
          objectType: 'lora_gateway',
          objectId: id,
          objectName: row.name,
          before: shown(row),
        })
        return { ok: true }
      })
    },
  }
}

async function known(scope: TenantScope, id: string): Promise<repo.GatewayRow> {
  const row = await repo.find(scope, id)
  if (!row) throw new AppError('lora_gateway.not_found')
  return row
}

const shown = ({ gatewayId, name, description, location, statsInterval, downlinkPriority, tags }: repo.GatewayRow) => ({
  gatewayId,
  name,
  description,
  location,
  statsInterval,
  downlinkPriority,
  tags,
})

function viewOf(row: repo.GatewayRow & { position?: string }, stale: string | null): LoraGatewayView {
  const { tenantId: _, position: __, lastSeenAt, stateSince, createdAt, updatedAt, syncedAt, ...view } = row
  return {
    ...view,
    stale,
    lastSeenAt: lastSeenAt?.toISOString() ?? null,
    stateSince: stateSince?.toISOString() ?? null,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
    syncedAt: syncedAt.toISOString(),
  }
}
