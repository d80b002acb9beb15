export { createAppletMessages } from './applet-messages.ts'
export type { AdmitApplet } from './applet-sign-in.service.ts'
export { appsModule } from './apps.module.ts'
export {
  createPlatformClient,
  createPlatformOf,
  type PlatformClient,
  type WechatPlatformSettings,
} from './platform-client.ts'
export type { WechatHttp } from './wechat.port.ts'
export type { AdmitCustomer } from './wechat-sign-in.service.ts'
