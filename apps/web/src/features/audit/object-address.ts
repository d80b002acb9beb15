const ADDRESS: Record<string, (id: string) => string> = {
  device: id => `/manage/device/DeviceSet/DeviceCenter?id=${encodeURIComponent(id)}`,
  product: id => `/manage/product/ProductSet/ProductSetInfo?id=${encodeURIComponent(id)}`,
  role: () => '/manage/role',
  member: () => '/admin/member',
  login: () => '/admin/member',
  media: () => '/admin/material',
  media_folder: () => '/admin/material',
  company: () => '/admin/account',
  menu: () => '/system/menuList',
  audit: () => '/admin/action',
  user_log: () => '/admin/userlog',
  api_key: () => '/develop/LinkInterface',
  firmware: id => `/develop/FirmwareUpdate?tab=packages&package=${encodeURIComponent(id)}`,
  ota_campaign: id => `/develop/FirmwareUpdate?id=${encodeURIComponent(id)}`,
}

/** Where an object of the log can be looked at; null for what has no page. */
export function objectAddress(type: string | null, id: string | null): string | null {
  return type !== null && id !== null ? (ADDRESS[type]?.(id) ?? null) : null
}
