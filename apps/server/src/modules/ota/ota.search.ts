import type { SearchSource } from '../../lib/found.ts'
import type { OtaModule } from './ota.module.ts'

export const firmwareFound = (packages: Pick<OtaModule['services']['packages'], 'list'>): SearchSource => ({
  kind: 'firmware',
  permission: 'firmware:read',
  find: async (ctx, q, limit) =>
    (await packages.list(ctx, { q, limit })).items.map(item => ({
      id: item.id,
      title: `${item.name} ${item.version}`,
      subtitle: item.productName,
      link: `/develop/FirmwareUpdate?package=${item.id}`,
    })),
})
