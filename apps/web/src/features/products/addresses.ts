/** Addresses of the product pages. */
export const PRODUCT_LIST = '/manage/product'
export const PRODUCT_INFO = '/manage/product/ProductSet/ProductSetInfo'
export const PRODUCT_LINK = '/manage/product/ProductSet/ProductSetLink'
export const PRODUCT_ORDERS = '/manage/product/ProductSet/ProductSetOrder'
export const PRODUCT_FORMAT = '/manage/product/ProductSet/ProductFormat'

export const productAddress = (id: string, page = PRODUCT_INFO) => `${page}?id=${encodeURIComponent(id)}`
export const devicesOfProduct = (id: string) => `/manage/device?productId=${encodeURIComponent(id)}`
export const deviceAddress = (id: string) => `/manage/device/DeviceSet/DeviceCenter?id=${encodeURIComponent(id)}`
