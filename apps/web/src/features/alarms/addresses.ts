/** Where the alarms stand. */
export const ALARMS = '/manage/user/center/alarm'

/** The list with the drawer of one alarm open. */
export const alarmAddress = (id: string) => `${ALARMS}?alarm=${id}`

export const alarmsOfDevice = (deviceId: string) => `${ALARMS}?deviceId=${deviceId}`

/** All alarms of a storm, by the first of them. */
export const stormAddress = (id: string) => `${ALARMS}?stormId=${id}`

export const deviceAddress = (id: string) => `/manage/device/DeviceSet/DeviceCenter?id=${id}`

export const triggerAddress = (id: string) => `/manage/user/center/trigger?id=${id}`
