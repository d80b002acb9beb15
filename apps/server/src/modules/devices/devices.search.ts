import type { SearchSource } from '../../lib/found.ts'
import type { DevicesService } from './devices.service.ts'

export const devicesFound = (devices: Pick<DevicesService, 'list'>): SearchSource => ({
  kind: 'device',
  permission: 'device:read',
  find: async (ctx, q, limit) =>
    (await devices.list(ctx, { q, limit })).items.map(device => ({
      id: device.id,
      title: device.name,
      subtitle: `${device.deviceNo} · ${device.productName}`,
      link: `/manage/device/DeviceSet/DeviceCenter?id=${device.id}`,
    })),
})
