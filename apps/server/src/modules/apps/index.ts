export { appsModule } from './apps.module.ts'
export type { WechatPlatformSettings } from './platform-client.ts'
export type { WechatHttp } from './wechat.port.ts'
export type { AdmitCustomer } from './wechat-sign-in.service.ts'
