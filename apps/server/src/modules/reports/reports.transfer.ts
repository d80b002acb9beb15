import { ReportInput, type ReportSource } from '@thingwright/contracts/reports.contract'
import { Type } from 'typebox'
import type { Database, TenantScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { type TransferSource, type TransferTarget, transferSource, within } from '../../lib/transfer-source.ts'
import * as repo from './reports.repo.ts'
import type { ReportsService } from './reports.service.ts'

const { recipients: _, ...kept } = ReportInput.properties
const Line = Type.Object({
  ...kept,
  devices: Type.Array(
    Type.Object({
      id: Type.String(),
      productId: Type.String(),
      deviceNo: Type.String({ minLength: 1, maxLength: 64 }),
    }),
  ),
})
const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/

/**
 * Reports with their schedules in the file of a company. Who is mailed stays at home: people of another company are not
 * here. What is about something that is not here is left out.
 */
export function reportsTransfer(
  database: Database,
  serviceOf: (database: Database) => Pick<ReportsService, 'bring' | 'update'>,
): TransferSource {
  return transferSource({
    kind: 'reports',
    permissions: ['report:write'],
    line: Line,
    async pack(scope) {
      const rows = await repo.packed(scope)
      return Promise.all(
        rows.map(async row => ({ ...row, devices: await repo.devicesNamed(scope, row.source.deviceIds ?? []) })),
      )
    },
    async bring(scope: TenantScope, ctx, { devices, ...line }, to) {
      const found = await repo.idOfName(scope, line.name)
      if (found && to.existing === 'keep') return { what: 'kept', id: found.id }
      const input = { ...line, source: await sourceHere(line.source, devices, to), recipients: [] }
      const service = serviceOf(within(database, scope))
      if (!found) return { what: 'created', id: (await service.bring(ctx, input)).id }
      await service.update(ctx, found.id, { ...input, version: found.version })
      return { what: 'replaced', id: found.id }
    },
  })
}

/** The same source about what is here. @throws AppError transfer.reference_missing */
async function sourceHere(
  source: ReportSource,
  devices: readonly { id: string; productId: string; deviceNo: string }[],
  to: TransferTarget,
): Promise<ReportSource> {
  const missing = (reference: string) => new AppError('transfer.reference_missing', { params: { reference } })
  if (source.pageId !== undefined) throw missing(source.pageId)
  const query: Record<string, string> = {}
  for (const [key, value] of Object.entries(source.query ?? {})) {
    const here = UUID.test(value) ? (to.product(value) ?? to.group(value)) : value
    if (here === undefined) throw missing(value)
    query[key] = here
  }
  const deviceIds: string[] = []
  for (const id of source.deviceIds ?? []) {
    const named = devices.find(device => device.id === id)
    const here = named && (await to.device(named.productId, named.deviceNo))
    if (here === undefined) throw missing(named?.deviceNo ?? id)
    deviceIds.push(here)
  }
  return { ...source, ...(source.query ? { query } : {}), ...(source.deviceIds ? { deviceIds } : {}) }
}
