export { appsModule, type AppsModule, createAppsModule } from './apps.module.ts'
export type { WechatHttp } from './wechat.port.ts'
