import type { QueryOf } from '@thingwright/contracts'
import type { DeviceView, devicesContract } from '@thingwright/contracts/devices.contract'
import type { Ctx } from '../../lib/context.ts'
import type { Database } from '../../lib/database/database.ts'
import type { StreamReply } from '../../lib/http.ts'
import { dayOf, listExport } from '../../lib/table-export/list-export.ts'
import { EXPORT_PAGE, everyRow } from '../../lib/table-export/table-export.ts'
import words from './device-export.texts.json' with { type: 'json' }
import type { DevicesService } from './devices.service.ts'

type ExportDevices = QueryOf<(typeof devicesContract)['export']>

/**
 * The devices of a list's filters as a file: what the list shows and nothing secret.
 * @throws AppError export.too_many_rows
 */
export function exportDevices(
  database: Database,
  devices: Pick<DevicesService, 'list'>,
  ctx: Ctx,
  { format, ...filters }: ExportDevices,
): Promise<StreamReply> {
  const text = words[ctx.locale]
  return listExport<DeviceView>(database, ctx, {
    action: 'device.export',
    objectType: 'device',
    format,
    filters,
    fileName: `${text.devices}-${dayOf(ctx.now)}`,
    columns: [
      { key: 'name', title: text.name, value: row => row.name },
      { key: 'deviceNo', title: text.deviceNo, value: row => row.deviceNo },
      { key: 'productName', title: text.product, value: row => row.productName },
      { key: 'productKey', title: text.productKey, value: row => row.productKey },
      { key: 'category', title: text.category, value: row => row.category },
      { key: 'group', title: text.group, value: row => row.groupName },
      { key: 'tags', title: text.tags, value: row => row.tags.join(', ') },
      {
        key: 'attributes',
        title: text.attributes,
        value: row => row.attributes.map(({ name, value }) => `${name}: ${value}`).join('\n'),
      },
      { key: 'lifecycle', title: text.lifecycle, value: row => text.lifecycles[row.lifecycle] },
      { key: 'link', title: text.link, value: row => text.links[row.link] },
      { key: 'lastSeenAt', title: text.lastSeenAt, type: 'time', value: row => row.lastSeenAt },
      { key: 'firmware', title: text.firmware, value: row => row.firmware },
      { key: 'lng', title: text.lng, type: 'number', value: row => row.location?.lng },
      { key: 'lat', title: text.lat, type: 'number', value: row => row.location?.lat },
      { key: 'address', title: text.address, value: row => row.location?.address },
      { key: 'offlineDelay', title: text.offlineDelay, type: 'number', value: row => row.offlineDelaySeconds },
      { key: 'description', title: text.description, value: row => row.description },
      { key: 'activatedAt', title: text.activatedAt, type: 'time', value: row => row.activatedAt },
      { key: 'createdAt', title: text.createdAt, type: 'time', value: row => row.createdAt },
      { key: 'id', title: text.id, value: row => row.id },
    ],
    rows: everyRow(cursor => devices.list(ctx, { ...filters, limit: EXPORT_PAGE, ...(cursor ? { cursor } : {}) })),
  })
}
