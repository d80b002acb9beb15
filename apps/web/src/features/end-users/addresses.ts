export const USERS = '/manage/user'
export const CENTER = '/manage/user/center/info'

export const userAddress = (id: string, tab?: string) =>
  `${CENTER}?id=${encodeURIComponent(id)}${tab ? `&tab=${tab}` : ''}`
/** Pages of other areas that show one end user's things. */
export const devicesOf = (id: string) => `/manage/device?userId=${encodeURIComponent(id)}`
export const triggersOf = (id: string) => `/manage/user/center/trigger?userId=${encodeURIComponent(id)}`
export const alarmsOf = (id: string) => `/manage/user/center/alarm?userId=${encodeURIComponent(id)}`
export const materialsOf = (id: string) => `/admin/material?userId=${encodeURIComponent(id)}`
export const deviceAddress = (id: string) => `/manage/device/DeviceSet/DeviceCenter?id=${encodeURIComponent(id)}`
