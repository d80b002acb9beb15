/** Addresses of the device pages. */
export const DEVICE_LIST = '/manage/device'
export const DEVICE_CENTER = '/manage/device/DeviceSet/DeviceCenter'
export const DEVICE_LINK = '/manage/device/DeviceSet/DeviceSetLink'

export const deviceAddress = (id: string, page = DEVICE_CENTER) => `${page}?id=${encodeURIComponent(id)}`
export const productAddress = (id: string) => `/manage/product/ProductSet/ProductSetInfo?id=${encodeURIComponent(id)}`

/** The form that offers devices to another company; which ones goes along as state of the navigation (`target`, `count`). */
export const OFFER_TO_COMPANY = '/manage/company-transfers?offer=chosen'

/** The steps to a firmware campaign; the devices go along as state of the navigation (`deviceIds`). */
export const newFirmwareCampaign = (productId?: string) =>
  `/develop/FirmwareUpdate?id=new${productId ? `&product=${encodeURIComponent(productId)}` : ''}`
