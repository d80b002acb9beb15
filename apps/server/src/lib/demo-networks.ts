/** The numbers of a simulated card. */
export interface DemoCard {
  iccid: string
  msisdn: string
  imsi: string
}

/** A simulated carrier. */
export interface DemoCarrier {
  url: string
  account: string
  password: string
  secretKey: string
  cards: readonly DemoCard[]
}

/** A simulated telecom platform, with one product. */
export interface DemoPlatform {
  url: string
  account: string
  appSecret: string
  token: string
  product: string
  masterKey: string
}

/** A simulated WeChat with an official account, a third-party platform and a mini-program. */
export interface DemoWechat {
  url: string
  official: { appId: string; appSecret: string; token: string; aesKey: string }
  platform: { appId: string; secret: string; token: string; aesKey: string; baseUrl: string; pageUrl: string }
  /** App id of the mini-program that its owner has not authorised yet. */
  applet: string
  /** People who follow the account and what they write first. */
  people: readonly { openid: string; nickname: string; text: string }[]
  /** A person who uses the mini-program, and how many messages of a template that person allows. */
  reader: { openid: string; templateId: string; allows: number }
}

/** A customer of the demo company. */
export interface DemoCustomer {
  id: string
  username: string
  name: string
  rights: readonly string[]
}

/** The simulated networks of the demo company, as the modules that speak to such networks are connected to them. */
export interface DemoNetworks {
  /** The company was never connected to them. */
  isFirst: boolean
  /** The same of those that came with a later version. */
  isFirstOf: { cards: boolean; telecom: boolean; wechat: boolean }
  chirpstack: { url: string; tenantId: string; apiKey: string; email: string; password: string }
  ezviz: { url: string; appKey: string; appSecret: string }
  carriers: { cmcc: DemoCarrier; ctcc: DemoCarrier }
  telecom: { ctwing: DemoPlatform; onenet: DemoPlatform }
  wechat: DemoWechat
  /** Uses the mini-program; null: the company has no customers. */
  customer(): Promise<DemoCustomer | null>
  /** Where the networks reach a path of this server. */
  here(path: string): string
  /** WeChat's tickets and events come to this server from now on. */
  startTickets(): void
  /** Where ChirpStack's events go from now on. @param path at this server */
  integrate(path: string, headers: Record<string, string>): void
  /** Where the pushes of a telecom platform go from now on. @param path at this server */
  reports(platform: 'ctwing' | 'onenet', path: string): void
}
