import type { QueryOf } from '@thingwright/contracts'
import type { LoraGatewayView, loraGatewaysContract } from '@thingwright/contracts/lora-gateways.contract'
import type { LoraProfileItem, loraProfilesContract } from '@thingwright/contracts/lora-profiles.contract'
import type { Ctx } from '../../lib/context.ts'
import type { Database } from '../../lib/database/database.ts'
import type { StreamReply } from '../../lib/http.ts'
import { dayOf, listExport } from '../../lib/table-export/list-export.ts'
import { EXPORT_PAGE, everyRow } from '../../lib/table-export/table-export.ts'
import type { GatewaysService } from './gateways.service.ts'
import words from './lora-words.json' with { type: 'json' }
import type { ProfilesService } from './profiles.service.ts'

/** The device profiles of a list's filters as a file. */
export function exportProfiles(
  deps: { database: Database; profiles: Pick<ProfilesService, 'list'> },
  ctx: Ctx,
  { format, ...filters }: QueryOf<(typeof loraProfilesContract)['export']>,
): Promise<StreamReply> {
  const { file: text, codecs } = words[ctx.locale]
  return listExport<LoraProfileItem>(deps.database, ctx, {
    action: 'lora_profile.export',
    objectType: 'lora_profile',
    format,
    filters,
    fileName: `${text.profiles}-${dayOf(ctx.now)}`,
    columns: [
      { key: 'name', title: text.name, value: row => row.name },
      { key: 'connection', title: text.connection, value: row => row.connectionName },
      { key: 'region', title: text.region, value: row => row.region },
      { key: 'macVersion', title: text.macVersion, value: row => row.macVersion },
      { key: 'regParams', title: text.regParams, value: row => row.regParamsRevision },
      { key: 'otaa', title: text.otaa, value: row => (row.supportsOtaa ? text.yes : text.no) },
      { key: 'classes', title: text.classes, value: row => classesOf(row) },
      { key: 'codec', title: text.codec, value: row => codecs[row.codecRuntime] },
      { key: 'remoteId', title: text.remoteId, value: row => row.remoteId },
      { key: 'createdAt', title: text.createdAt, type: 'time', value: row => row.createdAt },
      { key: 'updatedAt', title: text.updatedAt, type: 'time', value: row => row.updatedAt },
    ],
    rows: everyRow(cursor =>
      deps.profiles.list(ctx, { ...filters, limit: EXPORT_PAGE, ...(cursor ? { cursor } : {}) }),
    ),
  })
}

/** The gateways of a list's filters as a file. */
export function exportGateways(
  deps: { database: Database; gateways: Pick<GatewaysService, 'list'> },
  ctx: Ctx,
  { format, ...filters }: QueryOf<(typeof loraGatewaysContract)['export']>,
): Promise<StreamReply> {
  const { file: text, states } = words[ctx.locale]
  return listExport<LoraGatewayView>(deps.database, ctx, {
    action: 'lora_gateway.export',
    objectType: 'lora_gateway',
    format,
    filters,
    fileName: `${text.gateways}-${dayOf(ctx.now)}`,
    columns: [
      { key: 'gatewayId', title: text.gatewayId, value: row => row.gatewayId },
      { key: 'name', title: text.name, value: row => row.name },
      { key: 'state', title: text.state, value: row => states[row.state] },
      { key: 'lastSeenAt', title: text.lastSeenAt, type: 'time', value: row => row.lastSeenAt },
      { key: 'connection', title: text.connection, value: row => row.connectionName },
      { key: 'regionConfig', title: text.regionConfig, value: row => row.regionConfigId },
      { key: 'lat', title: text.lat, type: 'number', value: row => row.location?.lat ?? null },
      { key: 'lng', title: text.lng, type: 'number', value: row => row.location?.lng ?? null },
      { key: 'alt', title: text.alt, type: 'number', value: row => row.location?.alt ?? null },
      { key: 'description', title: text.description, value: row => row.description },
      { key: 'createdAt', title: text.createdAt, type: 'time', value: row => row.createdAt },
    ],
    rows: everyRow(cursor =>
      deps.gateways.list(ctx, { ...filters, limit: EXPORT_PAGE, ...(cursor ? { cursor } : {}) }),
    ),
  })
}

/** `A B C`: class A is what every device can. */
export const classesOf = (row: Pick<LoraProfileItem, 'supportsClassB' | 'supportsClassC'>) =>
  ['A', ...(row.supportsClassB ? ['B'] : []), ...(row.supportsClassC ? ['C'] : [])].join(' ')
