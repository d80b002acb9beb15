export { appsModule } from './apps.module.ts'
export type { WechatHttp } from './wechat.port.ts'
