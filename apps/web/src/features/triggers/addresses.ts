/** Where the triggers stand. */
export const TRIGGERS = '/manage/user/center/trigger'

export const triggerAddress = (id: string, tab?: string) => `${TRIGGERS}?id=${id}${tab ? `&tab=${tab}` : ''}`

export const editAddress = (id: string) => `${TRIGGERS}?id=${id}&edit=1`

/** The editor, for a device or a product that is chosen already. */
export function newAddress(of: { deviceId?: string; productId?: string } = {}): string {
  const query = new URLSearchParams({ id: 'new', ...of })
  return `${TRIGGERS}?${query}`
}

export const alarmsOfTrigger = (id: string) => `/manage/user/center/alarm?triggerId=${id}`

export const alarmAddress = (id: string) => `/manage/user/center/alarm?alarm=${id}`

export const deviceAddress = (id: string) => `/manage/device/DeviceSet/DeviceCenter?id=${id}`
