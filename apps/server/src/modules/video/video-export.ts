import type { QueryOf } from '@thingwright/contracts'
import type { VideoChannelView, videoChannelsContract } from '@thingwright/contracts/video.contract'
import type { Ctx } from '../../lib/context.ts'
import type { Database } from '../../lib/database/database.ts'
import type { StreamReply } from '../../lib/http.ts'
import { dayOf, listExport } from '../../lib/table-export/list-export.ts'
import { EXPORT_PAGE, everyRow } from '../../lib/table-export/table-export.ts'
import type { VideoChannelsService } from './video-channels.service.ts'
import words from './video-words.json' with { type: 'json' }

/**
 * Channels as a file.
 * @throws AppError export.too_many_rows
 */
export function exportChannels(
  database: Database,
  service: VideoChannelsService,
  ctx: Ctx,
  { format, ...filters }: QueryOf<(typeof videoChannelsContract)['export']>,
): Promise<StreamReply> {
  const text = words[ctx.locale]
  return listExport<VideoChannelView>(database, ctx, {
    action: 'video_channel.export',
    objectType: 'video_channel',
    format,
    filters,
    fileName: `${text.file}-${dayOf(ctx.now)}`,
    columns: [
      { key: 'name', title: text.name, value: row => row.name },
      { key: 'account', title: text.account, value: row => row.accountName ?? text.address },
      { key: 'serial', title: text.serial, value: row => row.serial },
      { key: 'channelNo', title: text.channelNo, value: row => (row.channelNo === null ? '' : String(row.channelNo)) },
      { key: 'model', title: text.model, value: row => row.model },
      { key: 'state', title: text.state, value: row => text.states[row.state] },
      { key: 'device', title: text.device, value: row => row.deviceName },
      {
        key: 'encrypted',
        title: text.encrypted,
        value: row => (row.encrypted === null ? '' : row.encrypted ? text.yes : text.no),
      },
      { key: 'createdAt', title: text.createdAt, type: 'time', value: row => row.createdAt },
    ],
    rows: everyRow(cursor => service.list(ctx, { ...filters, limit: EXPORT_PAGE, ...(cursor ? { cursor } : {}) })),
  })
}
