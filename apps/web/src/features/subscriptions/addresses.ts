export const LIST = '/develop/DataSubscription'
export const NEW = `${LIST}?id=new`
export const subscriptionAddress = (id: string, tab?: string) =>
  `${LIST}?id=${encodeURIComponent(id)}${tab ? `&tab=${tab}` : ''}`
export const editAddress = (id: string) => `${LIST}?id=${encodeURIComponent(id)}&edit=1`
