export { type AppsModule, appsModule, createAppsModule } from './apps.module.ts'
export type { WechatHttp } from './wechat.port.ts'
