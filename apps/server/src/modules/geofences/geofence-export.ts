import type { QueryOf } from '@thingwright/contracts'
import type { GeofenceView, geofencesContract } from '@thingwright/contracts/geofences.contract'
import type { Ctx } from '../../lib/context.ts'
import type { Database } from '../../lib/database/database.ts'
import type { StreamReply } from '../../lib/http.ts'
import { dayOf, listExport } from '../../lib/table-export/list-export.ts'
import { EXPORT_PAGE, everyRow } from '../../lib/table-export/table-export.ts'
import words from './geofence-export.texts.json' with { type: 'json' }
import type { GeofencesService } from './geofences.service.ts'

/** The list of fences as a file. @throws AppError export.too_many_rows */
export function exportGeofences(
  database: Database,
  service: Pick<GeofencesService, 'list'>,
  ctx: Ctx,
  { format, sort: _, ...filters }: QueryOf<(typeof geofencesContract)['export']>,
): Promise<StreamReply> {
  const text = words[ctx.locale]
  const place = ({ lng, lat }: { lng: number; lat: number }) => `${lng},${lat}`
  return listExport<GeofenceView>(database, ctx, {
    action: 'geofence.export',
    objectType: 'geofence',
    format,
    filters,
    fileName: `${text.file}-${dayOf(ctx.now)}`,
    columns: [
      { key: 'name', title: text.name, value: row => row.name },
      { key: 'kind', title: text.kind, value: row => text.kinds[row.shape.kind] },
      { key: 'centre', title: text.centre, value: row => (row.shape.centre ? place(row.shape.centre) : '') },
      { key: 'radius', title: text.radius, type: 'number', value: row => row.shape.radius ?? null },
      { key: 'points', title: text.points, value: row => (row.shape.points ?? []).map(place).join(' ') },
      { key: 'enabled', title: text.enabled, value: row => (row.enabled ? text.yes : text.no) },
      {
        key: 'scope',
        title: text.scope,
        value: row => (row.scope ? row.scopeNames.map(name => name ?? '–').join(', ') : text.all),
      },
      { key: 'inside', title: text.inside, type: 'number', value: row => row.inside },
      { key: 'triggers', title: text.triggers, type: 'number', value: row => row.triggers },
      { key: 'remark', title: text.remark, value: row => row.remark },
      { key: 'owner', title: text.owner, value: row => row.ownerName },
      { key: 'createdAt', title: text.createdAt, type: 'time', value: row => row.createdAt },
      { key: 'id', title: text.id, value: row => row.id },
    ],
    rows: everyRow(cursor =>
      service.list(ctx, { ...filters, inside: '1', limit: EXPORT_PAGE, ...(cursor ? { cursor } : {}) }),
    ),
  })
}
