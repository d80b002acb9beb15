import type { DevicesModule } from '../modules/devices/index.ts'
import type { MediaModule } from '../modules/media/index.ts'
import type { MembersModule } from '../modules/members/index.ts'
import type { OtaModule } from '../modules/ota/index.ts'
import type { ProductsModule } from '../modules/products/index.ts'
import type { RolesModule } from '../modules/roles/index.ts'
import type { SearchSource } from '../modules/search/index.ts'

export interface Searched {
  devices: Pick<DevicesModule, 'service'>
  products: Pick<ProductsModule, 'service'>
  ota: { services: Pick<OtaModule['services'], 'packages'> }
  members: Pick<MembersModule, 'service'>
  roles: Pick<RolesModule, 'service'>
  media: Pick<MediaModule, 'service'>
}

const listAt = (address: string, q: string) => `${address}?q=${encodeURIComponent(q)}`

/**
 * What the global search finds. A module with objects of its own joins by one more entry that asks its list: the
 * list's rules (company, data scope, rights) are then the search's.
 */
export function searchSources({ devices, products, ota, members, roles, media }: Searched): SearchSource[] {
  return [
    {
      kind: 'device',
      permission: 'device:read',
      find: async (ctx, q, limit) =>
        (await devices.service.list(ctx, { q, limit })).items.map(device => ({
          id: device.id,
          title: device.name,
          subtitle: `${device.deviceNo} · ${device.productName}`,
          link: `/manage/device/DeviceSet/DeviceCenter?id=${device.id}`,
        })),
    },
    {
      kind: 'product',
      permission: 'product:read',
      find: async (ctx, q, limit) =>
        (await products.service.list(ctx, { q, limit })).items.map(product => ({
          id: product.id,
          title: product.name,
          subtitle: product.productKey,
          link: `/manage/product/ProductSet/ProductSetInfo?id=${product.id}`,
        })),
    },
    {
      kind: 'firmware',
      permission: 'firmware:read',
      find: async (ctx, q, limit) =>
        (await ota.services.packages.list(ctx, { q, limit })).items.map(item => ({
          id: item.id,
          title: `${item.name} ${item.version}`,
          subtitle: item.productName,
          link: `/develop/FirmwareUpdate?package=${item.id}`,
        })),
    },
    {
      kind: 'member',
      permission: 'member:read',
      find: async (ctx, q, limit) =>
        (await members.service.list(ctx, { q, limit })).items.map(member => ({
          id: member.id,
          title: member.displayName || (member.username ?? ''),
          subtitle: member.username ?? member.email ?? member.phone ?? '',
          link: listAt('/admin/member', member.username ?? member.displayName),
        })),
    },
    {
      kind: 'role',
      permission: 'role:read',
      find: async (ctx, q, limit) =>
        (await roles.service.list(ctx, { q, limit })).items.map(role => ({
          id: role.id,
          title: ctx.locale === 'en' ? role.ename || role.name : role.name,
          subtitle: role.description,
          link: listAt('/manage/role', role.name),
        })),
    },
    {
      kind: 'media',
      permission: 'media:read',
      find: async (ctx, q, limit) =>
        (await media.service.list(ctx, { q, limit })).items.map(item => ({
          id: item.id,
          title: item.name,
          subtitle: item.contentType,
          link: listAt('/admin/material', item.name),
        })),
    },
  ]
}
