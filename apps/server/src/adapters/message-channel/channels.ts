import { randomUUID } from 'node:crypto'
import type { ChannelAdapters } from '../../modules/contacts/channel.port.ts'
import { createAliyunChannel, type VendorDeps } from './aliyun.ts'
import { createChannelHttp } from './http-channel.ts'
import { createRobotChannels } from './robots.ts'
import { createSmtpChannel } from './smtp.ts'
import { createTencentChannel } from './tencent.ts'
import { createWebhookChannel } from './webhook.ts'
import { createWechatChannel } from './wechat.ts'

/** Every provider that messages about alarms can leave by. */
export function createMessageChannels(options: { allow: readonly string[]; now(): number }): ChannelAdapters {
  const deps: VendorDeps = { http: createChannelHttp(options), now: options.now, nonce: () => randomUUID() }
  const [aliyun, tencent, robots] = [createAliyunChannel(deps), createTencentChannel(deps), createRobotChannels(deps)]
  return {
    'email.smtp': createSmtpChannel(options),
    'sms.aliyun': aliyun,
    'voice.aliyun': aliyun,
    'sms.tencent': tencent,
    'voice.tencent': tencent,
    'wechat.wechat': createWechatChannel(deps),
    'dingtalk.robot': robots.dingtalk,
    'wecom.robot': robots.wecom,
    'feishu.robot': robots.feishu,
    'webhook.webhook': createWebhookChannel(deps),
  }
}
