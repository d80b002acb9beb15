import type { Behaviour } from '../cards/behaviour.ts'
import { type MailServer, startMailServer } from '../mail/mail-server.ts'
import { startWechat, type Wechat } from '../wechat/wechat.ts'
import { startAliyun } from './aliyun.ts'
import { type RobotWay, startRobots } from './robots.ts'
import { key, type MessageProvider, type ProviderOptions, type ReceiptBehaviour } from './shared.ts'
import { startTencent } from './tencent.ts'

/** What somebody needs to send by a way: where the provider listens, and an account there. */
export interface Entry {
  address: string
  config: Record<string, string>
  secrets: Record<string, string>
}

/** Every provider of messages, each on a port of its own. */
export interface Providers {
  /**
   * The account of this name at the provider of a way, made when it is asked for the first time.
   * @param way such as `sms.aliyun`
   * @param receipts where the provider reports what became of messages
   */
  account(way: string, name: string, receipts: string | null): Entry
  /** @throws Error when the way can be told nothing */
  behave(way: string, behaviour: Behaviour, times?: number): void
  receiptsAre(way: string, behaviour: ReceiptBehaviour): void
  close(): Promise<void>
}

/** Somebody who follows every simulated official account. */
export const FOLLOWER = 'oSimulatedDuty00000000000001'
/** The template that every simulated provider knows. */
export const TEMPLATE = 'SIMULATED_1'
const ROBOTS: readonly RobotWay[] = ['dingtalk.robot', 'wecom.robot', 'feishu.robot', 'webhook.webhook']

/**
 * Starts all of them on free ports.
 * @param shared a WeChat that others use too; whoever started it closes it
 */
export async function startProviders(options: ProviderOptions = {}, shared?: Wechat): Promise<Providers> {
  const [aliyun, tencent, ...robots] = await Promise.all([
    startAliyun(options),
    startTencent(options),
    ...ROBOTS.map(way => startRobots(way, options)),
  ])
  const mailboxes: Record<string, string> = {}
  const mail: MailServer = await startMailServer({ accounts: mailboxes })
  const wechat: Wechat = shared ?? (await startWechat(options))
  const official = new Map<string, Entry>()
  const at = new Map<string, MessageProvider>([
    ['sms.aliyun', aliyun],
    ['voice.aliyun', aliyun],
    ['sms.tencent', tencent],
    ['voice.tencent', tencent],
    ...ROBOTS.map((way, i) => [way, robots[i]!] as const),
  ])
  const known = (way: string): MessageProvider => {
    const found = at.get(way)
    if (!found) throw new Error(`nobody can tell ${way} how to behave`)
    return found
  }

  function mailbox(name: string): Entry {
    const from = `${name}@simulated.invalid`
    mailboxes[from] ??= key(8)
    return {
      address: `smtp://${mail.host}:${mail.port}`,
      config: { host: 'smtp.simulated.invalid', port: '465', from },
      secrets: { password: mailboxes[from]! },
    }
  }

  function officialAccount(name: string): Entry {
    const found = official.get(name)
    if (found) return found
    const [appId, appSecret] = [`wx${key(8)}`, key(16)]
    const account = wechat.account(appId, appSecret)
    account.templates.push({ template_id: TEMPLATE, title: 'Alarm', content: '{{thing1.DATA}}' })
    account.followers.set(FOLLOWER, { openid: FOLLOWER, nickname: 'Duty', subscribed: true })
    const made = { address: wechat.url, config: { appId }, secrets: { appSecret } }
    official.set(name, made)
    return made
  }

  return {
    account(way, name, receipts) {
      if (way === 'email.smtp') return mailbox(name)
      if (way === 'wechat.wechat') return officialAccount(name)
      const provider = known(way)
      const { config, secrets } = provider.account(way, name, receipts)
      return { address: provider.url, config, secrets }
    },
    behave: (way, behaviour, times) => known(way).behave(behaviour, times),
    receiptsAre: (way, behaviour) => known(way).receiptsAre(behaviour),
    async close() {
      await Promise.all([...new Set(at.values()), ...(shared ? [] : [wechat])].map(one => one.close()))
      await mail.stop()
    },
  }
}
