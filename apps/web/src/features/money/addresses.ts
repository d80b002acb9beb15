export const ASSETS = '/cost/account/AccountAssets'
export const BALANCE = '/cost/account/balance'
export const UNIT_USES = '/cost/account/MsgOrVmsRecord'
export const PACKS = '/cost/account/MsgOrVmsBuy'
export const ORDERS = '/cost/order'
export const CONSUMPTION = '/cost/consume'
export const RECHARGES = '/cost/recharge'
export const PURCHASE = '/admin/purchase'

export const orderAddress = (id: string) => `/cost/order/detail?id=${encodeURIComponent(id)}`
