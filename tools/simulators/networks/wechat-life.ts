import type { Follower } from '../wechat/official.ts'
import type { MiniProgram } from '../wechat/platform.ts'
import type { SubscribeState } from '../wechat/subscribe.ts'
import type { Wechat } from '../wechat/wechat.ts'
import texts from './texts.json' with { type: 'json' }

const OFFICIAL = {
  appId: 'wxsim0000000000001',
  appSecret: 'simulated0000000000000000000000a',
  token: 'simulated',
  aesKey: 'SimulatedSimulatedSimulatedSimulatedSimulat',
}
const PLATFORM = {
  appId: 'wxsim0000000000002',
  secret: 'simulated0000000000000000000000b',
  token: 'simulated',
  aesKey: 'SimulatedSimulatedSimulatedSimulatedPlatfor',
}
const APPLET = 'wxsim0000000000003'
/** A person who uses the mini-program, and how many messages that person allows. */
const READER = 'oSimulatedReader00000000001'
const ALLOWS = 20
/** What every simulated provider knows, where nobody typed another (tools/simulators/messages). */
const TEMPLATE = 'SIMULATED_1'

/** What the demo company's WeChat knows, so that it knows it again. */
export interface WechatState {
  followers: Follower[]
  menu: unknown
  program: Omit<MiniProgram, 'testers'> & { testers: [string, string][] }
  /** Absent in a file of an older version. */
  subscribe?: SubscribeState
}

/** The official account, the third-party platform and the mini-program of the demo company at the simulated WeChat. */
export function furnishWechat(wechat: Wechat, state: WechatState | null): object {
  const account = wechat.account(OFFICIAL.appId, OFFICIAL.appSecret)
  account.templates.push({ template_id: TEMPLATE, title: texts.template, content: '{{thing1.DATA}}' })
  const program = wechat.platform.register(APPLET, texts.applet)
  wechat.subscribe.addTemplate(APPLET, TEMPLATE, texts.fields, texts.template)
  if (state) {
    if (state.subscribe) wechat.subscribe.restore(state.subscribe)
    for (const follower of state.followers) account.followers.set(follower.openid, follower)
    account.menu = state.menu
    Object.assign(program, state.program, { testers: new Map(state.program.testers) })
  }
  return {
    url: wechat.url,
    official: OFFICIAL,
    platform: { ...PLATFORM, baseUrl: wechat.url, pageUrl: wechat.url },
    applet: APPLET,
    people: texts.people,
    reader: { openid: READER, templateId: TEMPLATE, allows: ALLOWS },
  }
}

export function keepWechat(wechat: Wechat): WechatState {
  const { followers, menu } = wechat.account(OFFICIAL.appId)
  const { testers, ...program } = wechat.platform.program(APPLET)
  return {
    followers: [...followers.values()],
    menu,
    program: { ...program, testers: [...testers] },
    subscribe: wechat.subscribe.kept(),
  }
}

/** WeChat's tickets and events go to the server at this address from now on. */
export async function tellServer(wechat: Wechat, url: string): Promise<void> {
  const base = `${url}/callbacks/wechat-platform`
  wechat.platform.platform = { ...PLATFORM, eventUrl: `${base}/events`, messageUrl: `${base}/$APPID$/messages` }
  await wechat.platform.sendTicket()
}
